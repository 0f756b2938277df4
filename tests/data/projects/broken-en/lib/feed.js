import { escape } from "./render.js";

const MOST = 20;

export function feed(posts) {
  const items = posts.slice(0, MOST).map(
    (post) => `<entry><title>${escape(post.title)}</title><id>${post.slug}</id><updated>${post.date}</updated></entry>`,
  );
  return `<feed xmlns="http://www.w3.org/2005/Atom">${items.join("")}</feed>\n`;
}

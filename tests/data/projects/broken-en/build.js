import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { feed } from "./lib/feed.js";
import { page, parsePost } from "./lib/render.js";

const [source = "posts", target = "public"] = process.argv.slice(2);

const names = (await readdir(source)).filter((name) => name.endsWith(".md")).sort();
const posts = [];
for (const name of names) {
  posts.push(parsePost(name.replace(/\.md$/, ""), await readFile(join(source, name), "utf8")));
}
posts.sort((a, b) => b.date.localeCompare(a.date) || a.slug.localeCompare(b.slug));

await mkdir(target, { recursive: true });
for (const post of posts) {
  await writeFile(join(target, `${post.slug}.html`), page(post));
}
await writeFile(join(target, "feed.xml"), feed(posts));

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escape(text) {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

/** Split a post into its head (`key: value` lines up to the first blank one) and its paragraphs. */
export function parsePost(slug, text) {
  const [head, ...paragraphs] = text.replaceAll("\r\n", "\n").trim().split(/\n{2,}/);
  const fields = Object.fromEntries(head.split("\n").map((line) => line.split(/:\s*/, 2)));
  return { slug, title: fields.title ?? slug, date: fields.date ?? "", paragraphs };
}

export function page(post) {
  const body = post.paragraphs.map((paragraph) => `<p>${escape(paragraph)}</p>`).join("\n");
  return `<!doctype html>\n<title>${escape(post.title)}</title>\n<h1>${escape(post.title)}</h1>\n${body}\n`;
}

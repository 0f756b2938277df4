import assert from "node:assert/strict";
import { test } from "node:test";
import { page, parsePost } from "../lib/render.js";

test("the head of a post ends at the first blank line", () => {
  const post = parsePost("a", "title: A\ndate: 2026-01-02\n\nOne.\n\nTwo.");
  assert.deepEqual(post.paragraphs, ["One.", "Two."]);
});

test("text is never markup", () => {
  assert.match(page(parsePost("a", "title: <b>\n\nx & y")), /&lt;b&gt;/);
});

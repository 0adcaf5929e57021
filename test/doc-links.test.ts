import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findDocFaults } from "../scripts/doc-links.ts";

t.test("links to files and headings that are there pass, others are named with their line", async (t) => {
  const root = t.testdir({
    "README.md": [
      "# Top `code` & more",
      "[a page](docs/page.md), [a heading](docs/page.md#two-words), [here](#top-code--more), [out](https://example.com/x)",
      "[gone](docs/gone.md) and [no heading](docs/page.md#three), [nor here](#bottom)",
      "`[in code](gone.md)`",
      "```sh",
      "# [in a block](gone.md)",
      "```",
    ].join("\n"),
    docs: { "page.md": "# Page\n## Two words\n```\n# three\n```\n[back](../README.md)\n" },
  });
  t.same(findDocFaults(root), [
    { place: "README.md:3", fault: "docs/gone.md: there is no docs/gone.md" },
    { place: "README.md:3", fault: "docs/page.md#three: docs/page.md has no such heading" },
    { place: "README.md:3", fault: "#bottom: README.md has no such heading" },
  ]);
});

t.test("headings of the same words are told apart by a number", async (t) => {
  const root = t.testdir({ "a.md": "# One\n# One\n[second](#one-1) [third](#one-2)\n" });
  t.same(findDocFaults(root), [{ place: "a.md:3", fault: "#one-2: a.md has no such heading" }]);
});

t.test("commands that the program does not know are named, others' commands are not looked at", async (t) => {
  const root = t.testdir({
    "a.md": [
      "```sh",
      "npm start -- --connect 'vnc://:pass word@host:5901' # fine",
      "echo x | overlay-companion secret add bank \\",
      "  --desktops a",
      "OC_PORT=1 npm start -- doctor --json | head",
      "docker compose exec overlay-companion cat /data/admin-token",
      "npm start -- --conect vnc://host",
      "npm start -- dcotor",
      "```",
      "```yaml",
      "npm start -- nothing",
      "```",
    ].join("\n"),
  });
  t.match(findDocFaults(root), [
    { place: "a.md:7", fault: /--conect/ },
    { place: "a.md:8", fault: /dcotor/ },
  ]);
  t.equal(findDocFaults(root).length, 2);
});

t.test("the real pages obey", async (t) => {
  t.same(findDocFaults(resolve(fileURLToPath(import.meta.url), "../..")), []);
});

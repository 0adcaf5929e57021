import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { EXTENSION_ID } from "../../src/browser/wire/calls.ts";

const MANIFEST = fileURLToPath(new URL("../../src/extension/manifest.json", import.meta.url));

t.test("the extension asks for three permissions and nothing else", (t) => {
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(MANIFEST, "utf8"));
  t.equal(manifest["manifest_version"], 3);
  t.same(manifest["permissions"], ["debugger", "storage", "alarms"]);
  const others = Object.keys(manifest).filter((key) =>
    /permissions|content_scripts|externally_connectable|web_accessible/.test(key),
  );
  t.same(others, ["permissions"], "no sites, no scripts in pages, nothing for pages to call");
  t.equal(manifest["incognito"], "not_allowed");
  t.end();
});

t.test("its key makes the id that the server lets in", (t) => {
  const { key } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  const hash = createHash("sha256")
    .update(Buffer.from(String(key), "base64"))
    .digest("hex");
  // Chromium writes the first 16 bytes in the letters a to p.
  const id = [...hash.slice(0, 32)]
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
    .join("");
  t.equal(id, EXTENSION_ID);
  t.end();
});

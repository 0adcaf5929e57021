// Completes dist/extension, which Vite made, by the manifest and the icons, and packs it as dist/extension.zip.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import sharp from "sharp";
import { ROOT } from "./source-hash.mjs";

const OUT = join(ROOT, "dist", "extension");
/** ZIP counts from 1980: the same sources make the same file. */
const MADE = new Date("1980-01-02T00:00:00Z");
/** Pixels of a side in the favicon's own size, so that it is drawn sharply in each. */
const DENSITY_A_PIXEL = 72 / 32;

const icon = readFileSync(join(ROOT, "src", "web", "client", "favicon.svg"));
for (const size of [16, 32, 48, 128]) {
  const drawn = sharp(icon, { density: DENSITY_A_PIXEL * size }).resize(size, size);
  writeFileSync(join(OUT, `icon-${size}.png`), await drawn.png().toBuffer());
}
writeFileSync(join(OUT, "manifest.json"), readFileSync(join(ROOT, "src", "extension", "manifest.json")));

const files = readdirSync(OUT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const packed = Object.fromEntries(
  files
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    // In a folder of its own: whoever unpacks it is not left with a dozen files among others.
    .map((path) => [`overlay-companion-bridge/${path.slice(OUT.length + 1)}`, readFileSync(path)]),
);
writeFileSync(join(ROOT, "dist", "extension.zip"), zipSync(packed, { level: 9, mtime: MADE }));

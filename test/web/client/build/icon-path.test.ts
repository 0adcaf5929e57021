import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import t from "tap";
import { iconPath } from "../../../../scripts/icon-path.ts";

const SHAPES = fileURLToPath(new URL("../../../../src/web/client/controls/icon-shapes.ts", import.meta.url));
const USED = Array.from(
  readFileSync(SHAPES, "utf8").matchAll(/"(lucide-static\/[^"?]+)/g),
  ([, path = ""]) => path,
);

/** Opacity of each pixel, of ten for one of the icon's, as librsvg draws it. */
async function drawn(svg: string): Promise<Uint8Array> {
  return await sharp(Buffer.from(svg), { density: 720 })
    .ensureAlpha()
    .extractChannel("alpha")
    .raw()
    .toBuffer();
}

t.test("one path draws what the elements of an icon do", async (t) => {
  t.ok(USED.length > 40, `${USED.length} icons`);
  for (const path of USED) {
    const svg = readFileSync(createRequire(import.meta.url).resolve(path), "utf8");
    const [head = ""] = /<svg[^>]*>/.exec(svg) ?? [];
    const [whole, slim] = await Promise.all([drawn(svg), drawn(`${head}<path d="${iconPath(svg)}"/></svg>`)]);
    t.equal(slim.length, whole.length);
    // Where two strokes meet, both have an edge of their own that lets a little through.
    const other = whole.filter((alpha, at) => Math.abs(alpha - (slim[at] ?? 0)) > 96).length;
    t.ok(other === 0, `${path}: ${other} pixels of ${whole.length} differ`);
  }
});

t.test("a shape that is not known is no icon", (t) => {
  t.throws(() => iconPath('<svg><polygon points="0,0 1,1"/></svg>'), /polygon/);
  t.throws(() => iconPath("<svg></svg>"), /without a shape/);
  t.end();
});

import sharp from "sharp";
import { Region } from "../../src/framebuffer/region.ts";
import { JpegStrips } from "../../src/imaging/jpeg/jpeg-strips.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { PngStrips } from "../../src/imaging/png/png-strips.ts";
import { nodeDeflate } from "../../src/platform/node-zlib.ts";
import { judged, type Line, line } from "../line.ts";
import { measure } from "../stopwatch.ts";
import { changeLine, type Scene } from "./scene.ts";
import { benchTurns } from "./turns.ts";

const RUNS = 15;
const QUALITY = 80;

/** P1 to P4: screenshots as PNG and JPEG, beside sharp. */
export async function benchEncode(scene: Scene, isShort: boolean): Promise<Line[]> {
  const { frame, picture, name } = scene;
  const raw = { raw: { width: frame.width, height: frame.height, channels: 4 } } as const;
  const png = new PngStrips(nodeDeflate);
  const jpeg = new JpegStrips(jpegTurbo, QUALITY);
  let turn = 0;
  const change = (): Region => Region.of(changeLine(scene, turn++));
  const named = (what: string): string => `${what}, ${name}`;

  const things = {
    unchanged: {
      name: named("PNG and base64, unchanged"),
      run: async () => (await png.encode(picture)).toString("base64"),
    },
    pngLine: {
      name: named("PNG, a line of text changed"),
      run: () => {
        png.invalidate(change());
        return png.encode(picture);
      },
    },
    pngFull: {
      name: named("PNG, everything changed"),
      run: () => {
        png.invalidate(null);
        return png.encode(picture);
      },
    },
    jpegFull: {
      name: named("JPEG, everything changed"),
      run: () => {
        jpeg.invalidate(null);
        return jpeg.encode(picture);
      },
    },
    jpegLine: {
      name: named("JPEG, a line of text changed"),
      run: () => {
        jpeg.invalidate(change());
        return jpeg.encode(picture);
      },
    },
    sharpPng: { name: "sharp PNG", run: () => sharp(frame.bytes, raw).png().toBuffer() },
    sharpFast: {
      name: "sharp PNG level 1 RGB",
      run: () => sharp(frame.bytes, raw).removeAlpha().png({ compressionLevel: 1 }).toBuffer(),
    },
    sharpJpeg: {
      name: "sharp JPEG q80",
      run: () => sharp(frame.bytes, raw).jpeg({ quality: QUALITY, chromaSubsampling: "4:4:4" }).toBuffer(),
    },
  };
  const still = await measure([things.unchanged, things.sharpPng], RUNS, isShort);
  const lines = await measure([things.pngLine, things.sharpPng, things.sharpFast], RUNS, isShort);
  const full = await measure([things.pngFull, things.sharpPng], RUNS, isShort);
  const jpegs = await measure([things.jpegFull, things.sharpJpeg], RUNS, isShort);
  const jpegLines = await measure([things.jpegLine, things.sharpJpeg], RUNS, isShort);
  png.invalidate(null);
  await check(scene, await png.encode(picture));
  return [
    line(still, things.unchanged.name, things.sharpPng.name, { id: "P1", goal: { atLeast: 50 } }),
    await benchBytes(scene),
    line(lines, things.pngLine.name, things.sharpPng.name, { id: "P2", goal: { atLeast: 20 } }),
    line(lines, things.pngLine.name, things.sharpFast.name, { id: "P2", goal: { atLeast: 10 } }),
    line(full, things.pngFull.name, things.sharpPng.name, { id: "P3", goal: { atLeast: 1.5 } }),
    ...(await benchTurns(scene, isShort)),
    line(jpegs, things.jpegFull.name, things.sharpJpeg.name, { id: "P4", goal: { atLeast: 3 } }),
    line(jpegLines, things.jpegLine.name, things.sharpJpeg.name, { id: "P4", goal: { atLeast: 30 } }),
  ];
}

/** P1: the size of what is sent, beside sharp's. */
async function benchBytes({ frame, picture, name }: Scene): Promise<Line> {
  const raw = { raw: { width: frame.width, height: frame.height, channels: 4 } } as const;
  const ours = (await new PngStrips(nodeDeflate).encode(picture)).length;
  const theirs = (await sharp(frame.bytes, raw).png().toBuffer()).length;
  const metric = `PNG, size, ${name}`;
  return judged({ id: "P1", metric, unit: "bytes", ours, peer: "sharp PNG", theirs, goal: { atMost: 1.25 } });
}

/** A fast wrong picture is no result. */
async function check({ frame }: Scene, png: Buffer): Promise<void> {
  const decoded = await sharp(png).raw().toBuffer();
  for (let i = 0, at = 0; i < decoded.length; i++, at += i % 3 === 0 ? 2 : 1) {
    if (decoded[i] !== frame.bytes[at]) throw new Error(`the PNG differs from the frame at byte ${i}`);
  }
}

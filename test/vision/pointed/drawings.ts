import { readFileSync } from "node:fs";
import sharp from "sharp";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";

/** What is drawn over text, RGBA without alpha being multiplied in. */
export interface Drawing {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

const INKS: Readonly<Record<string, readonly number[]>> = {
  "#": [0, 0, 0, 255],
  o: [255, 255, 255, 255],
  ".": [0, 0, 0, 0],
};

/** Of X's own cursor font (xfonts-base), with its mask; as large as themes have them. */
const POINTER_SIZES = [16, 24, 32] as const;

/** The usual pointers of X: arrow, text, hand, cross, watch, each of each size. */
export async function xPointers(): Promise<Drawing[]> {
  const file = readFileSync(new URL("pointers.txt", import.meta.url), "utf8");
  const all = file
    .trimEnd()
    .split("\n\n")
    .map((one) => {
      const [name = "", ...rows] = one.split("\n");
      const width = rows[0]?.length ?? 0;
      const rgba = Uint8Array.from(rows.flatMap((row) => [...row].flatMap((dot) => INKS[dot] ?? [])));
      return { name, width, height: rows.length, rgba };
    });
  return await Promise.all(POINTER_SIZES.flatMap((size) => all.map((one) => enlarged(one, size))));
}

/** As a theme of that size, whose edges are soft. */
async function enlarged({ name, width, height, rgba }: Drawing, size: number): Promise<Drawing> {
  const scale = size / 16;
  const picture = sharp(rgba, { raw: { width, height, channels: 4 } });
  const { data, info } = await picture
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: "fill", kernel: "cubic" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { name: `${name} ${size}`, width: info.width, height: info.height, rgba: data };
}

/** Of one colour with that alpha. */
function plain(name: string, width: number, height: number, colour: readonly number[]): Drawing {
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set(colour, at);
  return { name, width, height, rgba };
}

/** A text cursor: of editors and fields, and a terminal's block. */
export const carets: readonly Drawing[] = [
  plain("caret of one pixel", 1, 15, [0, 0, 0, 255]),
  plain("caret of two pixels", 2, 16, [40, 90, 220, 255]),
  plain("hollow block", 8, 16, [0, 0, 0, 0]),
].map((one) => (one.name === "hollow block" ? outlined(one, [90, 90, 90, 255]) : one));

/** A selection of programs that lay a colour over what is selected. */
export const selections: readonly Drawing[] = [
  plain("selection of a word", 60, 15, [50, 120, 230, 90]),
  plain("selection of a part", 24, 15, [50, 120, 230, 140]),
];

/** What is dragged, half seen through. */
export const ghosts: readonly Drawing[] = [
  outlined(plain("ghost of an icon", 32, 32, [120, 120, 120, 120]), [60, 60, 60, 160]),
  outlined(plain("ghost of a label", 90, 18, [230, 230, 230, 128]), [60, 60, 60, 128]),
];

/** Boxes with a frame that lie on a part of a line. */
export const tooltips: readonly Drawing[] = [
  outlined(plain("tooltip over the end", 90, 40, [255, 255, 220, 255]), [0, 0, 0, 255]),
  outlined(plain("strip over some letters", 20, 24, [255, 255, 220, 255]), [0, 0, 0, 255]),
];

function outlined(drawing: Drawing, colour: readonly number[]): Drawing {
  const { width, height } = drawing;
  const rgba = drawing.rgba.slice();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) rgba.set(colour, (y * width + x) * 4);
    }
  }
  return { ...drawing, rgba };
}

/** Lays a drawing over a picture; gives where. */
export function draw(
  picture: { readonly width: number; readonly height: number; readonly rgba: Uint8Array },
  { width, height, rgba }: Drawing,
  x: number,
  y: number,
): Rect {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  const right = Math.min(picture.width, x + width);
  const bottom = Math.min(picture.height, y + height);
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const from = ((row - y) * width + column - x) * 4;
      const to = (row * picture.width + column) * 4;
      const alpha = (rgba[from + 3] ?? 0) / 255;
      for (let k = 0; k < 3; k++) {
        const [over = 0, under = 0] = [rgba[from + k], picture.rgba[to + k]];
        picture.rgba[to + k] = Math.round(over * alpha + under * (1 - alpha));
      }
    }
  }
  return rect(left, top, right - left, bottom - top);
}

/** Whether nothing is seen through a drawing there. */
export function isOpaqueAt({ width, height, rgba }: Drawing, x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < width && y < height && (rgba[(y * width + x) * 4 + 3] ?? 0) > 200;
}

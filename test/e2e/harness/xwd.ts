import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** RGBA, rows top down, no padding, alpha 255. */
export interface Shot {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

const MOST_DUMP_BYTES = 256 * 1024 * 1024;

/** What a display shows now, pointer not included: the truth that a framebuffer is compared with. */
export async function shootDisplay(display: string): Promise<Shot> {
  const { stdout } = await run("xwd", ["-root", "-silent", "-display", display], {
    encoding: "buffer",
    maxBuffer: MOST_DUMP_BYTES,
  });
  return readXwd(stdout);
}

/** Fields of an XWD file header, X11/XWDFile.h: 32-bit words in the byte order of the header, here big-endian. */
const WORD = {
  headerSize: 0,
  fileVersion: 4,
  pixmapFormat: 8,
  pixmapWidth: 16,
  pixmapHeight: 20,
  byteOrder: 28,
  bitsPerPixel: 44,
  bytesPerLine: 48,
  redMask: 56,
  greenMask: 60,
  blueMask: 64,
  colours: 76,
} as const;

const COLOUR_BYTES = 12;
const ZPIXMAP = 2;

/** Reads a dump of a TrueColor window of 24 or 32 bits a pixel with 8 bits a colour. */
function readXwd(dump: Uint8Array): Shot {
  const view = new DataView(dump.buffer, dump.byteOffset, dump.byteLength);
  if (dump.byteLength < 100) throw new Error(`xwd dump of ${dump.byteLength} bytes, at least 100 expected`);
  const word = (name: keyof typeof WORD): number => view.getUint32(WORD[name]);
  if (word("fileVersion") !== 7 || word("pixmapFormat") !== ZPIXMAP) {
    throw new Error(
      `xwd version ${word("fileVersion")}, format ${word("pixmapFormat")}: expected 7 and ZPixmap`,
    );
  }
  const bits = word("bitsPerPixel");
  if (bits !== 24 && bits !== 32) throw new Error(`xwd dump of ${bits} bits a pixel, expected 24 or 32`);
  const width = word("pixmapWidth");
  const height = word("pixmapHeight");
  const stride = word("bytesPerLine");
  const step = bits / 8;
  const isBigEndian = word("byteOrder") === 1;
  const at = (mask: number): number => {
    const byte = [0xff, 0xff00, 0xff0000, 0xff000000].indexOf(mask);
    if (byte < 0) throw new Error(`xwd colour mask ${mask.toString(16)}, expected 8 bits on a byte`);
    return isBigEndian ? step - 1 - byte : byte;
  };
  const red = at(word("redMask"));
  const green = at(word("greenMask"));
  const blue = at(word("blueMask"));
  const start = word("headerSize") + word("colours") * COLOUR_BYTES;
  if (start + height * stride > dump.byteLength) {
    throw new Error(`xwd dump of ${dump.byteLength} bytes, ${start + height * stride} expected`);
  }
  const rgba = new Uint8Array(width * height * 4);
  let to = 0;
  for (let y = 0; y < height; y++) {
    let from = start + y * stride;
    for (let x = 0; x < width; x++, from += step, to += 4) {
      rgba[to] = dump[from + red] ?? 0;
      rgba[to + 1] = dump[from + green] ?? 0;
      rgba[to + 2] = dump[from + blue] ?? 0;
      rgba[to + 3] = 255;
    }
  }
  return { width, height, rgba };
}

/** In words how two pictures differ, null where they are the same in every pixel: "12 pixels differ, first at …". */
export function differenceOf(got: Shot, wanted: Shot): string | null {
  if (got.width !== wanted.width || got.height !== wanted.height) {
    return `got ${got.width}x${got.height}, expected ${wanted.width}x${wanted.height}`;
  }
  let count = 0;
  let first = -1;
  for (let i = 0; i < wanted.rgba.length; i += 4) {
    if (
      got.rgba[i] === wanted.rgba[i] &&
      got.rgba[i + 1] === wanted.rgba[i + 1] &&
      got.rgba[i + 2] === wanted.rgba[i + 2]
    ) {
      continue;
    }
    if (first < 0) first = i;
    count++;
  }
  if (count === 0) return null;
  const x = (first / 4) % wanted.width;
  const y = Math.floor(first / 4 / wanted.width);
  return `${count} pixels differ, first at ${x},${y}: got ${colourAt(got, first)}, expected ${colourAt(wanted, first)}`;
}

function colourAt(shot: Shot, index: number): string {
  return `#${Buffer.from(shot.rgba.subarray(index, index + 3)).toString("hex")}`;
}

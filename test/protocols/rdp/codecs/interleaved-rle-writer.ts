/** What the specification calls pixels: numbers of 1 to 3 bytes, rows in the order of the stream. */
export interface RawPicture {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly pixels: readonly number[];
}

type Kind = "bg" | "fg" | "set_fg" | "fgbg" | "set_fgbg" | "colour" | "image" | "dithered" | "special";

const CODES: Readonly<
  Record<string, { readonly regular?: number; readonly lite?: number; readonly mega: number }>
> = {
  bg: { regular: 0, mega: 0xf0 },
  fg: { regular: 1, mega: 0xf1 },
  fgbg: { regular: 2, mega: 0xf2 },
  colour: { regular: 3, mega: 0xf3 },
  image: { regular: 4, mega: 0xf4 },
  set_fg: { lite: 0xc, mega: 0xf6 },
  set_fgbg: { lite: 0xd, mega: 0xf7 },
  dithered: { lite: 0xe, mega: 0xf8 },
};

export function whiteOf(bitsPerPixel: number): number {
  return 2 ** bitsPerPixel - 1;
}

/**
 * Interleaved RLE, MS-RDPBCGR 2.2.9.1.1.3.1.2.4, written from the decoder's rules and not for size: at each pixel one of
 * all orders that fit is chosen by `next`, so that a property sees every order in every form.
 */
export function encodeInterleavedRle(picture: RawPicture, next: (most: number) => number): Uint8Array {
  const { width, height, bitsPerPixel, pixels } = picture;
  const white = whiteOf(bitsPerPixel);
  const out: number[] = [];
  let foreground = white;
  let isAfterBackground = false;
  let wasFirstRow = true;
  const count = width * height;
  const pixel = (value: number): void => {
    for (let byte = 0; byte < bitsPerPixel; byte += 8) out.push((value >> byte) & 255);
  };
  for (let at = 0; at < count; ) {
    const isFirstRow = at < width;
    if (wasFirstRow && !isFirstRow) isAfterBackground = false;
    wasFirstRow = isFirstRow;
    // A run that starts in the first row ends there: no real encoder crosses.
    const left = isFirstRow ? width - at : count - at;
    const above = (i: number): number => (isFirstRow ? 0 : (pixels[i - width] ?? 0));
    const run = (fits: (i: number) => boolean): number => {
      let length = 0;
      while (length < left && fits(at + length)) length++;
      return length;
    };
    const here = pixels[at] ?? 0;
    const needsForeground = isAfterBackground;
    const options: { readonly kind: Kind; readonly most: number; readonly colour?: number }[] = [
      { kind: "image", most: left },
      { kind: "colour", most: run((i) => pixels[i] === here) },
    ];
    const backgrounds = run((i) =>
      needsForeground && i === at ? pixels[i] === (above(i) ^ foreground) : pixels[i] === above(i),
    );
    if (backgrounds > 0) options.push({ kind: "bg", most: backgrounds });
    const foregrounds = run((i) => pixels[i] === (above(i) ^ foreground));
    if (foregrounds > 0) options.push({ kind: "fg", most: foregrounds });
    const colour = here ^ above(at);
    options.push({ kind: "set_fg", most: run((i) => pixels[i] === (above(i) ^ colour)), colour });
    const mixed = (mix: number) => run((i) => pixels[i] === above(i) || pixels[i] === (above(i) ^ mix));
    if (mixed(foreground) > 0) options.push({ kind: "fgbg", most: mixed(foreground) });
    if (colour !== 0) options.push({ kind: "set_fgbg", most: mixed(colour), colour });
    const pairs = Math.floor(run((i) => pixels[i] === ((i - at) % 2 === 0 ? here : pixels[at + 1])) / 2);
    if (pairs > 0) options.push({ kind: "dithered", most: pairs });
    if (here === white || here === 0) options.push({ kind: "special", most: 1 });
    const matches = (mask: number): boolean =>
      left >= 8 &&
      Array.from({ length: 8 }, (_, i) => at + i).every(
        (i, bit) => pixels[i] === (above(i) ^ ((mask >> bit) & 1 ? foreground : 0)),
      );
    const choice = options[next(options.length - 1)] ?? options[0];
    if (choice === undefined) throw new Error("no order fits");
    const masks = ([0x03, 0x05] as const).filter(matches);
    if (masks.length > 0 && next(1) === 1) {
      out.push(masks[0] === 0x03 ? 0xf9 : 0xfa);
      at += 8;
      isAfterBackground = false;
      continue;
    }
    if (choice.kind === "special") {
      out.push(here === white ? 0xfd : 0xfe);
      at++;
      isAfterBackground = false;
      continue;
    }
    const length = Math.min(choice.most, 1 + next(choice.most - 1), 60_000);
    const isMask = choice.kind === "fgbg" || choice.kind === "set_fgbg";
    writeHeader(out, choice.kind, length, isMask, next);
    if (choice.colour !== undefined) {
      foreground = choice.colour;
      pixel(foreground);
    }
    if (choice.kind === "colour") pixel(here);
    if (choice.kind === "dithered") {
      pixel(here);
      pixel(pixels[at + 1] ?? 0);
    }
    if (choice.kind === "image") for (let i = at; i < at + length; i++) pixel(pixels[i] ?? 0);
    if (isMask) {
      for (let start = at; start < at + length; start += 8) {
        let mask = 0;
        for (let bit = 0; bit < 8 && start + bit < at + length; bit++) {
          if (pixels[start + bit] !== above(start + bit)) mask |= 1 << bit;
        }
        out.push(mask);
      }
    }
    at += choice.kind === "dithered" ? 2 * length : length;
    isAfterBackground = choice.kind === "bg";
  }
  return Uint8Array.from(out);
}

/** The header of an order in one of the forms that can hold its length. */
function writeHeader(
  out: number[],
  kind: string,
  length: number,
  isMask: boolean,
  next: (most: number) => number,
): void {
  const { regular, lite, mega } = CODES[kind] ?? { mega: 0 };
  const code = regular === undefined ? (lite ?? 0) << 4 : regular << 5;
  const shortMost = regular === undefined ? 15 : 31;
  const forms: (() => void)[] = [() => out.push(mega, length & 255, length >> 8)];
  if (isMask) {
    if (length % 8 === 0 && length / 8 <= shortMost) forms.push(() => out.push(code | (length / 8)));
    if (length <= 256) forms.push(() => out.push(code, length - 1));
  } else {
    if (length <= shortMost) forms.push(() => out.push(code | length));
    if (length > shortMost && length <= shortMost + 256)
      forms.push(() => out.push(code, length - shortMost - 1));
  }
  forms[next(forms.length - 1)]?.();
}

import * as z from "zod";
import { SECRET_NAME } from "../../desktop/input/placeholders.ts";

/** Longer than any password; one action keeps others from the input for all of it. */
export const MOST_CHARACTERS = 256;
/** A seed, or the URI around one. */
export const MOST_SEED = 1000;
const MOST_ENTRIES = 200;
/** A side of no desktop is longer: see MAX_SIDE of the framebuffer. */
const MOST_SIDE = 16_384;
/** Letters of base64: a PNG of as many pixels as may be searched for, of a page or window. */
const MOST_PICTURE = 64 * 1024;

const sides = { width: z.int().min(1).max(MOST_SIDE), height: z.int().min(1).max(MOST_SIDE) } as const;
const offset = z.int().min(-MOST_SIDE).max(MOST_SIDE);

export const secretNameSchema = z
  .string()
  .regex(SECRET_NAME, 'expected 1 to 64 letters, digits, ".", "_" or "-"');

const idList = z.array(z.string().min(1).max(200)).max(MOST_ENTRIES);

/** The rules of a secret in the words of the wire: of the store, the configuration, REST and the command. */
export const secretRuleFields = {
  desktops: idList.default([]).describe("Ids of the desktops on which it may be typed. Default: none."),
  agents: idList
    .default([])
    .describe(
      "Who may have it typed: names or ids of tokens, stdio for clients that start the server, * for every agent. Default: nobody.",
    ),
  seen: z
    .strictObject({
      text: z
        .string()
        .min(3)
        .max(200)
        .regex(/\S/, "expected a text that is not blank")
        .exactOptional()
        .describe(
          "Whole words within one line, small and large letters as they are. One that ends in / may be followed by the rest of an address.",
        ),
      picture: z
        .string()
        .min(1)
        .max(MOST_PICTURE)
        .exactOptional()
        .describe(
          "A PNG in base64, cut out of a screenshot of the desktop, at most 65,536 pixels: it must be seen pixel by pixel. With a text both must be.",
        ),
      region: z
        .strictObject({ x: z.int().min(0).max(MOST_SIDE), y: z.int().min(0).max(MOST_SIDE), ...sides })
        .exactOptional()
        .describe(
          "Where, in pixels of the desktop, such as the address bar, where no page writes. Default: anywhere.",
        ),
      field: z
        .strictObject({ x: offset, y: offset, ...sides })
        .exactOptional()
        .describe(
          "Where the field is, counted from the upper left corner of the picture, or of the text: the last click must have been within it, and no key but letters pressed since. Default: anywhere.",
        ),
    })
    .refine(
      ({ text, picture }) => text !== undefined || picture !== undefined,
      "expected a text, or a picture, or both",
    )
    .exactOptional()
    .describe("What must be seen on the screen when it is typed, against pages that only look alike."),
} as const;

/**
 * A password or the like. A control character would press a key that no approval shows. Its messages show nothing of it.
 */
export const secretValueSchema = z
  .string()
  .min(1)
  .max(MOST_CHARACTERS)
  .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, "expected one line without control characters");

/** Base32, or an otpauth:// URI: see readTotp. */
export const totpSeedSchema = z.string().min(1).max(MOST_SEED);

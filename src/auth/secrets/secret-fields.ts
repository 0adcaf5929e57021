import * as z from "zod";
import { SECRET_NAME } from "../../desktop/input/placeholders.ts";

/** Longer than any password; one action keeps others from the input for all of it. */
const MOST_CHARACTERS = 256;
/** A seed, or the URI around one. */
const MOST_SEED = 1000;
const MOST_ENTRIES = 200;
/** A side of no desktop is longer: see MAX_SIDE of the framebuffer. */
const MOST_SIDE = 16_384;

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
        .describe(
          "Whole words within one line, small and large letters as they are. One that ends in / may be followed by the rest of an address.",
        ),
      region: z
        .strictObject({
          x: z.int().min(0).max(MOST_SIDE),
          y: z.int().min(0).max(MOST_SIDE),
          width: z.int().min(1).max(MOST_SIDE),
          height: z.int().min(1).max(MOST_SIDE),
        })
        .exactOptional()
        .describe(
          "Where, in pixels of the desktop, such as the address bar, where no page writes. Default: anywhere.",
        ),
    })
    .exactOptional()
    .describe("What must be read on the screen when it is typed, against pages that only look alike."),
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

import { createHmac } from "node:crypto";
import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** RFC 4226 section 4 demands 128 bits; many services give 80. */
const LEAST_SEED_BYTES = 10;
const SCHEME = Buffer.from("otpauth:");
const SEED_NAME = Buffer.from("secret=");

const uriSchema = z.object({
  algorithm: z.enum(["SHA1", "SHA256", "SHA512"]).default("SHA1"),
  digits: z.enum(["6", "8"]).transform(Number).default(6),
  period: z.coerce.number().int().min(5).max(300).default(30),
});

/** How a service and we come to the same code. */
export interface Totp {
  readonly seed: Uint8Array;
  readonly algorithm: "SHA1" | "SHA256" | "SHA512";
  readonly digits: number;
  readonly periodS: number;
}

/**
 * A seed in base32 (SHA-1, 6 digits, 30 s), or an otpauth://totp/ URI, as services show it behind their QR code, which may
 * say otherwise. Of bytes, UTF-8, no copy is made but the seed. Throws RefusedError invalid_parameters, which shows
 * nothing of it.
 */
export function readTotp(text: string | Uint8Array): Totp {
  const said = typeof text === "string" ? Buffer.from(text) : text;
  const { letters, uri } = partsOf(said);
  const fields = uriSchema.safeParse(uri === null ? {} : uriFields(uri));
  const seed = fields.success ? bytesOf(letters) : null;
  if (!fields.success || seed === null || seed.length < LEAST_SEED_BYTES) {
    throw new RefusedError(
      "invalid_parameters",
      `got a text of ${said.length} characters as the seed of one-time codes, expected base32 of ${LEAST_SEED_BYTES} bytes or more, or otpauth://totp/NAME?secret=SEED with algorithm SHA1, SHA256 or SHA512, digits 6 or 8 and period 5 to 300`,
    );
  }
  const { algorithm, digits, period } = fields.data;
  return { seed, algorithm, digits, periodS: period };
}

/**
 * The code of a moment, in code points: HOTP (RFC 4226 section 5.3) of the number of periods since 1970 (RFC 6238
 * section 4).
 */
export function totpAt({ seed, algorithm, digits, periodS }: Totp, at: Date): Uint32Array {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 1000 / periodS)));
  const mac = createHmac(algorithm, seed).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  let rest = mac.readUInt32BE(offset) & 0x7fff_ffff;
  mac.fill(0);
  const code = new Uint32Array(digits);
  for (let nth = digits - 1; nth >= 0; nth--) {
    code[nth] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return code;
}

/** The letters of the seed, and the URI around them without them; null for a seed alone. */
function partsOf(text: Uint8Array): { readonly letters: Uint8Array; readonly uri: string | null } {
  const all = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (!hasScheme(all)) return { letters: text, uri: null };
  let letters = all.subarray(0, 0);
  let uri = "";
  const query = all.indexOf("?");
  for (let from = 0; from < all.length; ) {
    const end = from < query ? query : nextOf(all, from + 1);
    const isParameter = from >= query && (all[from] === 0x3f || all[from] === 0x26);
    const isSeed =
      isParameter &&
      !uri.includes("#") &&
      all.subarray(from + 1, from + 1 + SEED_NAME.length).equals(SEED_NAME);
    if (isSeed) letters = all.subarray(from + 1 + SEED_NAME.length, end);
    // A mark of a parameter that is left out: the next one begins with its own.
    uri += isSeed ? (from === query ? "?" : "") : all.subarray(from, end).toString("utf8");
    from = end;
  }
  return { letters, uri: uri.trim() };
}

/** Byte by byte: the beginning of a seed alone is not to become a string. */
function hasScheme(text: Uint8Array): boolean {
  const from = text.findIndex((byte) => byte > 0x20);
  // Letters differ by one bit from their capitals, and a colon has that bit.
  return from >= 0 && SCHEME.every((byte, nth) => ((text[from + nth] ?? 0) | 0x20) === byte);
}

/** Where the next parameter, or the fragment, begins. */
function nextOf(all: Buffer, from: number): number {
  for (let at = from; at < all.length; at++) if (all[at] === 0x26 || all[at] === 0x23) return at;
  return all.length;
}

/** null for what is no such URI. */
function uriFields(text: string): Record<string, string> | null {
  if (!URL.canParse(text)) return null;
  const { host, searchParams } = new URL(text);
  if (host.toLowerCase() !== "totp") return null;
  const { algorithm, ...fields } = Object.fromEntries(searchParams);
  return algorithm === undefined
    ? fields
    : { ...fields, algorithm: algorithm.toUpperCase().replace("-", "") };
}

/**
 * Base32, RFC 4648 section 6: small letters, spaces and hyphens between groups are taken too, and padding as URIs spell
 * it (%3D); null for other text.
 */
function bytesOf(letters: Uint8Array): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((letters.length * 5) / 8));
  let filled = 0;
  let count = 0;
  let bits = 0;
  let word = 0;
  let isPadded = false;
  for (let at = 0; at < letters.length; at++) {
    let letter = String.fromCharCode(letters[at] ?? 0);
    if (letter === "%") {
      letter = String.fromCharCode(
        Number.parseInt(String.fromCharCode(...letters.subarray(at + 1, at + 3)), 16),
      );
      at += 2;
    }
    if (/[\s+-]/.test(letter)) continue;
    isPadded ||= letter === "=";
    if (letter === "=") continue;
    const value = ALPHABET.indexOf(letter.toUpperCase());
    if (value < 0 || isPadded) {
      bytes.fill(0);
      return null;
    }
    count++;
    word = ((word << 5) | value) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[filled++] = (word >> bits) & 0xff;
  }
  // What is left over is padding, and of 1, 3 or 6 letters no whole byte is the end.
  return [1, 3, 6].includes(count % 8) ? null : bytes.subarray(0, filled);
}

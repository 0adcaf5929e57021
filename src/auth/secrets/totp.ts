import { createHmac } from "node:crypto";
import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** RFC 4226 section 4 demands 128 bits; many services give 80. */
const LEAST_SEED_BYTES = 10;

const uriSchema = z.object({
  secret: z.string(),
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
 * say otherwise. Throws RefusedError invalid_parameters, which shows nothing of it.
 */
export function readTotp(text: string): Totp {
  const said = text.trim();
  const fields = uriSchema.safeParse(/^otpauth:/i.test(said) ? uriFields(said) : { secret: said });
  const { secret, algorithm, digits, period } = fields.data ?? {};
  const seed = fields.success ? bytesOf(secret ?? "") : null;
  if (
    seed === null ||
    seed.length < LEAST_SEED_BYTES ||
    algorithm === undefined ||
    digits === undefined ||
    period === undefined
  ) {
    throw new RefusedError(
      "invalid_parameters",
      `got a text of ${text.length} characters as the seed of one-time codes, expected base32 of ${LEAST_SEED_BYTES} bytes or more, or otpauth://totp/NAME?secret=SEED with algorithm SHA1, SHA256 or SHA512, digits 6 or 8 and period 5 to 300`,
    );
  }
  return { seed, algorithm, digits, periodS: period };
}

/** The code of a moment: HOTP (RFC 4226 section 5.3) of the number of periods since 1970 (RFC 6238 section 4). */
export function totpAt({ seed, algorithm, digits, periodS }: Totp, at: Date): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 1000 / periodS)));
  const mac = createHmac(algorithm, seed).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const code = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(code).padStart(digits, "0");
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

/** Base32, RFC 4648 section 6: small letters, spaces and hyphens between groups are taken too; null for other text. */
function bytesOf(text: string): Uint8Array | null {
  const letters = text.replace(/[\s-]/g, "").replace(/=+$/, "").toUpperCase();
  const bytes: number[] = [];
  let bits = 0;
  let word = 0;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) return null;
    word = ((word << 5) | value) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((word >> bits) & 0xff);
  }
  // What is left over is padding, and of 1, 3 or 6 letters no whole byte is the end.
  return [1, 3, 6].includes(letters.length % 8) ? null : Uint8Array.from(bytes);
}

import type { Parser } from "../../byte-queue.ts";
import type { RgbaImage, RsaKey } from "../../platform.ts";
import type { SessionCipher } from "../security/session-cipher.ts";

/**
 * What only the platform can do. The parser stands still until it is done, so that messages and rectangles keep
 * their order: the link performs it and calls `resume` on the client, or ends the connection.
 */
export type RfbEffect =
  /** TLS over the stream as it is now; `isAnonymous`: the server shows no certificate. */
  | { readonly kind: "startTls"; readonly isAnonymous: boolean }
  /** Is this the server's key? It is as the wire has it. */
  | { readonly kind: "trustKey"; readonly key: Uint8Array }
  /** An RSA key pair of our own; `take` is called before `resume`. */
  | { readonly kind: "makeRsaKey"; readonly bits: number; take(key: RsaKey): void }
  /** From here on all bytes both ways are sealed. */
  | { readonly kind: "startCipher"; readonly cipher: SessionCipher }
  /** An image whose header said `width` x `height`; `finish` is called before `resume`, null for a damaged one. */
  | {
      readonly kind: "decodeImage";
      readonly format: "webp";
      readonly bytes: Uint8Array;
      readonly width: number;
      readonly height: number;
      finish(image: RgbaImage | null): void;
    };

/** Never there: no number of bytes lets a parser go on that waits for an effect, only `resume` does. */
const AFTER_RESUME = Number.POSITIVE_INFINITY;

/** The link was just told of an update and may have more to do with it before anything else is read. */
export function* whileHeld(c: { isHeld(): boolean }): Parser<void> {
  if (c.isHeld()) yield AFTER_RESUME;
}

/** Who hands effects to the link. */
interface EffectSource {
  emit(event: { readonly type: "effect"; readonly effect: RfbEffect }): void;
}

/** Hands an effect to the link and waits until it is done. */
export function* perform(c: EffectSource, effect: RfbEffect): Parser<void> {
  c.emit({ type: "effect", effect });
  yield AFTER_RESUME;
}

import { RfbError } from "../error.ts";
import { modPow, toBytes, toNumber } from "./big-number.ts";

/** A server's half of a Diffie-Hellman exchange. Prime and public key are as long as each other, big-endian. */
export interface DhOffer {
  readonly generator: bigint;
  readonly prime: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface DhAnswer {
  /** Both as long as the prime. */
  readonly publicKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** Longer exponents make no such exchange safer, and a server could make us raise to 8192 bits. */
const MOST_EXPONENT_BYTES = 64;

/** What both sides then know. Throws RfbError bad_data for a public key with which everyone would know it. */
export function sharedSecret(peerPublicKey: Uint8Array, exponent: bigint, prime: bigint): Uint8Array {
  const theirs = toNumber(peerPublicKey);
  if (theirs < 2n || theirs > prime - 2n) {
    throw new RfbError(
      "bad_data",
      "authentication",
      "got a Diffie-Hellman public key of 0, 1 or beyond the modulus",
    );
  }
  return toBytes(modPow(theirs, exponent, prime), peerPublicKey.length);
}

/** Our half. Throws RfbError bad_data for numbers with which the secret would be known to everyone. */
export function answerDiffieHellman(offer: DhOffer, randomBytes: (count: number) => Uint8Array): DhAnswer {
  const length = offer.prime.length;
  const prime = toNumber(offer.prime);
  if (prime < 5n || (prime & 1n) === 0n) {
    throw new RfbError("bad_data", "authentication", "got a Diffie-Hellman modulus that is no odd prime");
  }
  if (offer.generator < 2n || offer.generator >= prime) {
    throw new RfbError(
      "bad_data",
      "authentication",
      "got a Diffie-Hellman generator of 0, 1 or beyond the modulus",
    );
  }
  const random = randomBytes(Math.min(length, MOST_EXPONENT_BYTES));
  const exponent = (toNumber(random) % (prime - 3n)) + 2n;
  return {
    publicKey: toBytes(modPow(offer.generator, exponent, prime), length),
    secret: sharedSecret(offer.publicKey, exponent, prime),
  };
}

import { fromBase64url, toBase64url } from "./base64url.ts";
import { SUBPROTOCOL } from "./calls.ts";

/** What both ends of one handshake know. */
export interface Handshake {
  readonly keyId: string;
  readonly serverNonce: string;
  readonly extensionNonce: string;
  /** As the extension dialled it: whoever relays from another address makes proofs that do not hold. */
  readonly url: string;
}

/** extension, server: that one knows the key. key: the lasting key that is made of a one-time code. */
type Purpose = "extension" | "server" | "key";

/** HMAC-SHA256 of a handshake as base64url. No secret crosses the wire. Throws where `key` is no base64url. */
export async function proofOf(key: string, purpose: Purpose, handshake: Handshake): Promise<string> {
  const bytes = fromBase64url(key);
  if (bytes === null || bytes.length === 0) throw new Error("the key is no base64url");
  const { keyId, serverNonce, extensionNonce, url } = handshake;
  // None of them holds a line break: base64url, and an address.
  const told = [SUBPROTOCOL, purpose, keyId, serverNonce, extensionNonce, url].join("\n");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes, hmac, false, ["sign"]);
  return toBase64url(
    new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(told))),
  );
}

/** Compares in a time that tells nothing of where they differ. */
export function isSameProof(wanted: string, got: string): boolean {
  if (wanted.length !== got.length) return false;
  let difference = 0;
  for (let at = 0; at < wanted.length; at++) difference |= wanted.charCodeAt(at) ^ got.charCodeAt(at);
  return difference === 0;
}

/** 128 random bits as base64url. */
export function newNonce(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(16)));
}

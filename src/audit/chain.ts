import { createHash } from "node:crypto";
import type { AuditEvent } from "./audit-event.ts";
import type { ChainKey } from "./chain-key.ts";

/** Where a chain has come to: the number and the SHA-256 of its last line. */
export interface ChainState {
  readonly seq: number;
  /** base64url; empty before the first line. */
  readonly digest: string;
}
export const CHAIN_START: ChainState = { seq: 0, digest: "" };

/** What the end of a line says of the line itself and of the one before. */
export interface ChainLink extends ChainState {
  /** Digest of the line before. */
  readonly prev: string;
  /** SHA-256 of half a line before this one, which a process that was killed left. */
  readonly half: string | null;
  /** Whether it is a checkpoint. */
  readonly isSigned: boolean;
}

const LINK =
  /,"chain":\{"seq":(\d{1,15}),"prev":"([\w-]{43}|)"(?:,"half":"([\w-]{43})")?(?:,"signature":"([\w-]{86})")?,"mac":"([\w-]{43})"\}\}$/;

/**
 * The line of an event behind `after`: its `chain` has the sequence number, the SHA-256 of the line before, and an
 * HMAC over all of the line that stands before it. Checkpoints are signed besides, so that who has only the public
 * key can follow the chain back from one.
 */
export function chainLine(
  event: AuditEvent,
  after: ChainState,
  key: ChainKey,
  half: string | null = null,
): { readonly line: string; readonly state: ChainState } {
  const seq = after.seq + 1;
  const halfText = half === null ? "" : `,"half":"${half}"`;
  const open = `${JSON.stringify(event).slice(0, -1)},"chain":{"seq":${seq},"prev":"${after.digest}"${halfText}`;
  const signature = event.event_type === "audit.checkpoint" ? `,"signature":"${key.sign(open)}"` : "";
  const line = `${open}${signature},"mac":"${key.macOf(open + signature, "utf8")}"}}`;
  return { line, state: { seq, digest: digestOf(line, "utf8") } };
}

/** The link of a line without its end, its bytes as latin1; null where it has none or is not as it was written. */
export function readLink(line: string, key: ChainKey): ChainLink | null {
  const found = LINK.exec(line);
  if (found === null) return null;
  const [, seq = "", prev = "", half, signature, mac = ""] = found;
  const covered = line.slice(0, line.length - `,"mac":"${mac}"}}`.length);
  if (key.macOf(covered, "latin1") !== mac) return null;
  if (signature !== undefined) {
    const signed = covered.slice(0, covered.length - `,"signature":"${signature}"`.length);
    if (!key.isSigned(Buffer.from(signed, "latin1"), signature)) return null;
  }
  return {
    seq: Number(seq),
    prev,
    half: half ?? null,
    isSigned: signature !== undefined,
    digest: digestOf(line, "latin1"),
  };
}

/** SHA-256, base64url. */
export function digestOf(text: string, encoding: "utf8" | "latin1"): string {
  return createHash("sha256").update(text, encoding).digest("base64url");
}

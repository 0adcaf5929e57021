import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { ClientContext } from "../client/client-context.ts";
import { perform } from "../client/effect.ts";
import { RfbError } from "../error.ts";
import { choose, type SecurityName, VENCRYPT_TYPES } from "./policy.ts";

const ACCEPTED = 1;

/**
 * VeNCrypt, type 19, rfbproto: U8 major, U8 minor, both ways; U8 0; U8 count, U32 sub-types; our choice. Gives the
 * sub-type; where that is one of TLS or X.509, TLS has still to be started.
 */
export function* agreeOnVeNCrypt(c: ClientContext): Parser<SecurityName> {
  const { from } = c;
  while (!from.has(2)) yield 2;
  const major = from.u8();
  const minor = from.u8();
  if (major === 0 && minor < 2) {
    throw new RfbError("bad_version", "security", `got VeNCrypt ${major}.${minor}, expected 0.2 or newer`);
  }
  c.send(Uint8Array.of(0, 2));
  while (!from.has(1)) yield 1;
  const answer = from.u8();
  if (answer !== 0) {
    throw new RfbError("refused", "security", `the server answered VeNCrypt 0.2 with ${answer}, expected 0`);
  }
  while (!from.has(1)) yield 1;
  const count = from.u8();
  if (count === 0) throw new RfbError("refused", "security", "the server offers no sub-type of VeNCrypt");
  while (!from.has(4 * count)) yield 4 * count;
  const offered = Array.from({ length: count }, () => from.u32());
  const { number, leadsTo } = choose(c.options, offered, VENCRYPT_TYPES);
  c.send(new ByteWriter(4).u32(number).bytes());
  const [name] = leadsTo;
  if (name === undefined) throw new Error("a sub-type without a name");
  return name;
}

/** U8 1, then TLS. */
export function* startVeNCryptTls(c: ClientContext, isAnonymous: boolean): Parser<void> {
  while (!c.from.has(1)) yield 1;
  const answer = c.from.u8();
  if (answer !== ACCEPTED) {
    throw new RfbError(
      "refused",
      "security",
      `the server could not start TLS: it answered ${answer}, expected 1`,
    );
  }
  yield* startTls(c, isAnonymous);
}

/** Bytes that came before TLS would be taken for protected ones, so there must be none. */
export function* startTls(c: ClientContext, isAnonymous: boolean): Parser<void> {
  if (c.from.size > 0) {
    throw new RfbError("bad_data", "security", `got ${c.from.size} bytes before TLS, expected none`);
  }
  yield* perform(c, { kind: "startTls", isAnonymous });
}

import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError } from "../error.ts";
import { VENCRYPT } from "../numbers.ts";
import type { InnerSecurity, PlainSecurity, ServerContext, VeNCryptSubtype } from "./server-context.ts";
import { readVncAuth } from "./vnc-auth-check.ts";

const MAJOR = 0;
const MINOR = 2;
/** TigerVNC takes no longer names and passwords either (2026). */
const MAX_CREDENTIAL_BYTES = 1024;

/** Sub-types, rfbproto "VeNCrypt". Plain without TLS (256) is never offered: it would show passwords to the network. */
const SUBTYPE = {
  anonymous: { none: VENCRYPT.tlsNone, vncAuth: VENCRYPT.tlsVnc, plain: VENCRYPT.tlsPlain },
  x509: { none: VENCRYPT.x509None, vncAuth: VENCRYPT.x509Vnc, plain: VENCRYPT.x509Plain },
} as const;

/**
 * VeNCrypt 0.2, rfbproto:
 *
 *     server: U8 0, U8 2                      viewer: U8 major, U8 minor
 *     server: U8 0 (understood)
 *     server: U8 count, U32 sub-types         viewer: U32 sub-type
 *     server: U8 1 (TLS begins), then TLS, then what the sub-type proves
 */
export function* readVeNCrypt(d: ServerContext, subtypes: readonly VeNCryptSubtype[]): Parser<boolean> {
  d.send(Uint8Array.of(MAJOR, MINOR));
  while (!d.from.has(2)) yield 2;
  const major = d.from.u8();
  const minor = d.from.u8();
  if (major !== MAJOR || minor !== MINOR) {
    d.send(Uint8Array.of(0xff));
    const got = `got VeNCrypt version ${major}.${minor}, expected ${MAJOR}.${MINOR}`;
    throw new RfbError("no_common_auth", "security", got);
  }
  const list = new ByteWriter().u8(0).u8(subtypes.length);
  for (const subtype of subtypes) list.u32(numberOf(subtype));
  d.send(list.bytes());
  while (!d.from.has(4)) yield 4;
  const number = d.from.u32();
  const chosen = subtypes.find((subtype) => numberOf(subtype) === number);
  if (chosen === undefined) {
    d.send(Uint8Array.of(0));
    const offered = subtypes.map(numberOf).join(" or ");
    throw new RfbError("no_common_auth", "security", `got VeNCrypt sub-type ${number}, expected ${offered}`);
  }
  // INVARIANT: nothing said in the clear is ever taken for something said inside TLS.
  if (d.from.size > 0) {
    throw new RfbError("bad_data", "security", `got ${d.from.size} bytes before TLS began, expected none`);
  }
  d.send(Uint8Array.of(1));
  d.emit({ type: "startTls", identity: chosen.identity });
  return yield* readInner(d, chosen.inner);
}

function numberOf({ identity, inner }: VeNCryptSubtype): number {
  return SUBTYPE[identity][inner.type];
}

function* readInner(d: ServerContext, inner: InnerSecurity): Parser<boolean> {
  switch (inner.type) {
    case "none":
      return true;
    case "vncAuth":
      return yield* readVncAuth(d, inner);
    case "plain":
      return yield* readPlain(d, inner);
  }
}

/** Plain, rfbproto: U32 user length, U32 password length, user, password, both UTF-8. */
function* readPlain(d: ServerContext, { verify }: PlainSecurity): Parser<boolean> {
  while (!d.from.has(8)) yield 8;
  const userBytes = d.from.u32();
  const passwordBytes = d.from.u32();
  const longest = Math.max(userBytes, passwordBytes);
  if (longest > MAX_CREDENTIAL_BYTES) {
    const most = `expected at most ${MAX_CREDENTIAL_BYTES}`;
    throw new RfbError("too_large", "authentication", `got a user or password of ${longest} bytes, ${most}`);
  }
  while (!d.from.has(userBytes + passwordBytes)) yield userBytes + passwordBytes;
  const text = new TextDecoder();
  const user = text.decode(d.from.take(userBytes));
  return verify(user, text.decode(d.from.take(passwordBytes)));
}

import { RGBX } from "../../../framebuffer/pixel-format.ts";
import type { Size } from "../../../framebuffer/rect.ts";
import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError, safeText } from "../error.ts";
import { decodeLatin1 } from "../latin1.ts";
import { LIMIT, SECURITY } from "../numbers.ts";
import { putPixelFormat } from "../pixel-format.ts";
import { readArd } from "./ard.ts";
import { readMsLogon } from "./ms-logon.ts";
import { readRa2ne } from "./ra2ne.ts";
import type { ServerContext, ServerSecurity } from "./server-context.ts";
import { readVeNCrypt } from "./vencrypt.ts";
import { readVncAuth } from "./vnc-auth-check.ts";

const VERSION_BYTES = 12;
const BANNER = "RFB 003.008\n";
const RESULT_OK = 0;
const RESULT_FAILED = 1;

/** Minor versions that differ: 3 dictates the security type, 7 lets the viewer choose, 8 gives reasons. */
type Minor = 3 | 7 | 8;

/** RFC 6143 section 7.1 and 7.3 up to ClientInit. */
export function* readHandshake(d: ServerContext): Parser<void> {
  d.send(new ByteWriter(VERSION_BYTES).ascii(BANNER).bytes());
  const minor = yield* readVersion(d);
  const security = minor === 3 ? dictateSecurity(d) : yield* readSecurityChoice(d, minor);
  const isAccepted = yield* readProof(d, security);
  if (!isAccepted) {
    if (minor === 8) sendFailure(d, failureOf(security));
    else sendResult(d, RESULT_FAILED);
    throw new RfbError("auth_failed", "authentication", "got a wrong password");
  }
  // 3.3 and 3.7 have no result where there was nothing to prove.
  if (security.type !== "none" || minor === 8) sendResult(d, RESULT_OK);
  // ClientInit: U8 shared. Nobody is sent away for who wants a desktop alone.
  while (!d.from.has(1)) yield 1;
  d.from.skip(1);
}

function* readProof(d: ServerContext, security: ServerSecurity): Parser<boolean> {
  switch (security.type) {
    case "none":
      return true;
    case "vncAuth":
      return yield* readVncAuth(d, security);
    case "veNCrypt":
      return yield* readVeNCrypt(d, security.subtypes);
    case "ra2ne":
      return yield* readRa2ne(d, security);
    case "ard":
      return yield* readArd(d, security);
    case "msLogon":
      return yield* readMsLogon(d, security);
  }
}

/**
 * ProtocolVersion, section 7.1.1: "RFB xxx.yyy\n". Apple says 3.889, Intel AMT 4.0, RealVNC 4.1 and 5.0; all of
 * them speak 3.8. Every 3.x that is neither 3.7 nor above is 3.3, as the RFC has it.
 */
function* readVersion(d: ServerContext): Parser<Minor> {
  while (!d.from.has(VERSION_BYTES)) yield VERSION_BYTES;
  const text = decodeLatin1(d.from.take(VERSION_BYTES));
  const match = /^RFB (\d{3})\.(\d{3})\n$/.exec(text);
  const major = Number(match?.[1] ?? 0);
  const minor = Number(match?.[2] ?? 0);
  if (major < 3) {
    throw new RfbError("bad_version", "version", `got version "${safeText(text)}", expected RFB 003.008`);
  }
  if (major > 3 || minor >= 8) return 8;
  return minor === 7 ? 7 : 3;
}

const NUMBER = {
  none: SECURITY.none,
  vncAuth: SECURITY.vncAuth,
  ra2ne: SECURITY.ra2ne,
  veNCrypt: SECURITY.veNCrypt,
  ard: SECURITY.apple,
  msLogon: SECURITY.msLogonII,
} as const satisfies Record<ServerSecurity["type"], number>;

/** 3.3, section 7.1.2: U32 security type, decided by the server; such viewers know no other than these two. */
function dictateSecurity(d: ServerContext): ServerSecurity {
  const known = d.options.security.find(({ type }) => type === "none" || type === "vncAuth");
  if (known === undefined) {
    const reason = d.options.security.length === 0 ? refusal(d) : "this viewer is too old to sign in here";
    d.send(withReason(new ByteWriter().u32(SECURITY.invalid), reason));
    throw refused(reason);
  }
  d.send(new ByteWriter(4).u32(NUMBER[known.type]).bytes());
  return known;
}

/** 3.7 and 3.8, section 7.1.2: U8 count, U8 types; the viewer answers with one of them. */
function* readSecurityChoice(d: ServerContext, minor: Minor): Parser<ServerSecurity> {
  const offered = d.options.security;
  const list = new ByteWriter().u8(offered.length);
  for (const security of offered) list.u8(NUMBER[security.type]);
  if (offered.length === 0) {
    d.send(withReason(list, refusal(d)));
    throw refused(refusal(d));
  }
  d.send(list.bytes());
  while (!d.from.has(1)) yield 1;
  const number = d.from.u8();
  const chosen = offered.find((security) => NUMBER[security.type] === number);
  if (chosen !== undefined) return chosen;
  // 3.7 has no reasons.
  if (minor === 8) sendFailure(d, "this security type was not offered");
  else sendResult(d, RESULT_FAILED);
  const numbers = offered.map((security) => NUMBER[security.type]).join(" or ");
  throw new RfbError("no_common_auth", "security", `got security type ${number}, expected ${numbers}`);
}

function sendResult(d: ServerContext, result: number): void {
  d.send(new ByteWriter(4).u32(result).bytes());
}

function sendFailure(d: ServerContext, reason: string): void {
  d.send(withReason(new ByteWriter().u32(RESULT_FAILED), reason));
}

/** U32 length, reason. */
function withReason(to: ByteWriter, reason: string): Uint8Array {
  return to.u32(reason.length).ascii(reason).bytes();
}

/** For who sits at the viewer. */
function failureOf({ type }: ServerSecurity): string {
  if (type === "vncAuth") return "wrong password";
  const isShort = type === "ard" || type === "msLogon";
  return `wrong user or password${isShort ? ": a viewer may cut it after 63 characters, then give a token without its ocp_ID_" : ""}`;
}

function refusal(d: ServerContext): string {
  return d.options.refusal ?? "this server takes no viewers";
}

function refused(reason: string): RfbError {
  return new RfbError("refused", "security", `viewer refused: ${reason}`);
}

/**
 * ServerInit, section 7.3.2: U16 width, U16 height, 16 bytes pixel format, U32 name length, name. The pixel format is
 * our own, RGBX.
 */
export function serverInit(size: Size, name: string): Uint8Array {
  const to = new ByteWriter(128).u16(size.width).u16(size.height);
  putPixelFormat(to, RGBX);
  const bytes = encodeName(name);
  return to.u32(bytes.length).put(bytes).bytes();
}

/** UTF-8, at most LIMIT.nameBytes. */
export function encodeName(name: string): Uint8Array {
  // A character takes at most 3 bytes a UTF-16 unit, so the cut never goes through one.
  return new TextEncoder().encode(name.slice(0, Math.floor(LIMIT.nameBytes / 3)));
}

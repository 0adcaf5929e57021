import { ACCEPTABLE_SIZES, isAcceptableSize } from "../../../framebuffer/framebuffer.ts";
import { rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { RfbError, type RfbPhase, safeText } from "../error.ts";
import { decodeLatin1, decodeName } from "../latin1.ts";
import { LIMIT, SECURITY } from "../numbers.ts";
import { takePixelFormat } from "../pixel-format.ts";
import { signInByApple } from "../security/apple.ts";
import { signInByMsLogon } from "../security/ms-logon.ts";
import { sendPlain } from "../security/plain.ts";
import { choose, INSIDE_TLS_TYPES, type Offer, type SecurityName, TYPES } from "../security/policy.ts";
import { RSA_AES, signInByRsaAes } from "../security/rsa-aes.ts";
import { agreeOnTight, skipInteractionCapabilities } from "../security/tight.ts";
import { agreeOnVeNCrypt, startTls, startVeNCryptTls } from "../security/vencrypt.ts";
import { CHALLENGE_BYTES, vncAuthResponse } from "../security/vnc-auth.ts";
import type { ClientContext } from "./client-context.ts";

type Version = "3.3" | "3.7" | "3.8";

const BANNER_BYTES = 12;

/** UltraVNC's repeater greets with this, and takes a name in a field of so many bytes, padded with zeros. */
const REPEATER_VERSION = "000.000";
const REPEATER_FIELD_BYTES = 250;

/** Minor versions of UltraVNC's Single Click, which speaks 3.4 and 3.6 by these names; libvncclient 0.9.14 takes off 10. */
const SINGLE_CLICK: readonly number[] = [14, 16];

/** The whole handshake, RFC 6143 sections 7.1 to 7.3; returns the desktop's name. */
export function* handshake(c: ClientContext): Parser<string> {
  const version = yield* agreeOnVersion(c);
  c.emit({ type: "handshake", step: "version", detail: `RFB ${version}` });
  const { type, way } = yield* agreeOnSecurity(c, version);
  c.emit({ type: "handshake", step: "security", detail: way });
  yield* signIn(c, way);
  if (hasSecurityResult(version, type, way)) yield* readSecurityResult(c, version);
  c.emit({ type: "handshake", step: "authentication", detail: "accepted" });
  c.description = `RFB ${version}, ${way}`;
  c.send(new ByteWriter(1).u8(1 /* shared */).bytes());
  const name = yield* readServerInit(c, way);
  if (type === SECURITY.tight) yield* skipInteractionCapabilities(c.from);
  return name;
}

/** `isAsked`: a repeater was told whom we want, and passes on what that one says. */
function* agreeOnVersion(c: ClientContext, isAsked = false): Parser<Version> {
  const expected = 'expected "RFB xxx.yyy"';
  // A server of another protocol is told apart by its first bytes: it may never send twelve.
  for (let count = 1; count <= BANNER_BYTES; count++) {
    while (!c.from.has(count)) yield count;
    const start = decodeLatin1(c.from.peek(count));
    if (!/^(R|RF|RFB|RFB \d{0,3}|RFB \d{3}\.\d{0,3}|RFB \d{3}\.\d{3}\n)$/.test(start)) {
      throw new RfbError("bad_version", "version", `got "${safeText(start)}", ${expected}: not a VNC server`);
    }
  }
  const number = decodeLatin1(c.from.take(BANNER_BYTES)).slice(4, 11);
  const repeater = isAsked ? null : (c.options.repeater ?? null);
  if (number === REPEATER_VERSION && repeater !== null) {
    c.send(repeaterRequest(repeater));
    c.emit({ type: "handshake", step: "repeater", detail: "the repeater answers" });
    return yield* agreeOnVersion(c, true);
  }
  const version = versionOf(Number(number.slice(0, 3)), Number(number.slice(4)));
  if (version === null) {
    throw new RfbError("bad_version", "version", `got RFB ${number}, expected 3.3, 3.7 or 3.8`);
  }
  c.send(new ByteWriter(BANNER_BYTES).ascii(`RFB 003.00${version.at(-1)}\n`).bytes());
  return version;
}

/**
 * What to speak with a server of some version, RFC 6143 section 7.1.1: others than 3.7 and 3.8 are 3.3, such as 3.5,
 * and UltraVNC's 3.4 and 3.6. Above 3.8 all that are known speak 3.8: Apple says 3.889, AMT 4.0, RealVNC 4.1 and 5.0.
 * null where it is none: 0.0 is a repeater's, and before 3 the messages were others.
 */
function versionOf(major: number, minor: number): Version | null {
  if (major < 3) return null;
  if (major > 3) return "3.8";
  if (minor < 7 || SINGLE_CLICK.includes(minor)) return "3.3";
  return minor === 7 ? "3.7" : "3.8";
}

function repeaterRequest(name: string): Uint8Array {
  const text = new TextEncoder().encode(name).subarray(0, REPEATER_FIELD_BYTES);
  return new ByteWriter(REPEATER_FIELD_BYTES)
    .put(text)
    .pad(REPEATER_FIELD_BYTES - text.length)
    .bytes();
}

/** The security type, RFC 6143 section 7.1.2, and within a container the way that was agreed upon there. */
function* agreeOnSecurity(
  c: ClientContext,
  version: Version,
): Parser<{ readonly type: number; readonly way: SecurityName }> {
  const { number: type, leadsTo, label } = yield* chooseType(c, version);
  switch (type) {
    case SECURITY.veNCrypt: {
      const way = yield* agreeOnVeNCrypt(c);
      if (/^(TLS|X509)/.test(way)) yield* startVeNCryptTls(c, way.startsWith("TLS"));
      return { type, way };
    }
    case SECURITY.tls: {
      // Vino's: anonymous TLS, then the list of types once more inside it.
      yield* startTls(c, true);
      const inside = yield* chooseFromList(c, INSIDE_TLS_TYPES);
      return { type, way: onlyWay(inside.leadsTo, inside.label) };
    }
    case SECURITY.tight:
      return { type, way: yield* agreeOnTight(c) };
    default:
      return { type, way: onlyWay(leadsTo, label) };
  }
}

function* chooseType(c: ClientContext, version: Version): Parser<Offer> {
  if (version !== "3.3") return yield* chooseFromList(c, TYPES);
  while (!c.from.has(4)) yield 4;
  const type = c.from.u32();
  if (type === SECURITY.invalid) throw yield* refusal(c.from, "security");
  return choose(c.options, [type], TYPES);
}

/** U8 count, types; answered by one of them. */
function* chooseFromList(c: ClientContext, known: readonly Offer[]): Parser<Offer> {
  while (!c.from.has(1)) yield 1;
  const count = c.from.u8();
  if (count === 0) throw yield* refusal(c.from, "security");
  while (!c.from.has(count)) yield count;
  const offer = choose(c.options, [...c.from.take(count)], known);
  c.send(new ByteWriter(1).u8(offer.number).bytes());
  return offer;
}

function onlyWay([way]: readonly SecurityName[], label: string): SecurityName {
  if (way === undefined) throw new Error(`the security type ${label} leads nowhere`);
  return way;
}

/** What a way asks for, within whatever protects it by now. */
function* signIn(c: ClientContext, way: SecurityName): Parser<void> {
  switch (way) {
    case "None":
    case "TLSNone":
    case "X509None":
      return;
    case "VncAuth":
    case "TLSVnc":
    case "X509Vnc":
      return yield* answerChallenge(c);
    case "Plain":
    case "TLSPlain":
    case "X509Plain":
    case "UnixLogon":
      return yield* sendPlain(c);
    case "Apple":
      return yield* signInByApple(c);
    case "MSLogonII":
      return yield* signInByMsLogon(c);
    case "RA2":
    case "RA2ne":
    case "RA256":
    case "RAne256":
      return yield* signInByRsaAes(c, RSA_AES[way]);
  }
}

/** Before 3.8 None has no result, RFC 6143 section 7.2.1; VeNCrypt has one whatever lies inside (TigerVNC 1.12). */
function hasSecurityResult(version: Version, type: number, way: SecurityName): boolean {
  const isBareNone = way === "None" && (type === SECURITY.none || type === SECURITY.tight);
  return version === "3.8" || !isBareNone;
}

function* answerChallenge(c: ClientContext): Parser<void> {
  while (!c.from.has(CHALLENGE_BYTES)) yield CHALLENGE_BYTES;
  const challenge = c.from.take(CHALLENGE_BYTES);
  c.send(vncAuthResponse(c.ports.crypto, c.options.password ?? "", challenge));
}

/** SecurityResult, RFC 6143 section 7.1.3. Only 3.8 gives a reason. */
function* readSecurityResult(c: ClientContext, version: Version): Parser<void> {
  while (!c.from.has(4)) yield 4;
  const result = c.from.u32();
  if (result === 0) return;
  if (version !== "3.8") {
    throw new RfbError("auth_failed", "authentication", "the server refused the password");
  }
  const reason = yield* readReason(c.from, "authentication");
  throw new RfbError("auth_failed", "authentication", `the server refused the sign-in: ${reason}`);
}

function* refusal(from: ByteQueue, phase: RfbPhase): Parser<RfbError> {
  const reason = yield* readReason(from, phase);
  return new RfbError("refused", phase, `the server refused the connection: ${reason}`);
}

/** A reason: U32 length, text. What goes beyond the limit is not waited for. */
function* readReason(from: ByteQueue, phase: RfbPhase): Parser<string> {
  while (!from.has(4)) yield 4;
  const length = from.u32();
  if (length > LIMIT.reasonBytes) {
    throw new RfbError(
      "refused",
      phase,
      `the server refused with a reason of ${length} bytes, at most 65536 are read`,
    );
  }
  while (!from.has(length)) yield length;
  return safeText(decodeName(from.take(length)));
}

/**
 * neatvnc 0.5 (wayvnc 0.5, Debian 12) refuses a user name or password by a list of no security types, where a result
 * belongs: U8 0, U32 28, and 28 bytes of its stack for "Invalid username or password" (2026-11-21). The first four
 * bytes are a success, and the fifth begins a ServerInit that is none.
 */
const NEATVNC_REASON_BYTES = 28;

/** An impossible desktop: what the server did wrong, or what neatvnc means by it. */
function badInit(way: SecurityName, width: number, code: "bad_size" | "too_large", got: string): RfbError {
  if (way !== "X509Plain" || width >> 8 !== NEATVNC_REASON_BYTES) return new RfbError(code, "init", got);
  return new RfbError(
    "auth_failed",
    "authentication",
    `the server said yes to the sign-in and then ${got}: wayvnc 0.5 does so for a wrong user name or password`,
  );
}

/** ServerInit, RFC 6143 section 7.3.2: U16 width, U16 height, 16 bytes PIXEL_FORMAT, U32 length, name. */
function* readServerInit(c: ClientContext, way: SecurityName): Parser<string> {
  while (!c.from.has(24)) yield 24;
  const width = c.from.u16();
  const height = c.from.u16();
  c.serverFormat = takePixelFormat(c.from);
  const nameLength = c.from.u32();
  if (!isAcceptableSize({ width, height })) {
    const got = `got a desktop of ${width}x${height} pixels, expected ${ACCEPTABLE_SIZES}`;
    throw badInit(way, width, "bad_size", got);
  }
  if (nameLength > LIMIT.nameBytes) {
    const got = `got a name of ${nameLength} bytes, expected at most ${LIMIT.nameBytes}`;
    throw badInit(way, width, "too_large", got);
  }
  while (!c.from.has(nameLength)) yield nameLength;
  const name = safeText(decodeName(c.from.take(nameLength)));
  c.framebuffer.resize(width, height);
  c.screens = [{ id: 0, rect: rect(0, 0, width, height), flags: 0 }];
  return name;
}

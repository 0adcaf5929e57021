import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** Flags of MS-NLMP 2.2.2.5. */
const NTLM_FLAG = {
  unicode: 0x0000_0001,
  requestTarget: 0x0000_0004,
  sign: 0x0000_0010,
  seal: 0x0000_0020,
  ntlm: 0x0000_0200,
  alwaysSign: 0x0000_8000,
  extendedSessionSecurity: 0x0008_0000,
  targetInfo: 0x0080_0000,
  version: 0x0200_0000,
  bits128: 0x2000_0000,
  keyExchange: 0x4000_0000,
  bits56: 0x8000_0000,
} as const;

/** Without these a message is not sealed with a key of 128 bits that both sides share: whoever strips them listens. */
const NEEDED = {
  UNICODE: NTLM_FLAG.unicode,
  SIGN: NTLM_FLAG.sign,
  SEAL: NTLM_FLAG.seal,
  EXTENDED_SESSIONSECURITY: NTLM_FLAG.extendedSessionSecurity,
  TARGET_INFO: NTLM_FLAG.targetInfo,
  "128": NTLM_FLAG.bits128,
  KEY_EXCH: NTLM_FLAG.keyExchange,
} as const;

const OFFERED =
  NTLM_FLAG.unicode |
  NTLM_FLAG.requestTarget |
  NTLM_FLAG.sign |
  NTLM_FLAG.seal |
  NTLM_FLAG.ntlm |
  NTLM_FLAG.alwaysSign |
  NTLM_FLAG.extendedSessionSecurity |
  NTLM_FLAG.version |
  NTLM_FLAG.bits128 |
  NTLM_FLAG.keyExchange |
  NTLM_FLAG.bits56;

const SIGNATURE = "NTLMSSP\0";
const MESSAGE = { negotiate: 1, challenge: 2, authenticate: 3 } as const;
/** Windows 6.1, build 7601, revision 15 of NTLM: what MS-NLMP 2.2.2.10 shows; nobody decides by it. */
const VERSION = Uint8Array.of(6, 1, 0xb1, 0x1d, 0, 0, 0, 15);
const FIELD_BYTES = 8;
const MIC_AT = 72;
const MIC_BYTES = 16;
const AUTHENTICATE_HEADER_BYTES = MIC_AT + MIC_BYTES;

/**
 * NEGOTIATE_MESSAGE, MS-NLMP 2.2.1.1: signature 8, U32 type, U32 flags, domain and workstation fields of 8 (none),
 * version 8.
 */
export function writeNegotiate(): Uint8Array {
  return new LittleEndianWriter(40)
    .ascii(SIGNATURE)
    .u32(MESSAGE.negotiate)
    .u32(OFFERED)
    .pad(2 * FIELD_BYTES)
    .put(VERSION)
    .bytes();
}

export interface Challenge {
  readonly flags: number;
  /** 8 bytes. */
  readonly serverChallenge: Uint8Array;
  readonly targetInfo: Uint8Array;
}

/**
 * CHALLENGE_MESSAGE, MS-NLMP 2.2.1.2: signature 8, U32 type, target name field 8, U32 flags, server challenge 8,
 * reserved 8, target info field 8 (U16 length, U16 most, U32 offset), version 8, payload. Throws RdpError where it is
 * none, or where it takes back what sealing needs.
 */
export function readChallenge(message: Uint8Array): Challenge {
  const from = new LittleEndianReader(message, "credssp");
  const isNtlm = [...from.take(SIGNATURE.length)].every((byte, i) => byte === SIGNATURE.charCodeAt(i));
  if (!isNtlm)
    throw new RdpError("bad_data", "credssp", "got a token that is not NTLM's, expected its challenge");
  const type = from.u32();
  if (type !== MESSAGE.challenge) {
    throw new RdpError("bad_data", "credssp", `got NTLM message ${type}, expected 2, the challenge`);
  }
  from.skip(FIELD_BYTES);
  const flags = from.u32();
  const missing = Object.entries(NEEDED).filter(([, flag]) => (flags & flag) === 0);
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ");
    throw new RdpError(
      "no_common_security",
      "credssp",
      `got NTLM without ${names}, expected sealing with 128 bits`,
    );
  }
  const serverChallenge = from.take(8);
  from.skip(8);
  const length = from.u16();
  from.skip(2);
  const offset = from.u32();
  if (offset + length > message.length) {
    throw new RdpError(
      "bad_data",
      "credssp",
      `got target info of ${length} bytes at ${offset}, expected it within ${message.length}`,
    );
  }
  return { flags, serverChallenge, targetInfo: message.subarray(offset, offset + length) };
}

export interface Authentication {
  /** Of the challenge. */
  readonly challengeFlags: number;
  readonly lmResponse: Uint8Array;
  readonly ntResponse: Uint8Array;
  /** UTF-16. */
  readonly domain: Uint8Array;
  readonly user: Uint8Array;
  readonly workstation: Uint8Array;
  readonly encryptedSessionKey: Uint8Array;
}

/**
 * AUTHENTICATE_MESSAGE, MS-NLMP 2.2.1.3: signature 8, U32 type, six fields of 8 (LM and NT response, domain, user,
 * workstation, session key), U32 flags, version 8, MIC 16 (zero until `setMic`), payload.
 */
export function writeAuthenticate(authentication: Authentication): Uint8Array {
  const { challengeFlags, lmResponse, ntResponse, domain, user, workstation, encryptedSessionKey } =
    authentication;
  const fields = [lmResponse, ntResponse, domain, user, workstation, encryptedSessionKey];
  const to = new LittleEndianWriter(1024).ascii(SIGNATURE).u32(MESSAGE.authenticate);
  let offset = AUTHENTICATE_HEADER_BYTES;
  for (const { length } of fields) {
    to.u16(length).u16(length).u32(offset);
    offset += length;
  }
  to.u32(challengeFlags & (OFFERED | NTLM_FLAG.targetInfo))
    .put(VERSION)
    .pad(MIC_BYTES);
  for (const bytes of fields) to.put(bytes);
  return to.bytes();
}

/** Puts the message integrity code into an AUTHENTICATE_MESSAGE. */
export function setMic(authenticate: Uint8Array, mic: Uint8Array): void {
  authenticate.set(mic, MIC_AT);
}

import type { Parser } from "../../byte-queue.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { readSlow } from "../graphics/frames.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { PROTOCOL, SECURITY_FLAG } from "../numbers.ts";
import { readChannelData, sendData } from "./mcs.ts";

/** Flags of Client Info, MS-RDPBCGR 2.2.1.11.1.1. xrdp 0.9.21 refuses whoever lacks 0x33 (2026-11-21). */
const INFO = {
  mouse: 0x1,
  noControlAltDelete: 0x2,
  autoLogon: 0x8,
  unicode: 0x10,
  maximiseShell: 0x20,
  logonNotify: 0x40,
  windowsKey: 0x100,
  noAudio: 0x8_0000,
  logonErrors: 0x1_0000,
} as const;

/** No wallpaper, full-window drag or menu animations, and smooth fonts: MS-RDPBCGR 2.2.1.11.1.1.1. */
const PERFORMANCE = 0x1 | 0x2 | 0x4 | 0x80;
const IPV4 = 2;
const TIME_ZONE_BYTES = 172;

/** Licensing messages, MS-RDPBCGR 2.2.1.12 and MS-RDPELE 2.2.2. */
const LICENCE = {
  request: 0x01,
  platformChallenge: 0x02,
  newLicence: 0x03,
  upgradeLicence: 0x04,
  newLicenceRequest: 0x13,
  errorAlert: 0xff,
} as const;

const VALID_CLIENT = 7;
/** Version 3 of the preamble, extended errors. */
const PREAMBLE = 0x83;
const KEY_EXCHANGE_RSA = 1;
const PLATFORM = 0x0401_0000;
const BLOB = { random: 2, userName: 15, machineName: 16 } as const;
const RANDOM_BYTES = 32;
const PREMASTER_BYTES = 64;
const PADDING_BYTES = 8;
/** Licensing is a handful of messages. */
const MAX_MESSAGES = 16;

/** Client Info and Licensing, MS-RDPBCGR 1.3.1.1. Sent inside TLS, to a host whose certificate was judged. */
export function* signIn(c: ClientContext): Parser<void> {
  c.phase = "licensing";
  sendClientInfo(c);
  for (let i = 0; i < MAX_MESSAGES; i++) {
    const { channelId, data } = readChannelData(yield* readSlow(c), c);
    if (channelId !== c.ioChannel) {
      c.onChannel(channelId, data);
      continue;
    }
    const from = new LittleEndianReader(data, c.phase);
    const flags = from.u16();
    from.skip(2);
    if (flags & SECURITY_FLAG.redirection) throw redirected(c);
    if ((flags & SECURITY_FLAG.licence) === 0) {
      throw new RdpError("bad_data", c.phase, `got security flags ${flags}, expected a licensing message`);
    }
    if (readLicensing(from, c)) {
      c.emit({ type: "handshake", step: "authentication", detail: accepted(c) });
      return;
    }
  }
  throw new RdpError("bad_data", c.phase, `got ${MAX_MESSAGES} licensing messages, expected them to end`);
}

function accepted({ selectedProtocol }: ClientContext): string {
  if (selectedProtocol !== PROTOCOL.ssl) return "the host let us in";
  return "the host took user name and password inside TLS; whether they are right shows in its picture";
}

function tooFewColours(c: ClientContext): RdpError {
  return new RdpError(
    "unsupported",
    c.phase,
    "xrdp cannot be followed at 8 bits a pixel: ask for a depth of 15 or more, best of 32",
  );
}

/** The host wants us to sign in elsewhere: it would choose whom our password goes to. */
export function redirected(c: ClientContext): RdpError {
  return new RdpError(
    "redirected",
    c.phase,
    "the host redirects to another host, which is not followed: connect to that one itself",
  );
}

/** Client Info, MS-RDPBCGR 2.2.1.11: the basic security header, TS_INFO_PACKET, TS_EXTENDED_INFO_PACKET. */
function sendClientInfo(c: ClientContext): void {
  const { username, password, domain = "", hasSound = false } = c.options;
  const all = Object.values(INFO).reduce((sum, flag) => sum | flag, 0);
  const flags = hasSound ? all & ~INFO.noAudio : all;
  const to = new LittleEndianWriter(512)
    .u16(SECURITY_FLAG.info)
    .u16(0)
    .u32(0) // code page, and none for Unicode
    .u32(flags)
    .u16(domain.length * 2)
    .u16(username.length * 2)
    .u16(password.length * 2)
    .u16(0)
    .u16(0);
  for (const text of [domain, username, password, "", ""]) to.utf16(text).u16(0);
  // Neither our address nor our folders are the host's business.
  to.u16(IPV4).u16(2).u16(0).u16(2).u16(0).pad(TIME_ZONE_BYTES).u32(0).u32(PERFORMANCE).u16(0);
  sendData(c, c.ioChannel, to.bytes());
}

/** One message; true where licensing is over. */
function readLicensing(from: LittleEndianReader, c: ClientContext): boolean {
  const type = from.u8();
  from.skip(3); // flags, size
  switch (type) {
    case LICENCE.errorAlert: {
      const code = from.u32();
      if (code === VALID_CLIENT) return true;
      throw new RdpError("licence_refused", c.phase, `the host refused a licence with error ${code}`);
    }
    case LICENCE.newLicence:
    case LICENCE.upgradeLicence:
      return true;
    case LICENCE.request:
      c.isXrdp = isExample(from.take(RANDOM_BYTES));
      c.losesCharacters ||= c.isXrdp;
      // xrdp 0.9.21 paints 8-bit sessions by drawing orders, whatever was agreed upon (2026-11-21).
      if (c.isXrdp && c.options.colourDepth === 8) throw tooFewColours(c);
      requestLicence(c);
      return false;
    case LICENCE.platformChallenge:
      throw new RdpError(
        "unsupported",
        c.phase,
        "the host wants a licence of its licence server (RDS CAL), which is not supported: connect to one without that",
      );
    default:
      throw new RdpError("bad_data", c.phase, `got licensing message ${type}, expected 1 to 4 or 255`);
  }
}

/** The first bytes of the server's random in MS-RDPELE 4.1, which xrdp sends word for word and nobody else does. */
const EXAMPLE_RANDOM = [0x7b, 0x3c, 0x31, 0xa6, 0xae, 0xe8, 0x74, 0xf6] as const;

function isExample(random: Uint8Array): boolean {
  return EXAMPLE_RANDOM.every((byte, i) => random[i] === byte);
}

/**
 * New License Request, MS-RDPELE 2.2.2.2. xrdp 0.9.21 asks for one even inside TLS and reads nothing of it
 * (2026-11-21), so the secret is random and sealed for nobody.
 */
function requestLicence(c: ClientContext): void {
  const premaster = new Uint8Array(PREMASTER_BYTES + PADDING_BYTES);
  premaster.set(c.ports.randomBytes(PREMASTER_BYTES));
  const body = new LittleEndianWriter(256)
    .u32(KEY_EXCHANGE_RSA)
    .u32(PLATFORM)
    .put(c.ports.randomBytes(RANDOM_BYTES));
  const user = new LittleEndianWriter().ascii(c.options.username).u8(0).bytes();
  const machine = new LittleEndianWriter().ascii("overlay").u8(0).bytes();
  for (const [type, blob] of [
    [BLOB.random, premaster],
    [BLOB.userName, user],
    [BLOB.machineName, machine],
  ] as const) {
    body.u16(type).u16(blob.length).put(blob);
  }
  const message = body.bytes();
  sendData(
    c,
    c.ioChannel,
    new LittleEndianWriter(message.length + 8)
      .u16(SECURITY_FLAG.licence)
      .u16(0)
      .u8(LICENCE.newLicenceRequest)
      .u8(PREAMBLE)
      .u16(4 + message.length)
      .put(message)
      .bytes(),
  );
}

import type { Parser } from "../../byte-queue.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { readSlow, readX224Data, x224Data } from "../graphics/frames.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { conferenceCreateRequest, readConferenceCreateResponse } from "./gcc.ts";

/** Tags of BER, X.690, as T.125 section 7 uses them. */
const TAG = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30 } as const;
const CONNECT_INITIAL = 0x65;
const CONNECT_RESPONSE = 0x66;
const APPLICATION = 0x7f;

/** Channels, users, tokens, priorities, throughput, height, largest message, version: T.125 section 7. */
const TARGET_PARAMETERS = [34, 2, 0, 1, 0, 1, 0xffff, 2] as const;
const LEAST_PARAMETERS = [1, 1, 1, 1, 0, 1, 1056, 2] as const;
const MOST_PARAMETERS = [0xffff, 0xfc17, 0xffff, 1, 0, 1, 0xffff, 2] as const;

/** MCS Connect Initial and Response with the GCC data in them, MS-RDPBCGR 2.2.1.3 and 2.2.1.4. */
export function* connectMcs(c: ClientContext): Parser<void> {
  c.phase = "mcs";
  const body = concat(
    element(TAG.octets, Uint8Array.of(1)),
    element(TAG.octets, Uint8Array.of(1)),
    element(TAG.boolean, Uint8Array.of(0xff)),
    parameters(TARGET_PARAMETERS),
    parameters(LEAST_PARAMETERS),
    parameters(MOST_PARAMETERS),
    element(TAG.octets, conferenceCreateRequest(c)),
  );
  const initial = new LittleEndianWriter(body.length + 8)
    .u8(APPLICATION)
    .put(element(CONNECT_INITIAL, body))
    .bytes();
  c.send(x224Data(initial));
  readConnectResponse(readX224Data(yield* readSlow(c), c), c);
}

function readConnectResponse(from: LittleEndianReader, c: ClientContext): void {
  if (from.u8() !== APPLICATION) throw new RdpError("bad_data", c.phase, "got no mcs connect response");
  const response = content(from, CONNECT_RESPONSE);
  const result = content(response, TAG.enumerated).u8();
  if (result !== 0) {
    throw new RdpError("refused", c.phase, `the host refused the connection with mcs result ${result}`);
  }
  content(response, TAG.integer); // connect id
  content(response, TAG.sequence); // parameters
  readConferenceCreateResponse(content(response, TAG.octets).rest(), c);
}

function content(from: LittleEndianReader, wanted: number): LittleEndianReader {
  const tag = from.u8();
  if (tag !== wanted) {
    throw new RdpError("bad_data", from.phase, `got tag ${tag} in a connect response, expected ${wanted}`);
  }
  return from.part(readLength(from));
}

function readLength(from: LittleEndianReader): number {
  const first = from.u8();
  if (first < 0x80) return first;
  if (first === 0x81) return from.u8();
  if (first === 0x82) return from.bigU16();
  throw new RdpError("bad_data", from.phase, `got a length of ${first & 0x7f} bytes, expected at most 2`);
}

function parameters(values: readonly number[]): Uint8Array {
  return element(TAG.sequence, concat(...values.map(integer)));
}

function integer(value: number): Uint8Array {
  if (value < 0x80) return element(TAG.integer, Uint8Array.of(value));
  // A leading zero keeps it positive.
  const bytes = value < 0x8000 ? [value >> 8, value & 0xff] : [0, value >> 8, value & 0xff];
  return element(TAG.integer, Uint8Array.from(bytes));
}

function element(tag: number, body: Uint8Array): Uint8Array {
  const to = new LittleEndianWriter(body.length + 4).u8(tag);
  if (body.length < 0x80) to.u8(body.length);
  else to.u8(0x82).bigU16(body.length);
  return to.put(body).bytes();
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const to = new LittleEndianWriter(512);
  for (const part of parts) to.put(part);
  return to.bytes();
}

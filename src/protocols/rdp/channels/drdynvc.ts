import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** Commands: the high half of a message's first byte, MS-RDPEDYC 2.2. */
const COMMAND = { create: 1, dataFirst: 2, data: 3, close: 4, capabilities: 5, softSync: 8 } as const;

/**
 * The version we speak, 3 being the first with compression. xrdp 0.9.21 (2026-11) drops a client that answers 1 to its
 * offer of 2.
 */
const MOST_VERSION = 2;

/** What mstsc answers for a channel it does not know. */
const UNKNOWN_CHANNEL = 0xc0000001;

/** One message of ours travels in pieces of this size at most, MS-RDPEDYC 3.1.5.1.4. */
const CHUNK_BYTES = 1600;

const MOST_NAME_BYTES = 256;

/** One dynamic channel that we take when the host opens it. */
export interface DynamicChannel {
  /** The name by which hosts open it. */
  readonly name: string;
  /** The longest message taken; a longer one ends the connection. */
  readonly mostBytes: number;
  /** The host opened it; returns what to send at once. */
  opened(): readonly Uint8Array[];
  /** A whole message; `message` is valid during the call only. Returns what to send back. */
  receive(message: Uint8Array): readonly Uint8Array[];
  /** The host closed it. It may open it anew. */
  closed(): void;
}

/** A channel that is open, and the message under way on it. */
interface Open {
  readonly id: number;
  readonly channel: DynamicChannel;
  /** Memory for the message that a first piece announced; null where none is under way. */
  whole: Uint8Array | null;
  received: number;
}

/**
 * Dynamic virtual channels, MS-RDPEDYC: many channels over the static channel `drdynvc`. Channels that nobody takes are
 * refused. No I/O: messages in, messages out.
 */
export class DynamicChannels {
  readonly #known: readonly DynamicChannel[];
  readonly #open = new Map<number, Open>();

  constructor(known: readonly DynamicChannel[]) {
    this.#known = known;
  }

  /**
   * One whole message of the static channel; returns the messages to send on it. Throws RdpError `bad_data`,
   * `too_large`, `unsupported` or `unknown_message` in phase `channel`, and what the channels throw.
   */
  receive(message: Uint8Array): Uint8Array[] {
    const from = new LittleEndianReader(message, "channel");
    const header = from.u8();
    const command = header >> 4;
    switch (command) {
      case COMMAND.capabilities:
        return this.#capabilities(from);
      case COMMAND.create:
        return this.#create(header, from);
      case COMMAND.dataFirst: {
        const open = this.#openAt(readSized(from, header));
        return open === null ? [] : this.#first(open, readSized(from, header >> 2), from.rest());
      }
      case COMMAND.data: {
        const open = this.#openAt(readSized(from, header));
        return open === null ? [] : this.#piece(open, from.rest());
      }
      case COMMAND.close:
        return this.#close(readSized(from, header));
      case COMMAND.softSync:
        throw new RdpError(
          "unsupported",
          "channel",
          "got a move of channels to another transport, expected none",
        );
      default:
        throw new RdpError(
          "unknown_message",
          "channel",
          `dynamic channel command ${command}, expected 1 to 5`,
        );
    }
  }

  /** True while the host has the channel of this name open. */
  isOpen(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** A message for a channel, as messages of the static channel; none where the channel is not open. */
  send(name: string, message: Uint8Array): Uint8Array[] {
    const open = this.#find(name);
    return open === undefined ? [] : pack(open.id, message);
  }

  #find(name: string): Open | undefined {
    for (const open of this.#open.values()) if (open.channel.name === name) return open;
    return undefined;
  }

  /** Data for a channel that we refused or that was just closed is no offence: it was under way. */
  #openAt(id: number): Open | null {
    return this.#open.get(id) ?? null;
  }

  /** DYNVC_CAPS_VERSION1 to 3, 2.2.1: cmd, pad, version, from 2 on also priorities, which we leave to the host. */
  #capabilities(from: LittleEndianReader): Uint8Array[] {
    from.skip(1 /* pad */);
    const version = Math.min(MOST_VERSION, from.u16());
    return [
      new LittleEndianWriter()
        .u8(COMMAND.capabilities << 4)
        .u8(0)
        .u16(version)
        .bytes(),
    ];
  }

  /** DYNVC_CREATE_REQ and _RSP, 2.2.2: cmd, channel id, name, a zero; back go cmd, channel id and a status. */
  #create(header: number, from: LittleEndianReader): Uint8Array[] {
    const idBytes = sizeOf(header);
    const id = readSized(from, header);
    const name = readName(from);
    const channel = this.#known.find((known) => known.name === name);
    const isTaken = channel !== undefined && !this.isOpen(name) && !this.#open.has(id);
    const answer = new LittleEndianWriter().u8((COMMAND.create << 4) | (header & 3));
    writeSized(answer, id, idBytes);
    answer.u32(isTaken ? 0 : UNKNOWN_CHANNEL);
    if (!isTaken) return [answer.bytes()];
    this.#open.set(id, { id, channel, whole: null, received: 0 });
    return [answer.bytes(), ...channel.opened().flatMap((message) => pack(id, message))];
  }

  #first(open: Open, length: number, piece: Uint8Array): Uint8Array[] {
    const { name, mostBytes } = open.channel;
    if (length > mostBytes) {
      const message = `a message of ${length} bytes on ${name}, expected at most ${mostBytes}`;
      throw new RdpError("too_large", "channel", message);
    }
    // Of a size that was checked, and not kept in pieces: many small ones would cost a hundred times as much.
    open.whole = length === 0 ? null : new Uint8Array(length);
    open.received = 0;
    return length === 0 ? [] : this.#piece(open, piece);
  }

  #piece(open: Open, piece: Uint8Array): Uint8Array[] {
    const { whole } = open;
    if (whole === null) return this.#deliver(open, piece);
    const received = open.received + piece.length;
    if (received > whole.length) {
      const message = `${received} bytes of a message on ${open.channel.name}, expected ${whole.length}`;
      throw new RdpError("bad_data", "channel", message);
    }
    const isAll = open.received === 0 && received === whole.length;
    if (!isAll) whole.set(piece, open.received);
    open.received = received;
    if (received < whole.length) return [];
    open.whole = null;
    return this.#deliver(open, isAll ? piece : whole);
  }

  #deliver(open: Open, message: Uint8Array): Uint8Array[] {
    return open.channel.receive(message).flatMap((reply) => pack(open.id, reply));
  }

  /** DYNVC_CLOSE, 2.2.4: the same goes back. */
  #close(id: number): Uint8Array[] {
    const open = this.#open.get(id);
    if (open === undefined) return [];
    this.#open.delete(id);
    open.channel.closed();
    const answer = new LittleEndianWriter();
    writeSized(answer.u8((COMMAND.close << 4) | sizeCode(id)), id, sizeOf(sizeCode(id)));
    return [answer.bytes()];
  }
}

/** DYNVC_DATA_FIRST and DYNVC_DATA, 2.2.3. */
function pack(id: number, message: Uint8Array): Uint8Array[] {
  const idCode = sizeCode(id);
  const packed: Uint8Array[] = [];
  const lengthCode = sizeCode(message.length);
  const isLong = 1 + sizeOf(idCode) + message.length > CHUNK_BYTES;
  for (let at = 0; at < message.length || at === 0; ) {
    const isFirst = isLong && at === 0;
    const to = new LittleEndianWriter(CHUNK_BYTES);
    to.u8(((isFirst ? COMMAND.dataFirst : COMMAND.data) << 4) | (isFirst ? lengthCode << 2 : 0) | idCode);
    writeSized(to, id, sizeOf(idCode));
    if (isFirst) writeSized(to, message.length, sizeOf(lengthCode));
    const piece = message.subarray(at, at + CHUNK_BYTES - to.length);
    packed.push(to.put(piece).bytes());
    at += Math.max(1, piece.length);
  }
  return packed;
}

/** Two bits that say how wide a number is: 0 is 1 byte, 1 is 2, all others are 4. */
function sizeOf(code: number): 1 | 2 | 4 {
  const width = code & 3;
  return width === 0 ? 1 : width === 1 ? 2 : 4;
}

function sizeCode(value: number): number {
  return value < 0x100 ? 0 : value < 0x10000 ? 1 : 2;
}

function readSized(from: LittleEndianReader, code: number): number {
  const width = sizeOf(code);
  return width === 1 ? from.u8() : width === 2 ? from.u16() : from.u32();
}

function writeSized(to: LittleEndianWriter, value: number, width: 1 | 2 | 4): void {
  if (width === 1) to.u8(value);
  else if (width === 2) to.u16(value);
  else to.u32(value);
}

function readName(from: LittleEndianReader): string {
  const bytes = from.rest();
  const end = bytes.indexOf(0);
  const length = end < 0 ? bytes.length : end;
  if (length > MOST_NAME_BYTES) {
    throw new RdpError(
      "bad_data",
      "channel",
      `a channel name of ${length} bytes, expected at most ${MOST_NAME_BYTES}`,
    );
  }
  return String.fromCharCode(...bytes.subarray(0, length));
}

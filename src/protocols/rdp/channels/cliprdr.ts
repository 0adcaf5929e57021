import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { CLIPBOARD_FORMAT, decodeText, encodeText, MOST_TEXT_BYTES } from "./cliprdr-text.ts";

/** Message types, MS-RDPECLIP 2.2.1. */
const TYPE = {
  monitorReady: 1,
  formatList: 2,
  formatListResponse: 3,
  formatDataRequest: 4,
  formatDataResponse: 5,
  capabilities: 7,
  fileContentsRequest: 8,
  fileContentsResponse: 9,
} as const;

const FLAG = { ok: 1, fail: 2 } as const;
const GENERAL_SET = 1;
const GENERAL_BYTES = 12;
const VERSION_2 = 2;
/** The one general flag that we say: no file streams, no locks. */
const LONG_FORMAT_NAMES = 2;
const SHORT_NAME_BYTES = 32;
const NAMELESS = 0;

const MAX_CAPABILITY_SETS = 16;
/** A clipboard has a dozen formats. */
const MAX_FORMATS = 1024;
/** Requests that a host has not answered; beyond them its news is not asked about. */
const MAX_PENDING = 16;

/**
 * The clipboard channel, MS-RDPECLIP, for text alone: what the host copies is fetched at once, what we offer it may
 * fetch. Files, locks and all other formats are refused. No I/O: messages in, messages out.
 */
export class Clipboard {
  readonly #onText: (text: string | null) => void;
  readonly #onTaken: () => void;
  readonly #onOffered: () => void;
  #text: string | null = null;
  #isReady = false;
  #hostHasLongNames = false;
  /** Lists that the host has not answered. */
  #unanswered = 0;
  /** Formats asked for and not given yet, the oldest first. */
  readonly #pending: number[] = [];

  /**
   * `onText` is called with each text that the host copied, line ends "\n"; null for one that is too long. `onTaken`
   * when the host has asked for the text that was offered last; `onOffered` when it has answered that it knows of it.
   */
  constructor(
    onText: (text: string | null) => void,
    onTaken: () => void = () => undefined,
    onOffered: () => void = () => undefined,
  ) {
    this.#onText = onText;
    this.#onTaken = onTaken;
    this.#onOffered = onOffered;
  }

  /** Offers a text to the host; returns the messages to send: none before the host is ready. */
  offer(text: string): Uint8Array[] {
    this.#text = text;
    return this.#isReady ? [this.#formatList()] : [];
  }

  /** A whole message of the channel; returns the messages to send. Throws RdpError for one that is shorter than it says. */
  receive(bytes: Uint8Array): Uint8Array[] {
    const header = new LittleEndianReader(bytes, "channel");
    const type = header.u16();
    const flags = header.u16();
    const from = header.part(header.u32());
    switch (type) {
      case TYPE.capabilities:
        this.#readCapabilities(from);
        return [];
      case TYPE.monitorReady:
        this.#isReady = true;
        return [ownCapabilities(), this.#formatList()];
      case TYPE.formatList:
        return this.#fetch(this.#readFormats(from));
      case TYPE.formatListResponse:
        this.#unanswered = Math.max(0, this.#unanswered - 1);
        if (this.#unanswered === 0 && (flags & FLAG.ok) !== 0) this.#onOffered();
        return [];
      case TYPE.formatDataRequest:
        return [this.#give(from.u32())];
      case TYPE.formatDataResponse:
        this.#take(from.rest(), (flags & FLAG.ok) !== 0);
        return [];
      case TYPE.fileContentsRequest:
        // Its answer names the stream that was asked for.
        return [
          message(TYPE.fileContentsResponse, FLAG.fail, new LittleEndianWriter(4).u32(from.u32()).bytes()),
        ];
      default:
        // Folders and locks for files: nothing follows from them.
        return [];
    }
  }

  /** U16 count, pad 2, sets: U16 type, U16 length; the general one has U32 version, U32 flags. */
  #readCapabilities(from: LittleEndianReader): void {
    const count = Math.min(from.u16(), MAX_CAPABILITY_SETS);
    from.skip(2);
    for (let i = 0; i < count; i++) {
      const type = from.u16();
      const set = from.part(Math.max(0, from.u16() - 4));
      if (type !== GENERAL_SET) continue;
      set.skip(4);
      this.#hostHasLongNames = (set.u32() & LONG_FORMAT_NAMES) !== 0;
    }
  }

  /** The formats' numbers. Each has a name: one that ends where both sides know long names, else 32 bytes. */
  #readFormats(from: LittleEndianReader): number[] {
    const formats: number[] = [];
    while (from.left >= 4 && formats.length < MAX_FORMATS) {
      formats.push(from.u32());
      if (!this.#hostHasLongNames) {
        from.skip(Math.min(SHORT_NAME_BYTES, from.left));
        continue;
      }
      while (from.left >= 2 && from.u16() !== 0);
    }
    return formats;
  }

  #fetch(formats: readonly number[]): Uint8Array[] {
    const answer = message(TYPE.formatListResponse, FLAG.ok);
    const wanted = [CLIPBOARD_FORMAT.unicodeText, CLIPBOARD_FORMAT.text].find((format) =>
      formats.includes(format),
    );
    if (wanted === undefined || this.#pending.length >= MAX_PENDING) return [answer];
    this.#pending.push(wanted);
    return [answer, message(TYPE.formatDataRequest, 0, new LittleEndianWriter(4).u32(wanted).bytes())];
  }

  #give(format: number): Uint8Array {
    if (this.#text === null || format !== CLIPBOARD_FORMAT.unicodeText) {
      return message(TYPE.formatDataResponse, FLAG.fail);
    }
    this.#onTaken();
    return message(TYPE.formatDataResponse, FLAG.ok, encodeText(this.#text));
  }

  #take(data: Uint8Array, isOk: boolean): void {
    const format = this.#pending.shift();
    // Nobody asked; more than anybody reads is passed over as a long cut text is.
    if (format === undefined || !isOk) return;
    this.#onText(data.length > MOST_TEXT_BYTES ? null : decodeText(data, format));
  }

  #formatList(): Uint8Array {
    this.#unanswered++;
    const to = new LittleEndianWriter(64);
    if (this.#text !== null) {
      to.u32(CLIPBOARD_FORMAT.unicodeText);
      if (this.#hostHasLongNames) to.u16(NAMELESS);
      else to.pad(SHORT_NAME_BYTES);
    }
    return message(TYPE.formatList, 0, to.bytes());
  }
}

/** CLIPRDR_CAPS, 2.2.2.1. */
function ownCapabilities(): Uint8Array {
  const body = new LittleEndianWriter(4 + GENERAL_BYTES)
    .u16(1)
    .pad(2)
    .u16(GENERAL_SET)
    .u16(GENERAL_BYTES)
    .u32(VERSION_2)
    .u32(LONG_FORMAT_NAMES);
  return message(TYPE.capabilities, 0, body.bytes());
}

/** CLIPRDR_HEADER, 2.2.1: U16 type, U16 flags, U32 length. */
function message(type: number, flags: number, body: Uint8Array = new Uint8Array(0)): Uint8Array {
  return new LittleEndianWriter(8 + body.length).u16(type).u16(flags).u32(body.length).put(body).bytes();
}

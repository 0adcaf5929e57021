import type { ClipboardFiles, FilesMessage } from "../files/clipboard-files.ts";
import type { FilesCommand } from "../files/file-messages.ts";
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
  lock: 10,
  unlock: 11,
} as const;

const FLAG = { ok: 1, fail: 2 } as const;
const GENERAL_SET = 1;
const GENERAL_BYTES = 12;
const VERSION_2 = 2;
/** The general flag that is always said; those of files are theirs. */
const LONG_FORMAT_NAMES = 2;
const SHORT_NAME_BYTES = 32;
const NAMELESS = 0;

const MAX_CAPABILITY_SETS = 16;
/** A clipboard has a dozen formats. */
const MAX_FORMATS = 1024;
/** Requests that a host has not answered; beyond them its news is not asked about. */
const MAX_PENDING = 16;
/** A format's name, in units of UTF-16; longer ones are cut. */
const MOST_NAME_UNITS = 64;

/** A format that the host was asked for, and has not given yet. */
type Pending =
  | { readonly kind: "text"; readonly format: number }
  | { readonly kind: "files"; readonly list: number };

/**
 * The clipboard channel, MS-RDPECLIP, for text, and for files where they are given: what the host copies is fetched at
 * once, of files their list; what we offer it may fetch. All other formats are refused. No I/O: messages in, messages
 * out.
 */
export class Clipboard {
  readonly #onText: (text: string | null) => void;
  readonly #onTaken: () => void;
  readonly #onOffered: () => void;
  readonly #files: ClipboardFiles | null;
  #text: string | null = null;
  #isReady = false;
  #hostHasLongNames = false;
  /** Lists that the host has not answered. */
  #unanswered = 0;
  /** The oldest first. */
  readonly #pending: Pending[] = [];

  /**
   * `onText` is called with each text that the host copied, line ends "\n"; null for one that is too long. `onTaken`
   * when the host has asked for the text that was offered last; `onOffered` when it has answered that it knows of it.
   * `files`: absent, none go either way.
   */
  constructor(
    onText: (text: string | null) => void,
    onTaken: () => void = () => undefined,
    onOffered: () => void = () => undefined,
    files: ClipboardFiles | null = null,
  ) {
    this.#files = files;
    this.#onText = onText;
    this.#onTaken = onTaken;
    this.#onOffered = onOffered;
  }

  /** Offers a text to the host; returns the messages to send: none before the host is ready. */
  offer(text: string): Uint8Array[] {
    this.#text = text;
    this.#files?.offer(0, []);
    return this.#isReady ? [this.#formatList()] : [];
  }

  /** Offers files in place of a text, asks for what was copied, or answers; returns the messages to send. */
  command(command: FilesCommand): Uint8Array[] {
    const files = this.#files;
    if (files === null) return [];
    if (command.kind === "read") return files.read(command).map(messageOfFiles);
    if (command.kind === "give") return files.give(command.id, command.bytes).map(messageOfFiles);
    if (!files.offer(command.offer, command.files)) return [];
    this.#text = null;
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
        return [ownCapabilities(LONG_FORMAT_NAMES | (this.#files?.flags ?? 0)), this.#formatList()];
      case TYPE.formatList:
        return this.#fetch(this.#readFormats(from));
      case TYPE.formatListResponse:
        this.#unanswered = Math.max(0, this.#unanswered - 1);
        if (this.#unanswered === 0 && (flags & FLAG.ok) !== 0) this.#onOffered();
        return [];
      case TYPE.formatDataRequest:
        return [this.#give(from.u32())];
      case TYPE.formatDataResponse:
        this.#take(from, (flags & FLAG.ok) !== 0);
        return [];
      case TYPE.fileContentsRequest:
        // Its answer names the stream that was asked for.
        return (this.#files?.requested(from) ?? [refusalOf(from.u32())]).map(messageOfFiles);
      case TYPE.fileContentsResponse:
        this.#files?.responded(from, (flags & FLAG.ok) !== 0);
        return [];
      case TYPE.lock:
        this.#files?.hostLocks(from);
        return [];
      case TYPE.unlock:
        this.#files?.hostUnlocks(from);
        return [];
      default:
        // A folder for files that are not sent as streams: nothing follows from it.
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
      const flags = set.u32();
      this.#hostHasLongNames = (flags & LONG_FORMAT_NAMES) !== 0;
      // Without long names nobody knows which format the files' is.
      if (this.#hostHasLongNames) this.#files?.hostCan(flags);
    }
  }

  /** The formats by their names, which those of Windows do not have: one that ends where both sides know long names, else 32 bytes. */
  #readFormats(from: LittleEndianReader): Formats {
    const numbers: number[] = [];
    const named = new Map<string, number>();
    while (from.left >= 4 && numbers.length < MAX_FORMATS) {
      const number = from.u32();
      numbers.push(number);
      if (!this.#hostHasLongNames) {
        from.skip(Math.min(SHORT_NAME_BYTES, from.left));
        continue;
      }
      const name = readName(from);
      if (name !== "") named.set(name, number);
    }
    return { numbers, named };
  }

  #fetch({ numbers, named }: Formats): Uint8Array[] {
    const answer = message(TYPE.formatListResponse, FLAG.ok);
    const ofFiles = this.#files?.formatIn(named) ?? null;
    const ofText = [CLIPBOARD_FORMAT.unicodeText, CLIPBOARD_FORMAT.text].find((one) => numbers.includes(one));
    const wanted = ofFiles ?? ofText;
    const isRoom = this.#pending.length < MAX_PENDING;
    const request = message(TYPE.formatDataRequest, 0, new LittleEndianWriter(4).u32(wanted ?? 0).bytes());
    if (ofFiles === null || this.#files === null || !isRoom) {
      this.#files?.copiedOther();
      if (ofText === undefined || !isRoom) return [answer];
      this.#pending.push({ kind: "text", format: ofText });
      return [answer, request];
    }
    const { list, messages } = this.#files.copied();
    this.#pending.push({ kind: "files", list });
    return [answer, ...messages.map(messageOfFiles), request];
  }

  #give(format: number): Uint8Array {
    const list = this.#files?.dataOf(format) ?? null;
    if (list !== null) return message(TYPE.formatDataResponse, FLAG.ok, list);
    if (this.#text === null || format !== CLIPBOARD_FORMAT.unicodeText) {
      return message(TYPE.formatDataResponse, FLAG.fail);
    }
    this.#onTaken();
    return message(TYPE.formatDataResponse, FLAG.ok, encodeText(this.#text));
  }

  #take(from: LittleEndianReader, isOk: boolean): void {
    const pending = this.#pending.shift();
    // Nobody asked.
    if (pending === undefined) return;
    if (pending.kind === "files") {
      this.#files?.listed(pending.list, isOk ? from : null);
      return;
    }
    const data = from.rest();
    // More than anybody reads is passed over as a long cut text is.
    if (isOk) this.#onText(data.length > MOST_TEXT_BYTES ? null : decodeText(data, pending.format));
  }

  #formatList(): Uint8Array {
    this.#unanswered++;
    const to = new LittleEndianWriter(64);
    if (this.#text !== null) {
      to.u32(CLIPBOARD_FORMAT.unicodeText);
      if (this.#hostHasLongNames) to.u16(NAMELESS);
      else to.pad(SHORT_NAME_BYTES);
    }
    for (const { id, name } of this.#files?.formats ?? []) to.u32(id).utf16(name).u16(0);
    return message(TYPE.formatList, 0, to.bytes());
  }
}

interface Formats {
  readonly numbers: readonly number[];
  readonly named: ReadonlyMap<string, number>;
}

/** UTF-16 up to a zero, or to the end. */
function readName(from: LittleEndianReader): string {
  let name = "";
  while (from.left >= 2) {
    const unit = from.u16();
    if (unit === 0) return name;
    if (name.length < MOST_NAME_UNITS) name += String.fromCharCode(unit);
  }
  return name;
}

function refusalOf(stream: number): FilesMessage {
  return { type: "response", isOk: false, body: new LittleEndianWriter(4).u32(stream).bytes() };
}

const TYPE_OF_FILES = {
  request: TYPE.fileContentsRequest,
  response: TYPE.fileContentsResponse,
  lock: TYPE.lock,
  unlock: TYPE.unlock,
} as const;

function messageOfFiles(files: FilesMessage): Uint8Array {
  const flags = files.type !== "response" ? 0 : files.isOk ? FLAG.ok : FLAG.fail;
  return message(TYPE_OF_FILES[files.type], flags, files.body);
}

/** CLIPRDR_CAPS, 2.2.2.1. */
function ownCapabilities(flags: number): Uint8Array {
  const body = new LittleEndianWriter(4 + GENERAL_BYTES)
    .u16(1)
    .pad(2)
    .u16(GENERAL_SET)
    .u16(GENERAL_BYTES)
    .u32(VERSION_2)
    .u32(flags);
  return message(TYPE.capabilities, 0, body.bytes());
}

/** CLIPRDR_HEADER, 2.2.1: U16 type, U16 flags, U32 length. */
function message(type: number, flags: number, body: Uint8Array = new Uint8Array(0)): Uint8Array {
  return new LittleEndianWriter(8 + body.length).u16(type).u16(flags).u32(body.length).put(body).bytes();
}

import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { decodeFileList, encodeFileList } from "./file-list.ts";
import { type FilesCommand, type FilesEvent, MOST_FILE_BYTES, type OfferedFile } from "./file-messages.ts";

/** General flags of the clipboard, MS-RDPECLIP 2.2.2.1.1.1. */
const CAN = { streamFiles: 0x4, leaveOutPaths: 0x8, lock: 0x10 } as const;
/** Registered formats have numbers of whoever says them, and are known by their names. */
const LIST_FORMAT = { id: 0xc0bc, name: "FileGroupDescriptorW" } as const;
const CONTENTS_FORMAT = { id: 0xc0ba, name: "FileContents" } as const;
/** CLIPRDR_FILECONTENTS_REQUEST, 2.2.5.3: what is asked for. */
const WANTS = { size: 1, range: 2 } as const;
const UPPER = 2 ** 32;

/** Lists of the host that stay locked: who still reads one goes on when something else is copied there. */
const MOST_LOCKED = 3;
/** Locks that a host holds on what we offered. */
const MOST_HOST_LOCKS = 16;
/** Questions of a host that have no answer yet: each takes memory for its bytes. */
const MOST_WANTED = 8;
/** Our own that the host has not answered. */
const MOST_ASKED = 16;

/** A message as the clipboard channel sends it; the flag says whether an answer is one. */
export type FilesMessage =
  | { readonly type: "request"; readonly body: Uint8Array }
  | { readonly type: "response"; readonly isOk: boolean; readonly body: Uint8Array }
  | { readonly type: "lock" | "unlock"; readonly body: Uint8Array };

interface Offer {
  readonly number: number;
  readonly files: readonly OfferedFile[];
}

const NO_OFFER: Offer = { number: 0, files: [] };

/**
 * Files on the clipboard, MS-RDPECLIP 3.1.1.1: a list of them under a format's name, their bytes by messages of their own.
 * The host is given no path of ours, and names none of its own. What it asks for lies within what was offered, or is
 * refused here; what it answers without being asked, or beyond what was asked for, is dropped.
 */
export class ClipboardFiles {
  /** What we say of files among the general flags. */
  readonly flags = CAN.streamFiles | CAN.leaveOutPaths | CAN.lock;
  readonly #emit: (event: FilesEvent) => void;
  #hostFlags = 0;
  #offer = NO_OFFER;
  /** The one before, which a host may still be reading. */
  #before = NO_OFFER;
  /** Lock of the host -> number of the offer that it had then. */
  readonly #hostLocks = new Map<number, number>();
  /** Our number of a question -> the host's. */
  readonly #wanted = new Map<number, number>();
  #nextWanted = 1;
  /** The number of the host's newest list. */
  #list = 0;
  #hasList = false;
  /** Lists that are locked there, the oldest first. */
  #locked: number[] = [];
  /** Our questions -> how many bytes were asked for. */
  readonly #asked = new Map<number, number>();

  constructor(emit: (event: FilesEvent) => void) {
    this.#emit = emit;
  }

  /** The host's general flags. */
  hostCan(flags: number): void {
    this.#hostFlags = flags;
    if ((flags & CAN.streamFiles) !== 0) this.#emit({ kind: "able" });
  }

  /** Under which format the host gives its files; null for none. */
  formatIn(formats: ReadonlyMap<string, number>): number | null {
    if ((this.#hostFlags & CAN.streamFiles) === 0) return null;
    return formats.get(LIST_FORMAT.name) ?? null;
  }

  /** Something without files was copied on the host. */
  copiedOther(): void {
    const hadFiles = this.#hasList;
    this.#hasList = false;
    if (hadFiles) this.#emit({ kind: "copied", list: ++this.#list, files: [] });
  }

  /** Files were copied on the host. Returns the number of their list, and what to send before it is asked for. */
  copied(): { readonly list: number; readonly messages: readonly FilesMessage[] } {
    this.#hasList = true;
    const list = ++this.#list;
    if ((this.#hostFlags & CAN.lock) === 0) return { list, messages: [] };
    this.#locked.push(list);
    const lock = { type: "lock", body: numberOf(list) } as const;
    const oldest = this.#locked.length > MOST_LOCKED ? this.#locked.shift() : undefined;
    if (oldest === undefined) return { list, messages: [lock] };
    return { list, messages: [{ type: "unlock", body: numberOf(oldest) }, lock] };
  }

  /** A list that was asked for came; null: the host has none. Of one that is no longer the newest nothing is told. */
  listed(list: number, from: LittleEndianReader | null): void {
    const files = from === null ? [] : decodeFileList(from);
    if (list === this.#list) this.#emit({ kind: "copied", list, files });
  }

  /** The formats of what is offered, names of formats by their numbers; none where nothing is. */
  get formats(): readonly { readonly id: number; readonly name: string }[] {
    return this.#offer.files.length === 0 ? [] : [LIST_FORMAT, CONTENTS_FORMAT];
  }

  /** The list of what is offered, where that is what a host asks for. */
  dataOf(format: number): Uint8Array | null {
    if (format !== LIST_FORMAT.id || this.#offer.files.length === 0) return null;
    return encodeFileList(this.#offer.files);
  }

  /** These are offered from now on; returns false where the host takes none. */
  offer(number: number, files: readonly OfferedFile[]): boolean {
    if (files.length > 0 && (this.#hostFlags & CAN.streamFiles) === 0) return false;
    if (this.#offer.files.length > 0) this.#before = this.#offer;
    this.#offer = { number, files };
    return true;
  }

  /** Asks for bytes of what was copied; where that cannot be done it is answered at once. */
  read({ id, list, index, offset, bytes }: Extract<FilesCommand, { kind: "read" }>): readonly FilesMessage[] {
    const isLocked = this.#locked.includes(list);
    if ((list !== this.#list && !isLocked) || bytes > MOST_FILE_BYTES || this.#asked.size >= MOST_ASKED) {
      this.#emit({ kind: "read", id, bytes: null });
      return [];
    }
    this.#asked.set(id, bytes);
    const body = new LittleEndianWriter(28)
      .u32(id)
      .u32(index)
      .u32(WANTS.range)
      .u32(offset % UPPER)
      .u32(Math.floor(offset / UPPER))
      .u32(bytes);
    return [{ type: "request", body: (isLocked ? body.u32(list) : body).bytes() }];
  }

  /** CLIPRDR_FILECONTENTS_RESPONSE, 2.2.5.4: U32 of the question, bytes. */
  responded(from: LittleEndianReader, isOk: boolean): void {
    const id = from.u32();
    const most = this.#asked.get(id);
    if (most === undefined) return;
    this.#asked.delete(id);
    const isFit = isOk && from.left <= most;
    this.#emit({ kind: "read", id, bytes: isFit ? from.rest().slice() : null });
  }

  /**
   * CLIPRDR_FILECONTENTS_REQUEST, 2.2.5.3: U32 stream, U32 index, U32 what, U32 position's lower half, U32 upper half,
   * U32 bytes, and a U32 lock where the host has one. Returns what can be answered at once.
   */
  requested(from: LittleEndianReader): readonly FilesMessage[] {
    const stream = from.u32();
    if (from.left < 20) return [failed(stream)];
    const index = from.u32();
    const what = from.u32();
    const offset = from.u32() + from.u32() * UPPER;
    const asked = from.u32();
    const offer = this.#offerOf(from.left >= 4 ? from.u32() : null);
    const file = offer.files[index];
    if (file === undefined) return [failed(stream)];
    if (what === WANTS.size) {
      const size = new LittleEndianWriter(12).u32(stream).u32(file.size % UPPER);
      return [{ type: "response", isOk: true, body: size.u32(Math.floor(file.size / UPPER)).bytes() }];
    }
    const bytes = Math.min(asked, MOST_FILE_BYTES, Math.max(0, file.size - offset));
    if (what !== WANTS.range || offset > file.size || this.#wanted.size >= MOST_WANTED)
      return [failed(stream)];
    // Past its end a file has nothing, which is no failure.
    if (bytes === 0) return [{ type: "response", isOk: true, body: numberOf(stream) }];
    const id = this.#nextWanted++;
    this.#wanted.set(id, stream);
    this.#emit({ kind: "wanted", id, offer: offer.number, index, offset, bytes });
    return [];
  }

  /** Answers what the host wanted. */
  give(id: number, bytes: Uint8Array | null): readonly FilesMessage[] {
    const stream = this.#wanted.get(id);
    if (stream === undefined) return [];
    this.#wanted.delete(id);
    if (bytes === null) return [failed(stream)];
    const body = new LittleEndianWriter(4 + bytes.length).u32(stream).put(bytes).bytes();
    return [{ type: "response", isOk: true, body }];
  }

  /** The host keeps what is offered now under a number of its own. */
  hostLocks(from: LittleEndianReader): void {
    if (this.#hostLocks.size < MOST_HOST_LOCKS) this.#hostLocks.set(from.u32(), this.#offer.number);
  }

  hostUnlocks(from: LittleEndianReader): void {
    this.#hostLocks.delete(from.u32());
  }

  #offerOf(lock: number | null): Offer {
    const number = lock === null ? undefined : this.#hostLocks.get(lock);
    if (number === undefined || number === this.#offer.number) return this.#offer;
    return number === this.#before.number ? this.#before : NO_OFFER;
  }
}

function failed(stream: number): FilesMessage {
  return { type: "response", isOk: false, body: numberOf(stream) };
}

function numberOf(value: number): Uint8Array {
  return new LittleEndianWriter(4).u32(value).bytes();
}

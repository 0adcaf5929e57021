import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { RecordingError } from "../library/error.ts";

/** A segment is closed once it is so long; no block lies in two. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;
const READ_AHEAD_BYTES = 256 * 1024;
const NAME = /^(\d{6})\.blocks$/;

/** One of a recording's files, open for reading; a FileHandle is one. */
export interface SegmentFile {
  /** As a file's: fewer bytes than wanted only at its end. */
  read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

export interface Segment {
  readonly name: string;
  /** Of its first byte, counted over all segments. */
  readonly start: number;
  readonly size: number;
  open(): Promise<SegmentFile>;
}

export function segmentName(number: number): string {
  return `${String(number).padStart(6, "0")}.blocks`;
}

/** The segments of a folder, in order. Throws RecordingError damaged where one is missing. */
export async function listSegments(folder: string): Promise<Segment[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  const files: Omit<Segment, "start">[] = [];
  for (const name of names) {
    const path = join(folder, name);
    files.push({ name, size: (await stat(path)).size, open: () => open(path, "r") });
  }
  return orderSegments(files);
}

/** The segments among files, one behind the other. Throws RecordingError damaged where one is missing. */
export function orderSegments(files: readonly Omit<Segment, "start">[]): Segment[] {
  const ordered = files
    .filter(({ name }) => NAME.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  let start = 0;
  return ordered.map((file, number) => {
    if (file.name !== segmentName(number)) {
      throw new RecordingError("damaged", `got the segment ${file.name}, expected ${segmentName(number)}`);
    }
    const segment = { ...file, start };
    start += file.size;
    return segment;
  });
}

/** Appends to a recording's files, and begins another file when one is long enough. One writer at a time. */
export class SegmentWriter {
  readonly #folder: string;
  readonly #segmentBytes: number;
  #file: FileHandle | null = null;
  #number = 0;
  #fileBytes = 0;
  #length = 0;

  constructor(folder: string, segmentBytes = SEGMENT_BYTES) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
  }

  /** Files begun. */
  get count(): number {
    return this.#number + (this.#file === null ? 0 : 1);
  }

  /** Bytes written in all. */
  get length(): number {
    return this.#length;
  }

  /** Writes all of it or, where the disk refuses, nothing: what was begun is cut off again. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#file !== null && this.#fileBytes >= this.#segmentBytes) {
      await this.#file.datasync();
      await this.#file.close();
      this.#file = null;
      this.#number++;
      this.#fileBytes = 0;
    }
    this.#file ??= await open(join(this.#folder, segmentName(this.#number)), "wx", OWNER_ONLY);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(
          bytes,
          done,
          bytes.length - done,
          this.#fileBytes + done,
        );
        done += bytesWritten;
      }
    } catch (error) {
      await this.#file.truncate(this.#fileBytes).catch(() => undefined); // then a reader sees a torn end
      throw error;
    }
    this.#fileBytes += bytes.length;
    this.#length += bytes.length;
  }

  async sync(): Promise<void> {
    await this.#file?.datasync();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}

/** Reads a recording's files as one, while they may still grow. */
export class SegmentReader {
  readonly #list: () => Promise<readonly Segment[]>;
  #segments: readonly Segment[] = [];
  readonly #files = new Map<string, Promise<SegmentFile>>();
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  private constructor(list: () => Promise<readonly Segment[]>) {
    this.#list = list;
  }

  /** `list`: tells the segments of now. `known`: those that were listed just now. */
  static async open(
    list: () => Promise<readonly Segment[]>,
    known: readonly Segment[] | null = null,
  ): Promise<SegmentReader> {
    const reader = new SegmentReader(list);
    if (known === null) await reader.refresh();
    else reader.#segments = known;
    return reader;
  }

  /** Sees what was written since. */
  async refresh(): Promise<void> {
    this.#segments = await this.#list();
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get length(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  }

  /**
   * So many bytes from a place on, not to be changed; they lie in one segment. `aheadBytes` come along where they are
   * not there yet. Throws RecordingError damaged where there are fewer.
   */
  async read(at: number, count: number, aheadBytes = READ_AHEAD_BYTES): Promise<Buffer> {
    if (at + count > this.length) await this.refresh();
    const segment = this.#segments.findLast(({ start }) => start <= at);
    if (segment === undefined || at + count > segment.start + segment.size) {
      throw new RecordingError(
        "damaged",
        `${count} bytes wanted at ${at}, the recording has ${this.length} and no block lies in two files`,
      );
    }
    const window = this.#window;
    if (at >= window.start && at + count <= window.start + window.bytes.length) {
      return window.bytes.subarray(at - window.start, at - window.start + count);
    }
    // Blocks are mostly read one after the other: what is written never changes, so the next ones come along.
    const ahead = Math.max(count, Math.min(aheadBytes, segment.start + segment.size - at));
    const out = Buffer.allocUnsafe(ahead);
    const file = await this.#open(segment);
    let done = 0;
    while (done < ahead) {
      const { bytesRead } = await file.read(out, done, ahead - done, at - segment.start + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    if (done < count) throw new RecordingError("damaged", `the recording was cut at ${at + done}`);
    this.#window = { start: at, bytes: out.subarray(0, done) };
    return out.subarray(0, count);
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const file of files) await (await file).close();
  }

  #open(segment: Segment): Promise<SegmentFile> {
    const known = this.#files.get(segment.name);
    if (known !== undefined) return known;
    const file = segment.open();
    this.#files.set(segment.name, file);
    file.catch(() => this.#files.delete(segment.name));
    return file;
  }
}

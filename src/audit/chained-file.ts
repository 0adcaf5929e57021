import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../platform/clock.ts";
import { FileLock } from "../platform/file-lock.ts";
import type { AuditEntry, AuditEvent } from "./audit-event.ts";
import { CHAIN_START, type ChainState, chainLine, digestOf, readLink } from "./chain.ts";
import { ChainHead, readHead } from "./chain-head.ts";
import type { ChainKey } from "./chain-key.ts";
import { asideFiles, asideName, CURRENT } from "./log-files.ts";
import type { AuditSink } from "./sink.ts";

/** When the file is put aside, and which of those put aside are deleted. 0: never. */
export interface AuditRotation {
  readonly bytes: number;
  readonly afterMs: number;
  readonly keepBytes: number;
  readonly keepMs: number;
  /** Whether one that is too old may go, as what it holds is surely elsewhere; absent: it always may. */
  readonly mayDelete?: ((name: string) => Promise<boolean>) | undefined;
}

export interface ChainedFileOptions {
  /** Where `audit.ndjson`, `audit.head` and `audit.lock` lie. */
  readonly dir: string;
  readonly key: ChainKey;
  readonly clock: Clock;
  readonly rotation: AuditRotation;
  /** Makes an event of what the file itself has to tell: breaks of the chain, files that were deleted. */
  readonly stamp: (entry: AuditEntry) => AuditEvent;
}

/** What was found at the end of the file that is gone on with. */
interface Found {
  readonly state: ChainState;
  /** Half a line at the end, by its digest. */
  readonly half: string | null;
  readonly breaks: readonly AuditEntry[];
  /** Whether what the file holds was written by a version without a chain. */
  readonly isBeforeChain: boolean;
}

/** Which file it is, whatever its name is by now. */
interface FileIdentity {
  readonly ino: number;
  readonly dev: number;
}

/** Longer than any line: what is read of the end to find the last one. */
const TAIL_BYTES = 2 ** 18;
/** Enough for the first line. */
const FIRST_BYTES = 2 ** 15;
/** The lock is given back when nothing was written for so long, and to others that may wait after so long. */
const REST_MS = 20;
const LONGEST_HOLD_MS = 250;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Appends to a file that only its owner can read, each line chained to the one before (chain.ts). Several processes
 * may write: each takes the lock, goes on where the others came to, and gives it back. The file is opened anew where
 * the name leads to another one by then. What breaks the chain is told by `audit.break` in the chain itself.
 */
export class ChainedFile implements AuditSink {
  readonly #options: ChainedFileOptions;
  readonly #path: string;
  readonly #headPath: string;
  readonly #lock: FileLock;
  readonly #head: ChainHead;
  #file: FileHandle | null = null;
  #identity: FileIdentity | null = null;
  /** Where the chain was when we wrote last; null where that is not known. */
  #last: { readonly state: ChainState; readonly size: number } | null = null;
  #begunAtMs: number | null = null;
  #prunedAtMs: number | null = null;
  #heldSinceMs: number | null = null;
  #cancelRelease = (): void => {};
  #releasing: Promise<void> = Promise.resolve();
  /** The head of what was written last. */
  #sealing: Promise<void> = Promise.resolve();

  constructor(options: ChainedFileOptions) {
    this.#options = options;
    this.#path = join(options.dir, CURRENT);
    this.#headPath = join(options.dir, "audit.head");
    this.#lock = new FileLock(join(options.dir, "audit.lock"), options.clock);
    this.#head = new ChainHead(this.#headPath, options.key);
  }

  async write(events: readonly AuditEvent[]): Promise<void> {
    await this.#take();
    try {
      await this.#writeAlone(events);
    } finally {
      if (this.#heldSinceMs !== null) {
        this.#cancelRelease = this.#options.clock.after(REST_MS, () => this.#release(), { isIdle: true });
      }
    }
  }

  async close(): Promise<void> {
    this.#cancelRelease();
    if (this.#heldSinceMs !== null) this.#release();
    await this.#releasing;
    await this.#closeFile();
    await this.#head.close();
  }

  /** Taken once for what is written in a row: making and removing a file takes longer than all the rest. */
  async #take(): Promise<void> {
    const { dir, clock } = this.#options;
    this.#cancelRelease();
    if (this.#heldSinceMs !== null) {
      if (clock.nowMs() - this.#heldSinceMs < LONGEST_HOLD_MS) return;
      await this.#sealing;
      this.#heldSinceMs = null;
      await this.#lock.yield();
      this.#heldSinceMs = clock.nowMs();
      return;
    }
    await this.#releasing;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await this.#lock.take();
    this.#heldSinceMs = clock.nowMs();
  }

  #release(): void {
    this.#heldSinceMs = null;
    // What of the lock cannot be removed others take away when this process is gone.
    this.#releasing = this.#sealing.then(() => this.#lock.release()).catch(() => undefined);
  }

  async #writeAlone(events: readonly AuditEvent[]): Promise<void> {
    const { key, stamp } = this.#options;
    await this.#sealing;
    let { file, size } = await this.#current();
    const last = this.#last;
    this.#last = null;
    let found: Found =
      last !== null && last.size === size ? goesOn(last.state) : await this.#find(file, size);
    if (found.isBeforeChain || (found.half === null && (await this.#isDue(file, size)))) {
      ({ file, size } = await this.#putAside(found.state));
    }
    const old = await this.#tooOld();
    const own = [...found.breaks, ...(old === null ? [] : [old.entry])].map(stamp);
    const start = found.half === null ? "" : "\n";
    const lines: string[] = [];
    for (const event of [...own, ...events]) {
      const { line, state } = chainLine(event, found.state, key, found.half);
      lines.push(`${line}\n`);
      found = goesOn(state);
    }
    const bytes = Buffer.from(start + lines.join(""));
    await this.#head.open();
    await append(file, bytes, size);
    this.#last = { state: found.state, size: size + bytes.length };
    // Nobody waits for it: a process that is killed before leaves a line more than its head tells of.
    this.#sealing = this.#head.write(found.state).catch(() => {
      this.#last = null;
    });
    for (const path of old?.paths ?? []) await rm(path, { force: true });
  }

  /** The file that has the name now. */
  async #current(): Promise<{ readonly file: FileHandle; readonly size: number }> {
    if (this.#file !== null) {
      const named = await statOf(this.#path);
      if (named !== null && named.ino === this.#identity?.ino && named.dev === this.#identity.dev) {
        return { file: this.#file, size: named.size };
      }
      // What cannot be flushed of a file that nobody finds any more is no reason not to write to the next.
      await this.#closeFile().catch(() => undefined);
    }
    const file = await open(this.#path, "a+", 0o600);
    const identity = await file.stat();
    this.#identity = identity;
    this.#file = file;
    this.#last = null;
    this.#begunAtMs = null;
    return { file, size: identity.size };
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Where the chain has come to: what the file ends with, and what was written of that it must. */
  async #find(file: FileHandle, size: number): Promise<Found> {
    const { key } = this.#options;
    const tail = await readTail(file, size);
    const end = tail.lastIndexOf("\n");
    const half = tail.slice(end + 1);
    const line = end < 0 ? null : tail.slice(tail.lastIndexOf("\n", end - 1) + 1, end);
    const link = line === null ? null : readLink(line, key);
    const head = await readHead(this.#headPath, key);
    if (head === null && link === null && line !== null && (await isBeforeChain(file))) {
      return { ...goesOn(CHAIN_START), isBeforeChain: true };
    }
    const breaks: AuditEntry[] = [];
    if (half !== "") breaks.push(breakEntry("half_line", { bytes: half.length }));
    let state: ChainState = head === null || head === false ? (link ?? CHAIN_START) : head;
    if (head === null || head === false) {
      if (head === false || line !== null) breaks.push(breakEntry("head_missing", {}));
    } else if (link !== null && (link.seq > head.seq || link.digest === head.digest)) {
      // Who wrote it was killed before it wrote the head.
      state = link;
    } else if (line !== null) {
      breaks.push(breakEntry("lines_missing", { missing: head.seq - (link?.seq ?? 0) }));
    }
    return { state, half: half === "" ? null : digestOf(half, "latin1"), breaks, isBeforeChain: false };
  }

  async #isDue(file: FileHandle, size: number): Promise<boolean> {
    const { bytes, afterMs } = this.#options.rotation;
    if (size === 0) return false;
    if (bytes > 0 && size >= bytes) return true;
    if (afterMs === 0) return false;
    this.#begunAtMs ??= await firstTimestampMs(file);
    return this.#begunAtMs !== null && this.#options.clock.date().getTime() - this.#begunAtMs >= afterMs;
  }

  async #putAside({ seq }: ChainState) {
    const { dir, clock } = this.#options;
    await this.#closeFile();
    await rename(this.#path, join(dir, asideName(clock.date(), seq)));
    this.#prunedAtMs = null;
    return this.#current();
  }

  /** What is to be deleted, and the event that tells of it before; null where nothing is. Looked for once an hour. */
  async #tooOld(): Promise<{ readonly entry: AuditEntry; readonly paths: readonly string[] } | null> {
    const { dir, clock, rotation } = this.#options;
    if (rotation.keepBytes === 0 && rotation.keepMs === 0) return null;
    if (this.#prunedAtMs !== null && clock.nowMs() - this.#prunedAtMs < PRUNE_EVERY_MS) return null;
    this.#prunedAtMs = clock.nowMs();
    const files = await asideFiles(dir);
    const nowMs = clock.date().getTime();
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    let count = 0;
    for (const { path, bytes, writtenAtMs } of files) {
      const isOld = rotation.keepMs > 0 && nowMs - writtenAtMs > rotation.keepMs;
      if (!isOld && (rotation.keepBytes === 0 || total <= rotation.keepBytes)) break;
      // Nor those after it: what is deleted ends at one line of the chain.
      if (rotation.mayDelete !== undefined && !(await rotation.mayDelete(basename(path)))) break;
      total -= bytes;
      count++;
    }
    const last = files[count - 1];
    if (last === undefined) return null;
    return {
      entry: { type: "audit.pruned", severity: "notice", counts: { files: count, up_to_seq: last.lastSeq } },
      paths: files.slice(0, count).map(({ path }) => path),
    };
  }
}

function goesOn(state: ChainState): Found {
  return { state, half: null, breaks: [], isBeforeChain: false };
}

/** `half_line`: what a killed process left. `lines_missing`, `head_missing`: what was written is not there. */
function breakEntry(
  action: "half_line" | "lines_missing" | "head_missing",
  counts: Readonly<Record<string, number>>,
): AuditEntry {
  return { type: "audit.break", severity: action === "half_line" ? "warning" : "error", action, counts };
}

/**
 * All or, where the disk is full, nothing: what was begun is cut off again, so that no line is torn or there twice. */
async function append(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
  let written = 0;
  try {
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
  } catch (error) {
    if (written > 0 && (await file.stat()).size === size + written) await file.truncate(size);
    throw error;
  }
}

async function readTail(file: FileHandle, size: number): Promise<string> {
  const length = Math.min(size, TAIL_BYTES);
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, size - length + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.toString("latin1", 0, read);
}

async function firstBytes(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

async function isBeforeChain(file: FileHandle): Promise<boolean> {
  return !(await firstBytes(file)).includes('"chain":');
}

async function firstTimestampMs(file: FileHandle): Promise<number | null> {
  const at = /"timestamp":"([^"]+)"/.exec(await firstBytes(file))?.[1];
  const ms = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}

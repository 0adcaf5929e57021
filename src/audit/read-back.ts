import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Slice } from "../platform/loop-turns.ts";
import { type AuditEvent, auditEventSchema } from "./audit-event.ts";
import { digestOf, readLink } from "./chain.ts";
import { readHead } from "./chain-head.ts";
import { ChainKey } from "./chain-key.ts";
import { type LogFile, logFiles } from "./log-files.ts";

/** What is looked for; absent: everything. */
export interface AuditQuery {
  /** Types, or groups of them: `approval.granted`, `approval.*`. */
  readonly types?: readonly string[];
  /** Part of a name or of an id, small and large letters alike. */
  readonly actor?: string;
  /** The id of a desktop. */
  readonly desktop?: string;
  readonly from?: Date;
  readonly until?: Date;
  /** Lines before this number alone: where the page before came to. */
  readonly before?: number;
  /** Events in the answer. */
  readonly most: number;
}

/** An event as it stands in the log. */
export interface FoundEvent {
  readonly event: Omit<AuditEvent, "chain" | "event_type"> & { readonly event_type: string };
  /** The number of its line. */
  readonly seq: number;
  /** False where the line is not as it was written, or was written under another key. */
  readonly isIntact: boolean;
}

/** Some of the log, the newest first. */
export interface AuditPage {
  readonly events: readonly FoundEvent[];
  /** `before` of the next page; null where the log begins, or nothing older can be asked for. */
  readonly next: number | null;
  /** Up to when the log was looked through; null where it has no line there. */
  readonly lookedBackTo: string | null;
  /** Of the lines that were looked through, found or not. */
  readonly lines: number;
  readonly changedLines: number;
  /** Numbers that no line has, between these lines or, on the first page, after the last one. */
  readonly missingLines: number;
}

/** Of an older or newer version too, whose types are others. */
const foundSchema = z.object({
  ...auditEventSchema.omit({ chain: true }).shape,
  event_type: z.string().max(100),
});

const CHUNK_BYTES = 2 ** 16;
/** Looked through for one page: some 8,000 lines. Who looks for what is rare asks for the next page. */
const MOST_BYTES = 2 ** 22;
/** Longer is no line of ours. */
const LONGEST_LINE = 2 ** 20;
/** Lines stand in the order of their numbers, and of their times but for clocks that were put back, by less than this. */
const CLOCK_SLACK_MS = 86_400_000;
const SEQ = /,"chain":\{"seq":(\d{1,15}),"prev":"/;

/** Reads the log of a data directory from its end, for people: in bounded parts, each in slices of the event loop. */
export class AuditLog {
  readonly #dir: string;
  readonly #key: ChainKey;

  constructor(dir: string, key: ChainKey) {
    this.#dir = dir;
    this.#key = key;
  }

  /** `key`: the secret of the configuration, null for the one in the directory. Throws AuditError bad_key. */
  static async open(dir: string, key: string | null): Promise<AuditLog> {
    return new AuditLog(dir, await ChainKey.open(dir, key));
  }

  /** What stands before the chain, in a log of an older version, is left out. */
  async read(query: AuditQuery): Promise<AuditPage> {
    const page = await this.#readOnce(query);
    // A file that was put aside between the list of files and its opening looks like lines that are missing.
    return page.missingLines === 0 ? page : await this.#readOnce(query);
  }

  async #readOnce(query: AuditQuery): Promise<AuditPage> {
    // Read first: whatever it tells of is in the files by then.
    const head = query.before === undefined ? await readHead(join(this.#dir, "audit.head"), this.#key) : null;
    const before = query.before ?? Number.POSITIVE_INFINITY;
    const files = (await logFiles(this.#dir)).filter(({ firstSeq }) => firstSeq > 0 && firstSeq < before);
    const look = new BackwardLook(query, this.#key, head ? head.seq : null);
    for (const file of files.reverse()) {
      await lookThrough(file, before, look);
      if (look.isDone) break;
    }
    return look.page();
  }
}

/** Gives the lines of a file to `look`, the last first, until it has enough. */
async function lookThrough({ path }: LogFile, before: number, look: BackwardLook): Promise<void> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    let end = before === Number.POSITIVE_INFINITY ? size : await offsetOf(file, size, before);
    /** The end of a line whose beginning lies before the chunk. */
    let rest = "";
    let isFirst = true;
    const slice = new Slice("later");
    while (end > 0 && !look.isDone) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      look.tookBytes(bytesRead);
      const parts = `${buffer.toString("latin1", 0, bytesRead)}${rest}`.split("\n");
      rest = start === 0 ? "" : (parts.shift() ?? "");
      if (rest.length > LONGEST_LINE) rest = "";
      // What stands behind the last line end is being written, or was left by a process that was killed.
      if (isFirst) parts.pop();
      isFirst = false;
      for (const line of parts.reverse()) {
        if (look.hasEnough) break;
        if (slice.isOver) await slice.next();
        look.line(line);
      }
      end = start;
    }
  } finally {
    await file.close();
  }
}

/** Where lines with this number and later ones begin, or a little behind that. */
async function offsetOf(file: FileHandle, size: number, seq: number): Promise<number> {
  let low = 0;
  let high = size;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  while (high - low > CHUNK_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, middle);
    const found = firstLine(chunk.toString("latin1", 0, bytesRead));
    const at = found === null ? high : middle + found.offset;
    if (found === null || at >= high) break;
    if (found.seq >= seq) high = at;
    else low = at;
  }
  return high;
}

/** The first whole line with a number in a text that begins within a line. */
function firstLine(text: string): { readonly offset: number; readonly seq: number } | null {
  for (let start = text.indexOf("\n") + 1; start > 0; ) {
    const end = text.indexOf("\n", start);
    if (end < 0) return null;
    const seq = SEQ.exec(text.slice(start, end))?.[1];
    if (seq !== undefined) return { offset: start, seq: Number(seq) };
    start = end + 1;
  }
  return null;
}

/** What one page finds, line by line from the newest. */
class BackwardLook {
  readonly #query: AuditQuery;
  readonly #key: ChainKey;
  readonly #actor: string | null;
  readonly #events: FoundEvent[] = [];
  /** The lowest number of a line that was looked at, whoever wrote it: where the next page goes on. */
  #cursor: number | null;
  /** The number of the last line that is as it was written, and how many others came since. */
  #intact: number | null;
  #strange = 0;
  /** The half line before it that the line looked at last tells of, by its digest. */
  #half: string | null = null;
  #lookedBackTo: string | null = null;
  #bytes = 0;
  #lines = 0;
  #changed = 0;
  #missing = 0;
  #isBeforeTime = false;

  constructor(query: AuditQuery, key: ChainKey, headSeq: number | null) {
    this.#query = query;
    this.#key = key;
    this.#actor = query.actor?.toLowerCase() ?? null;
    this.#cursor = query.before ?? null;
    this.#intact = query.before ?? (headSeq === null ? null : headSeq + 1);
  }

  get hasEnough(): boolean {
    return this.#events.length >= this.#query.most || this.#isBeforeTime;
  }

  get isDone(): boolean {
    return this.hasEnough || this.#bytes >= MOST_BYTES;
  }

  tookBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Its bytes as latin1, without its end. */
  line(text: string): void {
    const link = readLink(text, this.#key);
    const seq = link?.seq ?? Number(SEQ.exec(text)?.[1] ?? 0);
    const { before, from } = this.#query;
    if (text === "" || (before !== undefined && seq >= before)) return;
    // A killed process left it, and the line behind it says so under the key.
    if (link === null && this.#half !== null && digestOf(text, "latin1") === this.#half) return;
    this.#lines++;
    this.#half = link?.half ?? null;
    if (link === null) {
      this.#changed++;
      this.#strange++;
    } else {
      if (this.#intact !== null) this.#missing += Math.max(0, this.#intact - seq - 1 - this.#strange);
      this.#intact = seq;
      this.#strange = 0;
    }
    if (seq === 0) return;
    this.#cursor = Math.min(seq, this.#cursor ?? seq);
    const event = eventOf(text);
    if (event === null) return;
    this.#lookedBackTo = event.timestamp;
    const atMs = Date.parse(event.timestamp);
    if (from !== undefined && atMs < from.getTime() - CLOCK_SLACK_MS) this.#isBeforeTime = true;
    else if (this.#isWanted(event, atMs)) this.#events.push({ event, seq, isIntact: link !== null });
  }

  page(): AuditPage {
    const isMoreWanted = this.isDone && !this.#isBeforeTime;
    return {
      events: this.#events,
      next: isMoreWanted && this.#cursor !== null && this.#cursor > 1 ? this.#cursor : null,
      lookedBackTo: this.#lookedBackTo,
      lines: this.#lines,
      changedLines: this.#changed,
      missingLines: this.#missing,
    };
  }

  #isWanted({ event_type, actor, resource, action }: FoundEvent["event"], atMs: number): boolean {
    const { types, desktop, from, until } = this.#query;
    if (from !== undefined && atMs < from.getTime()) return false;
    if (until !== undefined && atMs > until.getTime()) return false;
    if (types !== undefined && !types.some((type) => isOfType(event_type, type))) return false;
    if (this.#actor !== null) {
      const told = actor === null ? "" : `${actor.name}\n${actor.user_id}`.toLowerCase();
      if (!told.includes(this.#actor)) return false;
    }
    if (desktop === undefined) return true;
    if (resource?.kind === "desktop" || resource?.kind === "connection") return resource.id === desktop;
    // secret.used tells the desktop there: see secretEntries.
    return resource?.kind === "secret" && action?.endsWith(` on ${desktop}`) === true;
  }
}

function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith(".*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function eventOf(line: string): FoundEvent["event"] | null {
  try {
    return foundSchema.safeParse(JSON.parse(Buffer.from(line, "latin1").toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}

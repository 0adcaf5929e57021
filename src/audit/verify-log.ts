import type { ChainLink, ChainState } from "./chain.ts";
import { digestOf, readLink } from "./chain.ts";
import type { ChainKey } from "./chain-key.ts";
import { AuditError } from "./error.ts";
import { linesOf } from "./log-files.ts";

/** A file of a log, and how much of it was there when the head was read. */
export interface LogPart {
  readonly path: string;
  readonly bytes?: number;
}

/** The first line that is not as it was written. */
export interface LogFault {
  readonly kind: "changed" | "missing" | "added" | "reordered" | "half" | "unproven";
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export interface LogReport {
  readonly fault: LogFault | null;
  /** Chained lines up to the fault, and signed ones of them. */
  readonly lines: number;
  readonly checkpoints: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number;
  /** What the chain itself tells that happened to it. */
  readonly notes: readonly string[];
  /** Numbers of lines that are in none of the files, where the check goes on behind them. */
  readonly gaps: readonly string[];
}

export interface VerifyOptions {
  readonly key: ChainKey;
  /** `audit.head`: where the chain has come to; `undefined` where only some files are checked. */
  readonly head?: ChainState | null | false;
  /** Lines that are in no file are told by `gaps`, and are no fault: what is there is checked all the same. */
  readonly namesGaps?: boolean;
}

const TYPE = /"event_type":"([a-z_.]+)"/;

/** Reads files of one log, in the order of their lines, and finds the first line that is not as it was written. */
export async function verifyLog(parts: readonly LogPart[], options: VerifyOptions): Promise<LogReport> {
  const check = new LogCheck(parts, options);
  for (const part of parts) {
    const at = { path: part.path, line: 1 };
    try {
      for await (const { text, number, isWhole } of linesOf(part.path, part.bytes, options.key)) {
        at.line = number;
        const fault = await check.line(text, { ...at }, isWhole);
        if (fault !== null) return check.report(fault);
      }
    } catch (error) {
      if (!(error instanceof AuditError)) throw error;
      return check.report({ kind: "changed", ...at, message: error.message });
    }
  }
  return check.report(check.end());
}

interface Place {
  readonly path: string;
  readonly line: number;
}

class LogCheck {
  readonly #parts: readonly LogPart[];
  readonly #options: VerifyOptions;
  readonly #notes: string[] = [];
  readonly #gaps: string[] = [];
  #last: ChainLink | null = null;
  #first: { readonly seq: number; readonly at: Place } | null = null;
  #lastPlace: Place;
  #lines = 0;
  #checkpoints = 0;
  /** Up to which number lines were deleted, as the log tells. */
  #prunedTo = 0;
  /** Half a line, which the next one must tell of. */
  #half: { readonly digest: string; readonly at: Place } | null = null;
  #isHeadSeen = false;

  constructor(parts: readonly LogPart[], options: VerifyOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#lastPlace = { path: parts[0]?.path ?? "", line: 0 };
  }

  async line(text: string, at: Place, isWhole: boolean): Promise<LogFault | null> {
    this.#lastPlace = at;
    const link = isWhole ? readLink(text, this.#options.key) : null;
    const half = this.#half;
    if (link === null) {
      if (half !== null) return this.#strange(half.at);
      this.#half = { digest: digestOf(text, "latin1"), at };
      return null;
    }
    this.#half = null;
    if ((link.half ?? null) !== (half?.digest ?? null)) {
      if (half !== null) return this.#strange(half.at);
      return { kind: "missing", ...at, message: "the half line that this one tells of is not before it" };
    }
    return (await this.#order(link, at)) ?? this.#take(link, text, at);
  }

  /** After the last line. */
  end(): LogFault | null {
    const { head } = this.#options;
    const at = this.#lastPlace;
    if (this.#half !== null) {
      return {
        ...{ kind: "half", ...this.#half.at },
        message:
          "the log ends in half a line: the process that wrote it was killed (the next start tells of it), or it was cut",
      };
    }
    if (head === undefined) return null;
    if (head === false) {
      return {
        kind: "unproven",
        ...at,
        message: "audit.head is not as it was written, or under another key",
      };
    }
    const lastSeq = this.#last?.seq ?? 0;
    if (head === null) {
      if (this.#last === null) return null;
      return { kind: "unproven", ...at, message: "audit.head is missing: nothing tells where the log ends" };
    }
    if (head.seq > lastSeq) return this.#missing(lastSeq + 1, head.seq, at, "after");
    if (!this.#isHeadSeen) {
      return { kind: "unproven", ...at, message: "audit.head tells of another line than is there" };
    }
    const first = this.#first;
    if (first === null || first.seq <= this.#prunedTo + 1 || this.#options.namesGaps === true) return null;
    return this.#missing(1, first.seq - 1, first.at, "before");
  }

  report(fault: LogFault | null): LogReport {
    return {
      fault,
      lines: this.#lines,
      checkpoints: this.#checkpoints,
      firstSeq: this.#first?.seq ?? null,
      lastSeq: this.#last?.seq ?? 0,
      notes: this.#notes,
      gaps: this.#gaps,
    };
  }

  async #order(link: ChainLink, at: Place): Promise<LogFault | null> {
    const last = this.#last;
    if (last === null) {
      if (this.#options.namesGaps === true && link.seq > 1)
        return this.#missing(1, link.seq - 1, at, "before");
      return link.seq === 1 && link.prev !== ""
        ? { kind: "unproven", ...at, message: "the first line names one before it" }
        : null;
    }
    if (link.seq === last.seq + 1) {
      return link.prev === last.digest
        ? null
        : { kind: "added", ...at, message: "the line before is another than this one was written after" };
    }
    if (link.seq <= last.seq) {
      return {
        kind: "added",
        ...at,
        message: `line ${link.seq} stands before line ${last.seq} already, or belongs there`,
      };
    }
    return (await this.#holds(last.seq + 1))
      ? { kind: "reordered", ...at, message: `line ${link.seq} stands before line ${last.seq + 1}` }
      : this.#missing(last.seq + 1, link.seq - 1, at, "before");
  }

  #missing(from: number, to: number, at: Place, where: "before" | "after"): LogFault | null {
    const message = `${span(from, to)} ${where} this one`;
    if (this.#options.namesGaps !== true) return { kind: "missing", ...at, message };
    this.#gaps.push(`${at.path}:${at.line}: missing: ${message}`);
    return null;
  }

  #take(link: ChainLink, text: string, at: Place): LogFault | null {
    const { head } = this.#options;
    this.#first ??= { seq: link.seq, at };
    this.#last = link;
    this.#lines++;
    if (link.isSigned) this.#checkpoints++;
    if (head !== undefined && head !== null && head !== false && head.seq === link.seq) {
      this.#isHeadSeen = head.digest === link.digest;
    }
    const type = TYPE.exec(text)?.[1];
    if (type === "audit.pruned") this.#prunedTo = Math.max(this.#prunedTo, countOf(text, "up_to_seq"));
    if (type === "audit.gap")
      this.#notes.push(
        `${at.path}:${at.line}: ${countOf(text, "dropped")} events were dropped while the log could not be written`,
      );
    if (type !== "audit.break") return null;
    if (text.includes('"action":"half_line"')) {
      this.#notes.push(`${at.path}:${at.line}: half a line before it was left by a process that was killed`);
      return null;
    }
    return {
      kind: "unproven",
      ...at,
      message: text.includes('"action":"head_missing"')
        ? "audit.head was gone or changed when this was written: lines before it may be missing"
        : `${countOf(text, "missing")} lines were gone from the end when this was written`,
    };
  }

  /** A line whose link does not hold: in the place of one that should be there, or between two. */
  async #strange(at: Place): Promise<LogFault> {
    const next = (this.#last?.seq ?? 0) + 1;
    return (await this.#holds(next))
      ? { kind: "added", ...at, message: "this line was not written by the audit log" }
      : {
          kind: "changed",
          ...at,
          message: `this is not line ${next} as it was written, or under another key`,
        };
  }

  /** Whether a line is there at all. */
  async #holds(seq: number): Promise<boolean> {
    for (const { path, bytes } of this.#parts) {
      for await (const { text, isWhole } of linesOf(path, bytes, this.#options.key)) {
        if (isWhole && text.includes(`"chain":{"seq":${seq},`) && readLink(text, this.#options.key))
          return true;
      }
    }
    return false;
  }
}

function span(from: number, to: number): string {
  return from === to ? `line ${from} is missing` : `lines ${from} to ${to} are missing`;
}

function countOf(text: string, name: string): number {
  return Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1] ?? 0);
}

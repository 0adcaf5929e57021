import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { openCopy, SEALED } from "./archive/sealed-copy.ts";
import type { ChainKey } from "./chain-key.ts";
import { AuditError } from "./error.ts";

/** The file that is written to. */
export const CURRENT = "audit.ndjson";
/** Ours, put aside: when, and the number of the last line. Others rotate by a suffix behind the name. */
const PUT_ASIDE = /^audit\.\d{8}T\d{9}Z\.(\d{15})\.ndjson$/;
const OURS = /^audit\.(?:\d{8}T\d{9}Z\.\d{15}\.)?ndjson(?:[.-][\w-]+)?$/;

export function asideName(at: Date, lastSeq: number): string {
  const when = at.toISOString().replaceAll(/[-:.]/g, "");
  return `audit.${when}.${String(lastSeq).padStart(15, "0")}.ndjson`;
}

export function isAside(name: string): boolean {
  return PUT_ASIDE.test(name);
}

/** What a rotation of ours put aside, the oldest first. */
export interface AsideFile {
  readonly path: string;
  readonly lastSeq: number;
  readonly bytes: number;
  /** Of its last line. */
  readonly writtenAtMs: number;
}

export async function asideFiles(dir: string): Promise<AsideFile[]> {
  const files: AsideFile[] = [];
  for (const name of (await readdir(dir)).sort()) {
    const seq = PUT_ASIDE.exec(name)?.[1];
    if (seq === undefined) continue;
    const path = join(dir, name);
    const { size: bytes, mtimeMs: writtenAtMs } = await stat(path);
    files.push({ path, lastSeq: Number(seq), bytes, writtenAtMs });
  }
  return files;
}

/** A file of the log, and the number of its first line: 0 where it was written before there was a chain. */
export interface LogFile {
  readonly path: string;
  readonly bytes: number;
  readonly firstSeq: number;
}

/**
 * All files of the log in a directory, those that logrotate renamed too, in the order of their lines. `key`: opens copies that
 * were encrypted for an archive.
 */
export async function logFiles(dir: string, key: ChainKey | null = null): Promise<LogFile[]> {
  const files: LogFile[] = [];
  for (const name of (await readdir(dir)).sort()) {
    if (!OURS.test(name)) continue;
    const path = join(dir, name);
    files.push({ path, bytes: (await stat(path)).size, firstSeq: await firstSeq(path, key) });
  }
  return files.sort((a, b) => a.firstSeq - b.firstSeq);
}

/** A line of a log: its bytes as latin1, without its end. */
export interface LogLine {
  readonly text: string;
  /** From 1 on. */
  readonly number: number;
  /** Whether its end was there; only the last may lack it. */
  readonly isWhole: boolean;
}

/** Longer is no line of ours, and is given in parts of this length. */
const LONGEST_LINE = 2 ** 20;

/**
 * The lines of the first `bytes` of a file, or of all of an encrypted copy, where there is a key. Throws AuditError damaged for
 * a copy that is not as it was encrypted.
 */
export async function* linesOf(
  path: string,
  bytes = Number.POSITIVE_INFINITY,
  key: ChainKey | null = null,
): AsyncGenerator<LogLine> {
  if (bytes === 0) return;
  let rest = "";
  let number = 1;
  const isSealed = key !== null && path.endsWith(SEALED);
  const chunks = isSealed
    ? openCopy(path, key)
    : createReadStream(path, { encoding: "latin1", end: bytes - 1 });
  for await (const chunk of chunks) {
    const parts = `${rest}${chunk}`.split("\n");
    rest = parts.pop() ?? "";
    for (const text of parts) yield { text, number: number++, isWhole: true };
    for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) {
      yield { text: rest.slice(0, LONGEST_LINE), number, isWhole: false };
    }
  }
  if (rest !== "") yield { text: rest, number, isWhole: false };
}

const FIRST_LINES = 20;

/** By which files are put into order; what it says is checked later. Files without a chained line come first. */
async function firstSeq(path: string, key: ChainKey | null): Promise<number> {
  try {
    for await (const { text, number } of linesOf(path, undefined, key)) {
      const seq = /,"chain":\{"seq":(\d{1,15}),/.exec(text)?.[1];
      if (seq !== undefined) return Number(seq);
      if (number >= FIRST_LINES) break;
    }
  } catch (error) {
    // Whoever reads its lines is told.
    if (!(error instanceof AuditError)) throw error;
  }
  return 0;
}

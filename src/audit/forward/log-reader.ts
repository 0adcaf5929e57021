import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { CURRENT, type LogFile, logFiles } from "../log-files.ts";
import type { Cursor } from "./cursor.ts";

/** A line of the log as it stands there, without its end. */
export interface SentLine {
  readonly text: string;
  readonly seq: number;
}

export interface LogBatch {
  readonly lines: readonly SentLine[];
  /** Behind the last of them. */
  readonly cursor: Cursor;
  /** Lines before them that are in no file any more. */
  readonly missing: number;
}

/** What is read at a time; longer than any line. */
const CHUNK_BYTES = 2 ** 18;
const SEQ = /,"chain":\{"seq":(\d{1,15}),"prev":"/;

/**
 * The lines of the log behind a cursor, at most so many, through files that were put aside. None where all were read.
 * Half a line at the end is left until it is whole; one that a killed process left is passed over.
 */
export async function readBehind(dir: string, cursor: Cursor, most: number): Promise<LogBatch> {
  let at = await fileAt(dir, cursor);
  let missing = 0;
  for (;;) {
    if (at === null) return { lines: [], cursor, missing: 0 };
    const { lines, offset } = await linesFrom(at.path, at.offset, at.seq, most);
    const first = lines[0];
    const last = lines.at(-1);
    if (first !== undefined && last !== undefined) {
      missing += first.seq - cursor.seq - 1;
      return { lines, cursor: { seq: last.seq, ino: at.ino, offset }, missing };
    }
    if (offset > at.offset) {
      at = { ...at, offset };
      continue;
    }
    const next = await fileBehind(dir, at.seq, at.ino);
    at = next === null ? null : { ...next, seq: at.seq };
  }
}

/** Bytes of the log behind a cursor, what was put aside included. */
export async function bytesBehind(dir: string, cursor: Cursor): Promise<number> {
  const at = await fileAt(dir, cursor);
  if (at === null) return 0;
  // None is newer than the one that is written to.
  if (at.path === join(dir, CURRENT)) return ((await statOrNull(at.path))?.size ?? at.offset) - at.offset;
  const all = await chained(dir);
  const nth = all.findIndex(({ path }) => path === at.path);
  return all.slice(nth).reduce((sum, { bytes }) => sum + bytes, -at.offset);
}

interface Place {
  readonly path: string;
  readonly ino: number;
  readonly offset: number;
  /** Lines up to this one are had. */
  readonly seq: number;
}

async function fileAt(dir: string, { seq, ino, offset }: Cursor): Promise<Place | null> {
  const current = join(dir, CURRENT);
  // Mostly the file that is written to, and then no other one needs to be looked at.
  const hinted = await statOrNull(current);
  if (hinted !== null && hinted.ino === ino && hinted.size >= offset)
    return { path: current, ino, offset, seq };
  const all = await chained(dir);
  for (const { path } of all) {
    const found = await statOrNull(path);
    if (found !== null && found.ino === ino && found.size >= offset) return { path, ino, offset, seq };
  }
  const file = all.findLast(({ firstSeq }) => firstSeq <= seq + 1) ?? all[0];
  if (file === undefined) return null;
  return { path: file.path, ino: (await statOrNull(file.path))?.ino ?? 0, offset: 0, seq };
}

/** The next file with lines that are not had. */
async function fileBehind(dir: string, seq: number, ino: number): Promise<Omit<Place, "seq"> | null> {
  for (const { path, firstSeq } of await chained(dir)) {
    if (firstSeq <= seq) continue;
    const found = await statOrNull(path);
    if (found !== null && found.ino !== ino) return { path, ino: found.ino, offset: 0 };
  }
  return null;
}

async function chained(dir: string): Promise<readonly LogFile[]> {
  return (await logFiles(dir)).filter(({ firstSeq }) => firstSeq > 0);
}

async function linesFrom(
  path: string,
  from: number,
  seqHad: number,
  most: number,
): Promise<{ readonly lines: readonly SentLine[]; readonly offset: number }> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, from);
    const lines: SentLine[] = [];
    let offset = 0;
    let seq = seqHad;
    while (lines.length < most) {
      const end = buffer.subarray(0, bytesRead).indexOf(0x0a, offset);
      if (end < 0) break;
      const text = buffer.toString("utf8", offset, end);
      const found = SEQ.exec(text)?.[1];
      offset = end + 1;
      if (found === undefined || Number(found) <= seq) continue;
      seq = Number(found);
      lines.push({ text, seq });
    }
    return { lines, offset: from + offset };
  } finally {
    await file.close();
  }
}

async function statOrNull(path: string): Promise<{ readonly ino: number; readonly size: number } | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}

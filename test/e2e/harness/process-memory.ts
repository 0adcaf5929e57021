import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

const CHUNK = 1 << 20;
const ZEROS = Buffer.alloc(CHUNK);

/**
 * Writes all memory that a process has written to a file, as a core file of its crash would hold it; gives the bytes. gcore
 * is not used: it also writes what a process only reserved, some ten gigabytes for WebAssembly.
 */
export function dumpMemory(pid: number, path: string): number {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const out = openSync(path, "w", 0o600);
  const chunk = Buffer.alloc(CHUNK);
  let total = 0;
  try {
    for (const { from, to } of residentParts(readFileSync(`/proc/${pid}/smaps`, "latin1"))) {
      for (let at = from; at < to; at += CHUNK) {
        const read = readPart(memory, chunk, at, Math.min(CHUNK, to - at));
        if (read === 0 || chunk.compare(ZEROS, 0, read, 0, read) === 0) continue;
        writeSync(out, chunk, 0, read);
        total += read;
      }
    }
  } finally {
    closeSync(memory);
    closeSync(out);
  }
  return total;
}

/** 0 for what went since. */
function readPart(memory: number, chunk: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, chunk, 0, length, at);
  } catch {
    return 0;
  }
}

/** Readable mappings of which some pages are in memory, proc_pid_smaps(5). */
function residentParts(smaps: string): { readonly from: number; readonly to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let now: { from: number; to: number } | null = null;
  for (const line of smaps.split("\n")) {
    const [, from, to, mode] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (from !== undefined && to !== undefined) {
      const isReadable = mode?.startsWith("rw") === true;
      now = isReadable ? { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) } : null;
    } else if (now !== null && /^Rss: +[1-9]/.test(line)) parts.push(now);
  }
  return parts;
}

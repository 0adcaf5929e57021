import { clearedScratch } from "../framebuffer/kernels/kernel-scratch.ts";

/** What the kernel asks for; see assembly/deflate.ts. */
const TABLES_BYTES = 45_056;
const TOKEN_BYTES = 4;
const RGB_BYTES = 3;

function mostBytes(sizeBytes: number): number {
  return sizeBytes + (sizeBytes >> 3) + 1024;
}

/**
 * Raw deflate of filtered rows of `rowBytes` bytes, RGB, twice as fast as zlib's fastest level and about as small: a
 * segment that others may follow. null where there are no kernels, or no room on the scratch memory: ask zlib then.
 */
export function deflateRows(rows: Uint8Array, rowBytes: number): Uint8Array<ArrayBuffer> | null {
  const scratch = clearedScratch();
  if (scratch === null) return null;
  const count = rows.length / rowBytes;
  const source = scratch.take(rows.length);
  const tables = scratch.take(TABLES_BYTES);
  const tokens = scratch.take(TOKEN_BYTES * count * (1 + (rowBytes - 1) / RGB_BYTES));
  const target = scratch.take(mostBytes(rows.length));
  if (source < 0 || tables < 0 || tokens < 0 || target < 0) return null;
  const { bytes, kernels } = scratch;
  bytes.set(rows, source);
  const length = kernels.deflateRows(source, rowBytes, count, tables, tokens, target);
  return bytes.slice(target, target + length);
}

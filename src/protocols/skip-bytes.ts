import type { ByteQueue, Parser } from "./byte-queue.ts";

/** Passes over bytes as they come, so that they never gather in the queue. */
export function* skipBytes(from: ByteQueue, count: number): Parser<void> {
  for (let left = count; left > 0; ) {
    while (from.size === 0) yield 1;
    const step = Math.min(left, from.size);
    from.skip(step);
    left -= step;
  }
}

import { RfbError } from "../../src/protocols/rfb/error.ts";

/** One parser to attack. */
export interface FuzzTarget {
  readonly name: string;
  /** Sound inputs to begin with, beside the corpus; always the same. */
  seeds(): readonly Uint8Array[];
  /**
   * Feeds `input` in pieces of `sizes` in turn. Gives in words what came of it, which must not depend on `sizes`.
   * Throws RfbError where the input is wrong; anything else that is thrown is a finding.
   */
  run(input: Uint8Array, sizes: readonly number[]): string;
}

/** What a target may never do. */
export class Finding extends Error {
  readonly input: Uint8Array;

  constructor(message: string, input: Uint8Array, options?: ErrorOptions) {
    super(message, options);
    this.input = input;
  }
}

/** The longest input tried. */
export const MOST_INPUT_BYTES = 8192;

/** Feeding every byte alone is for short inputs. */
const BYTEWISE_BYTES = 1024;

/** Generous: machines are busy. A loop that a peer can drive costs more than this. */
const MOST_RUN_MS = 3000;

/** The largest picture, once more while it grows, and then some. */
const MOST_MEMORY_BYTES = 400 * 1024 * 1024;

const WHOLE = [Number.POSITIVE_INFINITY] as const;

/** Runs an input whole and in pieces. Throws a Finding where one of the rules is broken; gives the outcome. */
export function check(target: FuzzTarget, input: Uint8Array, sizes: readonly number[] = [7]): string {
  const memoryBefore = process.memoryUsage().arrayBuffers;
  const whole = outcomeOf(target, input, WHOLE);
  const chunkings = [sizes, ...(input.length <= BYTEWISE_BYTES ? [[1]] : [[97]])];
  for (const chunking of chunkings) {
    const outcome = outcomeOf(target, input, chunking);
    if (outcome !== whole) {
      const message = `in pieces of ${chunking.join(", ")} bytes: ${cut(outcome)}; whole: ${cut(whole)}`;
      throw new Finding(`${target.name} depends on chunking; ${message}`, input);
    }
  }
  const grown = process.memoryUsage().arrayBuffers - memoryBefore;
  if (grown > MOST_MEMORY_BYTES) throw new Finding(`${target.name} took ${grown} bytes of memory`, input);
  return whole;
}

function outcomeOf(target: FuzzTarget, input: Uint8Array, sizes: readonly number[]): string {
  const startedMs = performance.now();
  let outcome: string;
  try {
    outcome = target.run(input, sizes);
  } catch (error) {
    if (!(error instanceof RfbError)) {
      throw new Finding(`${target.name} threw ${describe(error)}`, input, { cause: error });
    }
    if (error.message.length === 0 || error.message.length > 1000) {
      throw new Finding(`${target.name} gave an error of ${error.message.length} characters`, input);
    }
    outcome = `${error.phase}: ${error.code}`;
  }
  const tookMs = performance.now() - startedMs;
  if (tookMs > MOST_RUN_MS) {
    throw new Finding(`${target.name} took ${Math.round(tookMs)} ms for ${input.length} bytes`, input);
  }
  return outcome;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : `${error}`;
}

function cut(text: string): string {
  return text.length > 300 ? `…${text.slice(-300)}` : text;
}

/** Hands out `input` in pieces of `sizes` in turn. */
export function* piecesOf(input: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let turn = 0;
  for (let at = 0; at < input.length; ) {
    const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1);
    yield input.subarray(at, Math.min(input.length, at + size));
    at += size;
  }
}

/** A short number for many: FNV-1a over bytes, or over words at once. */
export function hashOf(bytes: Uint8Array | Uint32Array, hash = 0x811c9dc5): number {
  let h = hash;
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ (bytes[i] ?? 0), 0x01000193);
  return h >>> 0;
}

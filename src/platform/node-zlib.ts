import { Buffer } from "node:buffer";
import {
  constants,
  createDeflate,
  createDeflateRaw,
  createInflate,
  deflateRawSync,
  deflateSync,
} from "node:zlib";
import type { Deflate, Inflate, InflateStream } from "../protocols/platform.ts";
import { deflateRows } from "./deflate-rows.ts";
import { pakoInflate } from "./pako-inflate.ts";
import { NO_INPUT, ZlibEngine } from "./zlib-handle.ts";

const { Z_SYNC_FLUSH } = constants;

/** Inflate on Node's own zlib, synchronous, about four times as fast as pako (performance reference 3a). */
export const nodeInflate: Inflate = () => new NodeInflateStream();

/** Node's own streams have memory for what they put out, which an engine does not use: as little as they take. */
const NO_CHUNKS = { chunkSize: constants.Z_MIN_CHUNK } as const;

/** For the byte that tells that there is one more. */
const probe = new Uint8Array(1);

class NodeInflateStream implements InflateStream {
  readonly #engine = new ZlibEngine(createInflate(NO_CHUNKS));

  inflate(input: Uint8Array, output: Uint8Array): number {
    const engine = this.#engine;
    let written = 0;
    if (output.length > 0) {
      engine.write(Z_SYNC_FLUSH, input, 0, output, 0);
      written = output.length - engine.roomLeft;
      if (engine.roomLeft > 0) {
        if (engine.inputLeft > 0)
          throw new Error(`${engine.inputLeft} bytes after the end of the zlib stream`);
        return written;
      }
    }
    // The output is full. What the stream still holds, if anything, shows as one more byte.
    const rest = output.length > 0 ? engine.inputLeft : input.length;
    const isRest = rest > 0;
    engine.write(Z_SYNC_FLUSH, isRest ? input : NO_INPUT, isRest ? input.length - rest : 0, probe, 0);
    if (engine.roomLeft === 0) throw new Error(`zlib data decodes to more than ${output.length} bytes`);
    if (engine.inputLeft > 0) throw new Error(`${engine.inputLeft} bytes after the end of the zlib stream`);
    return written;
  }

  reset(): void {
    this.#engine.reset();
  }

  close(): void {
    this.#engine.close();
  }
}

/** Node's inflate where its internals are what we know and a trial run agrees, else pako. Chosen once, at start. */
export function chooseInflate(): Inflate {
  return isSound(nodeInflate) ? nodeInflate : pakoInflate;
}

/** Tries what the decoders rely on: history over segments, exact output, refusal of more, damage, reset. */
export function isSound(inflate: Inflate): boolean {
  try {
    const text = Buffer.from("overlay companion, overlay companion, overlay companion");
    const segment = deflateSync(text, { finishFlush: Z_SYNC_FLUSH });
    const stream = inflate();
    try {
      const output = new Uint8Array(text.length);
      const half = segment.length >> 1;
      const first = stream.inflate(segment.subarray(0, half), output);
      const second = stream.inflate(segment.subarray(half), output.subarray(first));
      if (first + second !== text.length || !text.equals(output)) return false;
      stream.reset();
      if (!throws(() => stream.inflate(segment, output.subarray(1)))) return false;
      stream.reset();
      if (!throws(() => stream.inflate(Uint8Array.of(0xff, 0xff, 0xff), output))) return false;
      stream.reset();
      return stream.inflate(segment, output) === text.length && text.equals(output);
    } finally {
      stream.close();
    }
  } catch {
    return false;
  }
}

function throws(act: () => void): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

const FIRST_OUTPUT_BYTES = 64 * 1024;
const KEEP_OUTPUT_BYTES = 4 * 1024 * 1024;

/** An engine for each level, kept for the life of the process: making one costs more than a small rectangle. */
class LevelEngines {
  readonly #make: (level: number) => object;
  readonly #sync: (input: Uint8Array, level: number) => Uint8Array;
  readonly #engines = new Map<number, ZlibEngine>();
  #isUsable = true;
  #output = new Uint8Array(FIRST_OUTPUT_BYTES);

  constructor(make: (level: number) => object, sync: (input: Uint8Array, level: number) => Uint8Array) {
    this.#make = make;
    this.#sync = sync;
  }

  compress(input: Uint8Array, level: number): Uint8Array {
    const clamped = Math.min(9, Math.max(1, Math.round(level)));
    const engine = this.#engine(clamped);
    if (engine === null) return this.#sync(input, clamped);
    engine.reset();
    let written = 0;
    let read = 0;
    for (;;) {
      engine.write(Z_SYNC_FLUSH, input, read, this.#output, written);
      written = this.#output.length - engine.roomLeft;
      read = input.length - engine.inputLeft;
      if (engine.roomLeft > 0) break;
      const grown = new Uint8Array(this.#output.length * 2);
      grown.set(this.#output);
      this.#output = grown;
    }
    const result = this.#output.subarray(0, written);
    if (this.#output.length > KEEP_OUTPUT_BYTES) this.#output = new Uint8Array(FIRST_OUTPUT_BYTES);
    return result;
  }

  #engine(level: number): ZlibEngine | null {
    if (!this.#isUsable) return null;
    let engine = this.#engines.get(level);
    if (engine === undefined) {
      try {
        engine = new ZlibEngine(this.#make(level));
      } catch {
        this.#isUsable = false;
        return null;
      }
      this.#engines.set(level, engine);
    }
    return engine;
  }
}

const MEM_LEVEL = 9;

const zlibEngines = new LevelEngines(
  (level) => createDeflate({ ...NO_CHUNKS, level, memLevel: MEM_LEVEL }),
  (input, level) => deflateSync(input, { level, memLevel: MEM_LEVEL, finishFlush: Z_SYNC_FLUSH }),
);

const rawEngines = new LevelEngines(
  (level) => createDeflateRaw({ ...NO_CHUNKS, level, memLevel: MEM_LEVEL }),
  (input, level) => deflateRawSync(input, { level, memLevel: MEM_LEVEL, finishFlush: Z_SYNC_FLUSH }),
);

/** Compression on Node's zlib, and of rows of pixels by our own kernel. */
export const nodeDeflate: Deflate = {
  zlib: (input, level) => zlibEngines.compress(input, level),
  rawSegment: (input, level) => rawEngines.compress(input, level),
  rgbRows: deflateRows,
};

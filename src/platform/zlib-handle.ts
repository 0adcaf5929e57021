import { Buffer } from "node:buffer";

/**
 * The synchronous engine inside Node's own zlib streams. It is not documented, so everything about it is checked
 * before use (`isZlibEngine`) and tried at start (`chooseInflate`); npm's own minizlib leans on the same parts.
 */
export interface ZlibHandle {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputOffset: number,
    inputBytes: number,
    output: Uint8Array,
    outputOffset: number,
    outputBytes: number,
  ): void;
  reset(): void;
  close(): void;
  /** Told of damage during `writeSync`; replaced by ours, since Node's own closes the stream. */
  onerror: unknown;
}

interface ZlibInternals {
  readonly _handle: ZlibHandle;
  /** After each write: bytes of room left in the output, bytes left of the input. */
  readonly _writeState: Uint32Array;
}

function hasInternals(stream: object): stream is ZlibInternals {
  if (!("_handle" in stream) || !("_writeState" in stream)) return false;
  const handle = stream._handle;
  return (
    stream._writeState instanceof Uint32Array &&
    stream._writeState.length >= 2 &&
    typeof handle === "object" &&
    handle !== null &&
    "writeSync" in handle &&
    typeof handle.writeSync === "function" &&
    "reset" in handle &&
    typeof handle.reset === "function" &&
    "close" in handle &&
    typeof handle.close === "function" &&
    "onerror" in handle
  );
}

/** A Node zlib stream driven synchronously, write by write. */
export class ZlibEngine {
  readonly #handle: ZlibHandle;
  readonly #state: Uint32Array;
  #damage: string | null = null;
  #isClosed = false;

  /** `stream`: fresh from zlib.create…; from then on only the engine uses it. Throws where Node hides the parts. */
  constructor(stream: object) {
    if (!hasInternals(stream)) {
      throw new Error("zlib stream without the handle known from Node 20 to 24");
    }
    this.#handle = stream._handle;
    this.#state = stream._writeState;
    this.#handle.onerror = (message: unknown) => {
      this.#damage = String(message);
    };
  }

  /** Room left in the output after the last write. */
  get roomLeft(): number {
    return this.#state[0] ?? 0;
  }

  /** Input left after the last write. */
  get inputLeft(): number {
    return this.#state[1] ?? 0;
  }

  /** One step: reads from `input` at `inputOffset`, writes to `output` at `outputOffset`. Throws on damage. */
  write(
    flush: number,
    input: Uint8Array,
    inputOffset: number,
    output: Uint8Array,
    outputOffset: number,
  ): void {
    if (this.#isClosed) throw new Error("zlib stream used after it was closed");
    if (this.#damage !== null) throw new Error(`zlib stream damaged before: ${this.#damage}`);
    const inputBytes = input.length - inputOffset;
    const outputBytes = output.length - outputOffset;
    this.#handle.writeSync(flush, input, inputOffset, inputBytes, output, outputOffset, outputBytes);
    if (this.#damage !== null) throw new Error(`zlib stream damaged: ${this.#damage}`);
  }

  reset(): void {
    if (this.#isClosed) throw new Error("zlib stream used after it was closed");
    this.#damage = null;
    this.#handle.reset();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#handle.close();
  }
}

/** Input for a write that only asks what is left. */
export const NO_INPUT: Uint8Array = Buffer.alloc(1).subarray(1);

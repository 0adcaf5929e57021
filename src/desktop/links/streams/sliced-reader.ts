import type { Duplex } from "node:stream";
import { loopTurns } from "../../../platform/loop-turns.ts";

/** Work of one target in one turn of the event loop: a busy one costs the others no frame, and itself some percent. */
const TURN_MS = 2;
/** A first guess of what is read in less than that; libuv gives at most so much at once. */
const MOST_PIECE_BYTES = 64 * 1024;
/** As small as pieces get: a few dozen rectangles, each as costly as they come. */
const LEAST_PIECE_BYTES = 256;

export interface SlicedReaderPorts {
  /** Reads a piece. It may close this reader. */
  readonly take: (piece: Uint8Array) => void;
  /** False while nothing may be read, whoever asks: the owner calls `go` when that is over. */
  readonly mayRead: () => boolean;
  readonly nowMs: () => number;
  /** Of the event loop, for all who read. */
  readonly turns?: typeof loopTurns;
}

/**
 * What a target sends, read piece by piece, so that none keeps the main thread: libuv reads a socket up to 32 times
 * before another has its turn, and 64 KiB can ask for thousands of whole pictures to be painted. After TURN_MS of work
 * the stream rests until the loop has seen to everybody else; pieces get smaller the more a byte costs.
 */
export class SlicedReader {
  readonly #ports: SlicedReaderPorts;
  readonly #turns: typeof loopTurns;
  #left: Uint8Array[] = [];
  #stream: Duplex | null = null;
  #pieceBytes = MOST_PIECE_BYTES;
  #spentMs = 0;
  #isResting = false;
  #isClosed = false;

  constructor(ports: SlicedReaderPorts) {
    this.#ports = ports;
    this.#turns = ports.turns ?? loopTurns;
  }

  /** What `stream` gave, which may write over it afterwards; it is paused while that is not read. */
  push(chunk: Uint8Array, stream: Duplex): void {
    this.#stream = stream;
    this.#left.push(chunk);
    if (!this.#isResting) this.#read();
    const rest = this.#left.pop();
    if (rest !== undefined) this.#left.push(new Uint8Array(rest)); // a Buffer's slice is no copy
  }

  /** Reading is allowed again; `stream` is the one to go on with. */
  go(stream: Duplex): void {
    this.#stream = stream;
    if (!this.#isResting) this.#read();
    if (!this.#isResting && this.#left.length === 0 && !this.#isClosed) stream.resume();
  }

  /** What is not read is forgotten. */
  close(): void {
    this.#isClosed = true;
    this.#left = [];
  }

  #read(): void {
    for (;;) {
      if (this.#isClosed || !this.#ports.mayRead()) return;
      const [chunk] = this.#left;
      const hasTime = chunk === undefined || this.#turns.hasTimeFor("targets", TURN_MS / 2);
      if (this.#spentMs >= TURN_MS || !hasTime) {
        this.#rest();
        return;
      }
      if (chunk === undefined) return;
      const piece = chunk.length <= this.#pieceBytes ? chunk : chunk.subarray(0, this.#pieceBytes);
      if (piece === chunk) this.#left.shift();
      else this.#left[0] = chunk.subarray(piece.length);
      const startMs = this.#ports.nowMs();
      this.#ports.take(piece);
      this.#learn(piece.length, this.#ports.nowMs() - startMs);
    }
  }

  /** Pieces are to take half a turn. */
  #learn(bytes: number, tookMs: number): void {
    this.#spentMs += tookMs;
    this.#turns.took("targets", tookMs);
    const fitting = tookMs > TURN_MS / 2 ? (bytes * TURN_MS) / (2 * tookMs) : this.#pieceBytes * 2;
    this.#pieceBytes = Math.min(MOST_PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, Math.floor(fitting)));
  }

  #rest(): void {
    this.#stream?.pause();
    this.#isResting = true;
    this.#turns.next("targets", TURN_MS / 2, () => {
      this.#isResting = false;
      this.#spentMs = 0;
      this.#read();
      const isIdle = !this.#isResting && this.#left.length === 0 && !this.#isClosed;
      if (isIdle && this.#ports.mayRead()) this.#stream?.resume();
    });
  }
}

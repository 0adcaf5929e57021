import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "../../support/program.ts";
import type { Shot } from "../harness/xwd.ts";
import { startFakeTarget, type Wire } from "../hostile/fake-target.ts";

const TILE = 16;
/** Hextile, RFC 6143 section 7.7.4: background, foreground and subrectangles are given. */
const TILE_OF_SUBRECTS = 2 | 4 | 8;
const HEXTILE = 5;
const RAW = 0;

/** One key event that a client sent. */
export interface KeySent {
  readonly connection: number;
  readonly isDown: boolean;
  readonly keysym: number;
}

/**
 * A VNC server that answers every request with a new page in Hextile, made of single pixels: as dear to decode as the
 * encoding gets, and as often as it is asked, or at a pace. All its connections see the same pages.
 */
export class CrowdTarget {
  readonly keys: KeySent[] = [];
  connections = 0;
  readonly #columns: number;
  readonly #rows: number;
  readonly #pages: readonly Buffer[];
  #page = 0;
  #isResting = false;
  #port = 0;
  readonly #everyMs: number;
  /** When the next page may be sent. */
  #nextAtMs = 0;

  private constructor(columns: number, rows: number, everyMs: number) {
    this.#columns = columns;
    this.#rows = rows;
    this.#everyMs = everyMs;
    this.#pages = Array.from({ length: 6 }, (_, page) => this.#encode(page));
  }

  /** `columns` x `rows` tiles of 16 x 16 pixels; a page every so many milliseconds at most, default as often as asked. */
  static async start(owner: Owner, columns: number, rows: number, everyMs = 0): Promise<CrowdTarget> {
    const target = new CrowdTarget(columns, rows, everyMs);
    target.#port = await startFakeTarget(owner, (wire) => target.#serve(wire));
    return target;
  }

  get port(): number {
    return this.#port;
  }

  /** From now on the picture is what `shot` gives. */
  rest(): void {
    this.#isResting = true;
  }

  /** The page that is shown. */
  shot(): Shot {
    const width = this.#columns * TILE;
    const height = this.#rows * TILE;
    const rgba = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        rgba.set([...(isPainted(x, y) ? foreOf(this.#page) : backOf(this.#page)), 255], (y * width + x) * 4);
      }
    }
    return { width, height, rgba };
  }

  async #serve(wire: Wire): Promise<void> {
    const connection = this.connections++;
    await wire.shakeHands(this.#columns * TILE, this.#rows * TILE);
    let shown = -1;
    for (;;) {
      const [type] = await wire.read(1);
      // Sizes of RFC 6143 section 7.5.
      if (type === 0) await wire.read(19);
      else if (type === 2) await wire.read(4 * (await wire.read(3)).readUInt16BE(1));
      else if (type === 3) shown = await this.#answer(wire, await wire.read(9), shown);
      else if (type === 4) {
        const key = await wire.read(7);
        this.keys.push({ connection, isDown: key[0] === 1, keysym: key.readUInt32BE(3) });
      } else if (type === 5) await wire.read(5);
      else throw new Error(`client message ${type}, which this server never offered`);
    }
  }

  /** `shown`: the page that this connection was sent last; gives the one that it was sent now. */
  async #answer(wire: Wire, request: Buffer, shown: number): Promise<number> {
    const isIncremental = request[0] === 1;
    if (isIncremental && this.#isResting && shown === this.#page) return shown;
    if (!isIncremental && request.readUInt16BE(5) === 1) {
      await wire.write(header(1, 1, RAW));
      await wire.write(Uint8Array.of(...(isPainted(0, 0) ? foreOf(this.#page) : backOf(this.#page)), 0));
      return shown;
    }
    const waitMs = this.#nextAtMs - performance.now();
    if (isIncremental && waitMs > 0) await pause(waitMs);
    this.#nextAtMs = performance.now() + this.#everyMs;
    if (!this.#isResting) this.#page = (this.#page + 1) % this.#pages.length;
    const page = this.#page;
    await wire.write(this.#pages[page] ?? Buffer.alloc(0));
    return page;
  }

  #encode(page: number): Buffer {
    const subrects: number[] = [];
    for (let y = 0; y < TILE; y++) {
      for (let x = 0; x < TILE; x++) if (isPainted(x, y)) subrects.push((x << 4) | y, 0);
    }
    const tile = Buffer.from([
      ...[TILE_OF_SUBRECTS, ...backOf(page), 0, ...foreOf(page), 0],
      ...[subrects.length / 2, ...subrects],
    ]);
    const tiles = new Array<Buffer>(this.#columns * this.#rows).fill(tile);
    return Buffer.concat([header(this.#columns * TILE, this.#rows * TILE, HEXTILE), ...tiles]);
  }
}

/** FramebufferUpdate of one rectangle, RFC 6143 section 7.6.1. */
function header(width: number, height: number, encoding: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(1, 2);
  bytes.writeUInt16BE(width, 8);
  bytes.writeUInt16BE(height, 10);
  bytes.writeInt32BE(encoding, 12);
  return bytes;
}

function isPainted(x: number, y: number): boolean {
  return (x + y) % 2 === 0;
}

function backOf(page: number): readonly [number, number, number] {
  return [page * 40, 20, 200 - page * 30];
}

function foreOf(page: number): readonly [number, number, number] {
  return [255 - page * 40, 255, page * 11];
}

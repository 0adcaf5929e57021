import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { PictureDecoder, readHeads } from "../../protocols/recording/picture-decoder.ts";
import { PictureError, type PictureHead } from "../../protocols/recording/picture-format.ts";
import { RecordingError } from "../library/error.ts";

/** What came to be painted on the way to a moment. */
export interface Step {
  readonly frame: Framebuffer;
  readonly head: PictureHead;
  /** What may differ from before the step; null: all of it, and the size too. */
  readonly damage: Region | null;
}

/** Where the chunks of pictures are that a seeker goes about in. */
export interface PictureSource {
  /** The numbers of the chunk that has the picture of a time, and of the key that it needs; -1: there is none. */
  find(ms: number): Promise<{ readonly target: number; readonly key: number }>;
  /** Inflated, from one number to another, both included. Throws RecordingError damaged where one is missing. */
  chunks(first: number, last: number): AsyncIterable<Buffer>;
}

/** The block being shown: its pictures, and how many of them are painted. */
interface Place {
  readonly index: number;
  readonly chunk: Buffer;
  readonly heads: readonly PictureHead[];
  readonly painted: number;
}

/**
 * Goes about in the pictures of a recording. Forward it paints what comes next; elsewhere it begins at the key before,
 * so that a step never paints more than one key and what one group holds. One step at a time.
 */
export class FrameSeeker {
  readonly #source: PictureSource;
  readonly #decoder = new PictureDecoder((width, height) => new Framebuffer(width, height));
  #place: Place | null = null;
  #decodedBlocks = 0;
  #decodedBytes = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(source: PictureSource) {
    this.#source = source;
  }

  /** Leaves the picture painted last to whoever asked for it: the next step goes on in a copy. */
  lend(): void {
    this.#decoder.lend();
  }

  /** Blocks inflated since the beginning, and their bytes: what seeking cost. */
  get cost(): { readonly blocks: number; readonly bytes: number } {
    return { blocks: this.#decodedBlocks, bytes: this.#decodedBytes };
  }

  /**
   * The picture shown at a time; the first one for earlier times. `use` sees the frame before another step changes it.
   * Throws RecordingError no_picture or damaged.
   */
  async to<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    const stepped = this.#tail.then(async () => use(await this.#step(ms)));
    this.#tail = stepped.catch(() => undefined); // whoever asked is told
    return stepped;
  }

  async #step(ms: number): Promise<Step> {
    const { target, key } = await this.#source.find(ms);
    if (target < 0 || key < 0) throw new RecordingError("no_picture", "the recording has no picture yet");
    try {
      return await this.#seeker(ms, key, target);
    } catch (error) {
      this.#place = null;
      this.#decoder.reset();
      if (!(error instanceof PictureError)) throw error;
      throw new RecordingError("damaged", `the pictures around ${ms} ms: ${error.message}`, { cause: error });
    }
  }

  async #seeker(ms: number, key: number, target: number): Promise<Step> {
    const place = this.#place;
    const shownMs = this.#decoder.head?.atMs ?? Number.POSITIVE_INFINITY;
    const isOnward = place !== null && place.index >= key && place.index <= target && shownMs <= ms;
    if (!isOnward) this.#decoder.reset();
    const painted: Rect[] | null = isOnward ? [] : null;
    if (isOnward) this.#place = this.#paint(place, ms, painted);
    let number = isOnward ? place.index + 1 : key;
    for await (const chunk of number <= target ? this.#source.chunks(number, target) : []) {
      this.#decodedBlocks++;
      this.#decodedBytes += chunk.length;
      const loaded = { index: number++, chunk, heads: readHeads(chunk), painted: 0 };
      this.#place = this.#paint(loaded, ms, painted);
    }
    const { frame, head } = this.#decoder;
    if (frame === null || head === null)
      throw new RecordingError("no_picture", "the recording has no picture yet");
    return { frame, head, damage: painted === null ? null : damageOf(painted, frame.rect) };
  }

  /** Paints what a block has by then. */
  #paint(place: Place, ms: number, painted: Rect[] | null): Place {
    const { chunk, heads } = place;
    let done = place.painted;
    for (; done < heads.length; done++) {
      const head = heads[done];
      // The first picture of all is shown for what came before it.
      if (head === undefined || (head.atMs > ms && this.#decoder.head !== null)) break;
      this.#decoder.paint(chunk, head, painted);
    }
    return { ...place, painted: done };
  }
}

/** Beyond so many rectangles a step's damage is everything: what is equal costs its reader a comparison. */
const MAX_RECTS = 2_000;

function damageOf(painted: readonly Rect[], whole: Rect): Region {
  return painted.length > MAX_RECTS ? Region.of(whole) : Region.from(painted);
}

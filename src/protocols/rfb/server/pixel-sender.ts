import type { CopyMove, Picture } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import { ENCODING } from "../numbers.ts";
import type { EncodedUpdate } from "./encoded-update.ts";
import { LossyRegion } from "./lossy-region.ts";
import { RectEncoder } from "./rect-encoder.ts";
import type { FilmRect, PixelStyle, RfbServerPorts } from "./server-context.ts";
import type { UpdateWriter } from "./update-writer.ts";
import type { ViewerSettings } from "./viewer-settings.ts";

export interface PutPieces {
  /** The number of the first piece that was not added. */
  readonly next: number;
  /** Those that were added, as they are and as JPEG. */
  readonly exact: readonly Rect[];
  readonly lossy: readonly Rect[];
}

/** Puts pixels and moves into one viewer's updates, and remembers what it got only nearly. */
export class PixelSender {
  readonly lossy = new LossyRegion();
  readonly #encoder: RectEncoder;
  readonly #settings: ViewerSettings;

  constructor(ports: RfbServerPorts, settings: ViewerSettings) {
    this.#encoder = new RectEncoder(ports);
    this.#settings = settings;
  }

  /** As RectEncoder's. */
  hasBegun(encoding: number): boolean {
    return this.#encoder.hasBegun(encoding);
  }

  /**
   * Adds pieces, cut before, from the one with number `from` on until the update has so many bytes or the turn is
   * over.
   */
  put(
    update: UpdateWriter,
    picture: Picture,
    pieces: readonly Rect[],
    from: number,
    style: PixelStyle,
    limitBytes: number,
  ): PutPieces {
    const exact: Rect[] = [];
    const lossy: Rect[] = [];
    let next = from;
    for (; next < pieces.length && update.sizeBytes < limitBytes && !update.isFull; next++) {
      const rect = pieces[next];
      if (rect === undefined) break;
      const kind = this.#encoder.put(update, picture, { style, rect });
      if (kind === null) break;
      (kind === "lossy" ? lossy : exact).push(rect);
    }
    this.lossy.sent(exact, lossy);
    return { next, exact, lossy };
  }

  /** Encodes pieces up to so many bytes; false where there is no time for one of them now. */
  prepare(picture: Picture, pieces: readonly Rect[], style: PixelStyle, limitBytes: number): boolean {
    let sizeBytes = 0;
    for (const rect of pieces) {
      if (sizeBytes >= limitBytes) return true;
      const body = this.#encoder.body(picture, { style, rect });
      if (body === null) return false;
      sizeBytes += body.length;
    }
    return true;
  }

  copy(update: UpdateWriter, copies: readonly CopyMove[]): void {
    for (const move of copies) {
      update.copy(move);
      this.lossy.moved(move);
    }
  }

  /** Of films only nearly what they show: when one stands still it is sent exactly. */
  film(update: UpdateWriter, films: readonly FilmRect[]): void {
    for (const { rect, body } of films) {
      update.put(rect, ENCODING.h264, body);
      this.lossy.sent([], [rect]);
    }
  }

  /** The viewer is sent the very same as another was. */
  repeat({ moves, exact, lossy }: EncodedUpdate): void {
    for (const move of moves) this.lossy.moved(move);
    this.lossy.sent(exact, lossy);
  }

  /**
   * Copies read what the viewer shows, so they hold only where it shows what we think, which is the caller's to know,
   * and where all of them lie in what it asked for.
   */
  canCopy(copies: readonly CopyMove[], asked: Region): boolean {
    if (copies.length === 0 || !this.#settings.hasCopyRect) return false;
    return copies.every(({ fromX, fromY, to }) => {
      const from = { x: fromX, y: fromY, width: to.width, height: to.height };
      return asked.holds(from) && asked.holds(to);
    });
  }
}

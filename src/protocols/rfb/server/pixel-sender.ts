import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { ENCODING } from "../numbers.ts";
import type { CopyMove, Picture } from "../screen.ts";
import type { PixelStyle, RfbServerPorts } from "./dialogue.ts";
import { LossyRegion } from "./lossy-region.ts";
import { RectEncoder } from "./rect-encoder.ts";
import type { UpdateWriter } from "./update-writer.ts";
import type { Wishes } from "./wishes.ts";

/** Puts pixels and moves into one viewer's updates, and remembers what it got only nearly. */
export class PixelSender {
  readonly lossy = new LossyRegion();
  readonly #encoder: RectEncoder;
  readonly #wishes: Wishes;

  constructor(ports: RfbServerPorts, wishes: Wishes) {
    this.#encoder = new RectEncoder(ports);
    this.#wishes = wishes;
  }

  /**
   * Adds pieces, cut before, from the one with number `from` on until the update has so many bytes or the turn is
   * over; returns the number of the first that was not added.
   */
  put(
    update: UpdateWriter,
    picture: Picture,
    pieces: readonly Rect[],
    from: number,
    style: PixelStyle,
    limitBytes: number,
  ): number {
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
    return next;
  }

  copy(update: UpdateWriter, copies: readonly CopyMove[]): void {
    for (const move of copies) {
      update.copy(move);
      this.lossy.moved(move);
    }
  }

  /**
   * Copies read what the viewer shows, so they hold only where it shows what we think, which is the caller's to know,
   * and where all of them lie in what it asked for.
   */
  canCopy(copies: readonly CopyMove[], asked: Region): boolean {
    if (copies.length === 0 || !this.#wishes.has(ENCODING.copyRect)) return false;
    return copies.every(({ fromX, fromY, to }) => {
      const from = { x: fromX, y: fromY, width: to.width, height: to.height };
      return Region.of(from, to).subtract(asked).isEmpty;
    });
  }
}

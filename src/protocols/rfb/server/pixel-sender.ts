import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { ENCODING } from "../numbers.ts";
import type { CopyMove, Picture } from "../screen.ts";
import type { RfbServerPorts } from "./dialogue.ts";
import { LossyRegion } from "./lossy-region.ts";
import { cutRect, RectEncoder } from "./rect-encoder.ts";
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

  /** Adds the region piece by piece until the update has so many bytes; returns what was added. */
  put(update: UpdateWriter, picture: Picture, region: Region, limitBytes: number, isExact = false): Region {
    const pieces = region.rects.flatMap(cutRect);
    const exact: Rect[] = [];
    const lossy: Rect[] = [];
    for (const piece of pieces) {
      if (update.sizeBytes >= limitBytes || update.isFull) break;
      const isLossy = this.#encoder.put(update, picture, piece, this.#wishes, isExact);
      (isLossy ? lossy : exact).push(piece);
    }
    this.lossy.sent(exact, lossy);
    return exact.length + lossy.length === pieces.length ? region : Region.from([...exact, ...lossy]);
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

import { targetsOf } from "../../framebuffer/copy-move.ts";
import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import { compareDamage, copyRows, linesOf } from "../../framebuffer/publish.ts";
import type { Region } from "../../framebuffer/region.ts";
import { joiningMoves, type Moved } from "../../framebuffer/scroll/joined-moves.ts";
import type { ScrollSeeker } from "../../framebuffer/scroll/scroll-seeker.ts";
import { finish, type Steps } from "../../framebuffer/steps.ts";

/** Updates of more pixels are shown over turns of the event loop: fewer take a few milliseconds. */
export const LARGE_PIXELS: number = 1024 * 1024;

/** What an update changes of what is shown. */
export interface Difference {
  readonly found: Moved | null;
  /** Of what was painted, and of the rest that moves wrote. */
  readonly byPaint: Region;
  readonly byMove: Region;
  readonly damage: Region;
}

/** A picture of the pixels of others, in memory that what is shown can take over. One serves for one update after the other. */
export class AdoptableCopy {
  #picture: Framebuffer | null = null;

  /** What `from` shows. `shown`: what it differs from in `region` alone; null: in every pixel. */
  *of(from: Framebuffer, shown: Framebuffer | null, region: Region): Steps<Framebuffer> {
    const next = this.#pictureOf(from);
    if (shown !== null) next.rest(shown);
    for (const line of linesOf(region, from.rect)) {
      next.paint(line);
      copyRows(from, next, line);
      yield;
    }
    yield* next.completing();
    return next;
  }

  #pictureOf({ width, height }: Framebuffer): Framebuffer {
    const known = this.#picture;
    const isFit = known?.width === width && known.height === height;
    const picture = isFit ? known : new Framebuffer(width, height, { hasKernels: true, canRest: true });
    this.#picture = picture;
    return picture;
  }
}

/** What an update moves, by what its target says or else by looking for it; null where nothing is known to have moved. */
export function* findingMoves(
  next: Framebuffer,
  shown: Framebuffer,
  painted: Region,
  copies: readonly CopyMove[],
  scrolls: ScrollSeeker,
): Steps<Moved | null> {
  if (copies.length === 0) {
    const scroll = yield* scrolls.finding(shown, next, painted);
    return scroll === null ? null : { moves: [scroll.move], rest: scroll.rest };
  }
  return yield* joiningMoves(shown, next, painted, copies);
}

/** Finds what differs between a whole picture and what is shown, and what of it moved; `differs` is told of it part by part. */
export function differenceFinder(scrolls: ScrollSeeker, differs: (part: Region) => void) {
  return function* (
    next: Framebuffer,
    shown: Framebuffer,
    painted: Region,
    copies: readonly CopyMove[],
  ): Steps<Difference> {
    const found = yield* findingMoves(next, shown, painted, copies, scrolls);
    const compare = function* (region: Region): Steps<Region> {
      const lines = compareDamage(next, shown, region);
      for (;;) {
        const { done, value } = lines.next();
        if (done === true) return value;
        if (!value.isEmpty) differs(value);
        yield;
      }
    };
    const byPaint = yield* compare(painted);
    const byMove = yield* compare(targetsOf(copies).subtract(painted));
    return { found, byPaint, byMove, damage: byPaint.union(byMove) };
  };
}

/** True where an update paints every pixel, and all are then in memory that what is shown can take over. */
export function paintsAll(decoded: Framebuffer, painted: Region, copies: readonly CopyMove[]): boolean {
  if (!decoded.isAdoptable || copies.length > 0) return false;
  if (painted.area !== decoded.width * decoded.height) return false;
  finish(decoded.completing());
  return true;
}

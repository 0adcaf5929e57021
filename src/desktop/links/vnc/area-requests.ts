import { targetsOf } from "../../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { LinkError } from "../../error.ts";

/** What an update painted and moved. */
interface Told {
  readonly painted: Region;
  readonly copies: readonly CopyMove[];
  readonly isExact: boolean;
}

interface Look {
  readonly area: Rect;
  /** What was asked for and has not come. */
  left: Region;
  readonly resolve: () => void;
  readonly reject: (error: LinkError) => void;
}

/**
 * Areas whose present pixels a target was asked for, each until all of them have come. A server that puts off telling of
 * changes (TigerVNC 1.12, up to 17 ms) does so for an area where there are any, but answers for a pixel elsewhere at once:
 * what matters has to be asked for.
 */
export class AreaRequests {
  readonly #ask: (area: Rect) => void;
  readonly #all = new Set<Look>();

  /** `ask` requests an area without regard to what was sent of it before. */
  constructor(ask: (area: Rect) => void) {
    this.#ask = ask;
  }

  open(area: Rect): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#all.add({ area, left: Region.of(area), resolve, reject });
      this.#ask(area);
    });
  }

  onUpdate({ painted, copies, isExact }: Told): void {
    if (!isExact) {
      // Whether the answer was in it is not known any more.
      for (const { area } of this.#all) this.#ask(area);
      return;
    }
    const told = painted.union(targetsOf(copies));
    for (const look of this.#all) {
      look.left = look.left.subtract(told);
      if (!look.left.isEmpty) continue;
      this.#all.delete(look);
      look.resolve();
    }
  }

  fail(error: LinkError): void {
    for (const { reject } of this.#all) reject(error);
    this.#all.clear();
  }
}

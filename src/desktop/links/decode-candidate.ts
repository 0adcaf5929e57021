import type { Cursor } from "../../framebuffer/cursor.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { LinkError } from "../error.ts";
import type { Link, LinkEvents, LockKeys } from "../link.ts";

export interface CandidateEvents {
  /** Every pixel has come once. */
  whole(): void;
  /** It will not do; null: the target went silent. */
  failed(error: LinkError | null): void;
}

/** A second link to the same target, which says nothing to anybody until it takes the place of the first. */
export class DecodeCandidate {
  readonly link: Link;
  /** What it heard meanwhile; undefined where the target said nothing of it. */
  cursor: Cursor | null | undefined;
  locks: LockKeys | undefined;
  screens: readonly Screen[] = [];
  #missing: Region | null = null;
  #isWhole = false;
  /** Who hears it once it has taken the place. */
  #heir: LinkEvents | null = null;

  constructor(link: Link) {
    this.link = link;
  }

  open(isWatched: () => boolean, events: CandidateEvents): void {
    const { link } = this;
    const begin = (screens: readonly Screen[]): void => {
      this.screens = screens;
      if (!this.#isWhole) this.#missing = Region.of(link.framebuffer.rect);
    };
    link.open({
      ready: ({ screens }) => {
        begin(screens);
        link.follow(isWatched());
      },
      update: (update) => {
        if (this.#heir !== null) this.#heir.update(update);
        else if (!this.#isWhole && this.#missing !== null) {
          const moved = Region.from(update.copies.map(({ to }) => to));
          this.#missing = this.#missing.subtract(update.painted).subtract(moved);
          this.#isWhole = this.#missing.isEmpty;
          if (this.#isWhole) events.whole();
        }
      },
      resize: (screens) => {
        begin(screens);
        this.#heir?.resize(screens);
      },
      cursor: (cursor) => {
        this.cursor = cursor;
        this.#heir?.cursor(cursor);
      },
      locks: (locks) => {
        this.locks = locks;
        this.#heir?.locks?.(locks);
      },
      clipboard: (text) => this.#heir?.clipboard(text),
      clipboardTaken: () => this.#heir?.clipboardTaken?.(),
      name: (name) => this.#heir?.name(name),
      bell: () => this.#heir?.bell(),
      step: () => undefined,
      stalled: (isStalled) => {
        if (this.#heir !== null) this.#heir.stalled(isStalled);
        else if (isStalled) events.failed(null);
      },
      closed: (error) => {
        if (this.#heir !== null) this.#heir.closed(error);
        else events.failed(error);
      },
    });
  }

  /** From now on `heir` hears everything. */
  speakTo(heir: LinkEvents): void {
    this.#heir = heir;
  }
}

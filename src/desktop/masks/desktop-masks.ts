import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { type Rect, translateRect } from "../../framebuffer/rect.ts";
import type { Actor } from "../control/action.ts";
import { RefusedError } from "../error.ts";
import type { DesktopEvent } from "../events/desktop-event.ts";
import type { Link } from "../link.ts";
import { noPictureYet } from "../picture/audience-display.ts";
import { latestPicture } from "../picture/latest-picture.ts";
import { type Colour, findColour, type Marked } from "../picture/mark-search.ts";
import type { MaskSource } from "../picture/mask-source.ts";
import type { Audience } from "../view.ts";
import type { EchoCover } from "./echo-cover.ts";
import type { ElementTerms, PageCover } from "./element-places.ts";
import type { Mask, MaskSpec } from "./mask.ts";
import { type MaskMark, takeMark } from "./mask-mark.ts";
import { type FirstMask, Masks, type StoredMask } from "./masks.ts";
import type { RedactionPorts } from "./redaction.ts";
import type { OpenTextReader } from "./text-reader.ts";

/** Keeps masks of desktops that may be on another node next: before they hide something, and before they stop to. */
export interface MaskKeeper {
  /** Rejects with RefusedError not_held where it cannot be kept: then it hides nothing. */
  added(desktopId: string, mask: StoredMask): Promise<void>;
  /** The same: then it hides what it hid. */
  removed(desktopId: string, maskId: string): Promise<void>;
}

export interface DesktopMasksPorts extends Pick<RedactionPorts, "clock" | "onBug" | "nudgePointer"> {
  /** null while there is none. */
  link(): Link | null;
  readonly desktopId: string;
  /** Absent: nobody can read. */
  readonly openTextReader?: OpenTextReader;
  /** Absent: who is told keeps them. */
  readonly keepMasks?: MaskKeeper;
  display(): {
    /** All pixels, under masks too; null before the first picture. */
    readonly unmasked: Framebuffer | null;
    /** Shows what is hidden now, and nothing of it when this returns. */
    remask(): void;
  };
  tell(event: DesktopEvent): void;
}

/** What is hidden on a live desktop, and who may change that. */
export class DesktopMasks {
  readonly #masks: Masks;
  readonly #ports: DesktopMasksPorts;
  readonly #closed = new AbortController();

  /** `first`: what is hidden from the beginning. */
  constructor(first: readonly FirstMask[] | undefined, ports: DesktopMasksPorts) {
    this.#ports = ports;
    const { openTextReader: openReader } = ports;
    this.#masks = new Masks(
      {
        ...ports,
        ...(openReader === undefined ? {} : { open: (events) => openReader(ports.desktopId, events) }),
        unmasked: () => ports.display().unmasked,
        now: () => ports.clock.date(),
        latest: () => latestPicture(ports.link(), ports.clock, this.#closed.signal, null),
        changed: () => ports.display().remask(),
        moved: () => ports.tell({ type: "masks", change: "moved", mask: null, by: null }),
      },
      first,
    );
  }

  /** Covers what secrets leave on the screen as they are typed. */
  get echo(): Pick<EchoCover, "begin" | "settled" | "end"> {
    return this.#masks.echo;
  }

  /** For the picture. */
  get maskSource(): MaskSource {
    return this.#masks;
  }

  get all(): readonly Mask[] {
    return this.#masks.all;
  }

  /** Those that outlast the process by a file of ours. */
  get kept(): readonly StoredMask[] {
    return this.#masks.kept;
  }

  /** Where something is hidden from an audience, in desktop pixels. */
  placesFrom(audience: Audience): readonly Rect[] {
    return this.#masks.placesFrom(audience);
  }

  /** As Masks.mayHide. */
  mayHide(audience: Audience): boolean {
    return this.#masks.mayHide(audience);
  }

  /** The desktop is gone. */
  close(): void {
    this.#closed.abort();
    this.#masks.close();
  }

  /** What is hidden of pages: see ElementPlaces.open. */
  openPage(onDamage: () => void): PageCover {
    return this.#masks.elements.open(onDamage);
  }

  get elementTerms(): readonly ElementTerms[] {
    return this.#masks.elementTerms;
  }

  /** Where all pixels have exactly this colour, under masks too; null: nowhere. */
  async seek(colour: Colour): Promise<Marked | null> {
    const frame = this.#ports.display().unmasked;
    if (frame === null) return null;
    const { width, height, bytes } = frame;
    const pixels = ({ x, y }: Rect) => ({ bytes, offset: (y * width + x) * 4, strideBytes: width * 4 });
    return findColour({ width, height, pixels }, colour);
  }

  /** As Masks.hideAll: for a time that a person has for themselves, which is no mask that anybody lists or removes. */
  hideAll(audiences: readonly Audience[]): void {
    this.#masks.hideAll(audiences);
  }

  /**
   * Hides something from now on: nothing of it is in what is made after this returns. `follows`: what is there now, and
   * takes the mask along as it moves; both in desktop pixels. Throws RefusedError permission_denied for all but humans,
   * invalid_parameters, too_many, target_down without a picture to follow.
   */
  add(spec: Omit<MaskSpec, "mark">, follows: Rect | null, actor: Actor): Mask {
    return this.#put(this.#made(spec, follows, actor), actor);
  }

  /** As `add`, once it is kept where the next node that has the desktop finds it. */
  async hide(spec: Omit<MaskSpec, "mark">, follows: Rect | null, actor: Actor): Promise<Mask> {
    const mask = this.#made(spec, follows, actor);
    await this.#ports.keepMasks?.added(this.#ports.desktopId, mask);
    return this.#put(mask, actor);
  }

  /** As `remove`, once no node finds it any more. */
  async show(id: string, actor: Actor): Promise<void> {
    checkShows(actor);
    this.#masks.checkRemovable(id);
    await this.#ports.keepMasks?.removed(this.#ports.desktopId, id);
    this.remove(id, actor);
  }

  /** Throws RefusedError permission_denied for all but humans and for what the configuration hides, not_found. */
  remove(id: string, actor: Actor): void {
    checkShows(actor);
    const mask = this.#masks.remove(id);
    this.#ports.tell({ type: "masks", change: "removed", mask, by: actor });
  }

  #made(spec: Omit<MaskSpec, "mark">, follows: Rect | null, actor: Actor): StoredMask {
    if (actor.kind !== "human") throw new RefusedError("permission_denied", "only a human hides something");
    if (follows === null) return this.#masks.make({ ...spec, mark: null });
    const rect = translateRect(spec.rect, -follows.x, -follows.y);
    return this.#masks.make({ ...spec, rect, mark: this.#markAt(follows) });
  }

  #put(stored: StoredMask, actor: Actor): Mask {
    const mask = this.#masks.put(stored);
    this.#ports.tell({ type: "masks", change: "added", mask, by: actor });
    return mask;
  }

  /** Of what is there, also under other masks: what is hidden is to stay so wherever it goes. */
  #markAt(rect: Rect): MaskMark {
    const frame = this.#ports.display().unmasked;
    if (frame === null) throw noPictureYet();
    return takeMark(frame, rect);
  }
}

function checkShows({ kind }: Actor): void {
  if (kind !== "human") throw new RefusedError("permission_denied", "only a human shows what was hidden");
}

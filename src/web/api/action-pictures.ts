import { RefusedError } from "../../desktop/error.ts";
import type { Audience } from "../../desktop/view.ts";
import { VIEWER_AUDIENCES } from "../../desktop/view.ts";
import { holdsPoint, type Point, type Rect, type Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { encodePng } from "../../imaging/png/png.ts";
import type { Clock } from "../../platform/clock.ts";
import type { WebDesktop, WebDesktops } from "../http/ports.ts";

/** What is shown of the desktop, around where the action went. */
const SHOWN: Size = Object.freeze({ width: 320, height: 180 });
/** Actions of one desktop whose pictures are kept: some 100 KB each where the screen is full of text. */
const MOST_KEPT = 24;
/** An agent that is faster has no pictures of what lies between. */
const LEAST_PAUSE_MS = 100;

export type PictureOf = "before" | "after";

/** What pictures of an action show, desktop pixels. */
export interface ActionPlace {
  readonly crop: Rect;
  /** Where a button was pressed; null: it was none. */
  readonly point: Point | null;
}

/** A place as each kind of people saw it, and what of it was hidden from them. */
interface Shot {
  readonly png: Promise<Uint8Array>;
  readonly hidden: Region;
}
type Shots = ReadonlyMap<Audience, Shot>;

/** What an agent began, and what is not over yet. */
interface Begun {
  readonly actorId: string;
  readonly crop: Rect;
  readonly before: Shots;
  point: Point | null;
}

interface Kept extends ActionPlace {
  readonly before: Shots;
  readonly after: Shots;
}

/** What one desktop has of them. */
interface Album {
  begun: Begun | null;
  lastMs: number;
  readonly kept: Map<string, Kept>;
  readonly stop: () => void;
}

type PicturedDesktop = Pick<WebDesktop, "id" | "on" | "view" | "size" | "pointer" | "holder">;

/**
 * Pictures of the place that an agent acted at, before its first input and after its effect, as people of each role were
 * shown it. They are kept in memory alone, for the newest actions: what is to stay is recorded.
 *
 * INVARIANT: nobody is given a picture that shows what is hidden from them now, or was then.
 */
export class ActionPictures {
  readonly #clock: Clock;
  readonly #albums = new Map<string, Album>();
  readonly #stop: () => void;

  constructor(desktops: Pick<WebDesktops, "all" | "on">, clock: Clock) {
    this.#clock = clock;
    for (const desktop of desktops.all) this.#follow(desktop);
    this.#stop = desktops.on(({ type, desktop }) => {
      if (type === "changed") return;
      this.#forget(desktop.id);
      if (type === "added") this.#follow(desktop);
    });
  }

  /** What there are pictures of; null where there are none of that action. */
  placeOf(desktopId: string, actionId: string): ActionPlace | null {
    return this.#albums.get(desktopId)?.kept.get(actionId) ?? null;
  }

  /** PNG of the place; null where there is none, or something of it must not be seen any more. */
  async picture(
    desktop: Pick<WebDesktop, "id" | "view">,
    actionId: string,
    when: PictureOf,
    audience: Audience,
  ): Promise<Uint8Array | null> {
    const kept = this.#albums.get(desktop.id)?.kept.get(actionId);
    const shot = kept?.[when].get(audience);
    if (kept === undefined || shot === undefined) return null;
    const hiddenSince = desktop.view(audience).hidden.subtract(shot.hidden);
    return hiddenSince.overlaps(kept.crop) ? null : await shot.png;
  }

  close(): void {
    this.#stop();
    for (const id of this.#albums.keys()) this.#forget(id);
  }

  #follow(desktop: PicturedDesktop): void {
    const album: Album = {
      begun: null,
      lastMs: Number.NEGATIVE_INFINITY,
      kept: new Map(),
      stop: desktop.on((event) => {
        if (event.type === "input") this.#began(desktop, album, event.input);
        else if (event.type === "action") ended(desktop, album, event.record);
        else if (event.type === "resize") album.kept.clear();
      }),
    };
    this.#albums.set(desktop.id, album);
  }

  #forget(desktopId: string): void {
    this.#albums.get(desktopId)?.stop();
    this.#albums.delete(desktopId);
  }

  /** Input has just been sent: what the target makes of it is not shown yet. */
  #began(desktop: PicturedDesktop, album: Album, input: { readonly kind: string } & Partial<Point>): void {
    const { holder } = desktop;
    if (holder?.actor.kind !== "agent" || input.kind === "clipboard") return;
    const at = { x: input.x ?? desktop.pointer.x, y: input.y ?? desktop.pointer.y };
    const isPress = input.kind === "mouse_click";
    const { begun } = album;
    if (
      begun?.actorId === holder.actor.id &&
      (!isPress || begun.point || holdsPoint(begun.crop, at.x, at.y))
    ) {
      if (isPress) begun.point ??= at;
      return;
    }
    const nowMs = this.#clock.nowMs();
    if (begun === null && nowMs - album.lastMs < LEAST_PAUSE_MS) return;
    album.lastMs = nowMs;
    const crop = cropAround(at, desktop.size);
    const before = shotsOf(desktop, crop);
    album.begun =
      before === null ? null : { actorId: holder.actor.id, crop, before, point: isPress ? at : null };
  }
}

/** The action is over, and what it changed is shown. */
function ended(
  desktop: PicturedDesktop,
  album: Album,
  record: {
    readonly id: string;
    readonly actor: { readonly id: string };
    readonly secrets?: readonly unknown[];
  },
): void {
  const { begun } = album;
  if (begun === null || begun.actorId !== record.actor.id) return;
  album.begun = null;
  // What a secret looks like where it was typed is nothing to keep.
  if (record.secrets !== undefined) return;
  const after = shotsOf(desktop, begun.crop);
  if (after === null) return;
  album.kept.set(record.id, { ...begun, after });
  for (const oldest of album.kept.keys()) {
    if (album.kept.size <= MOST_KEPT) break;
    album.kept.delete(oldest);
  }
}

/** As it is now; null where there is no picture, or none of that size. The pixels are taken before this returns. */
function shotsOf(desktop: Pick<WebDesktop, "view">, crop: Rect): Shots | null {
  try {
    const made = new Map<Audience, Shot>();
    for (const audience of VIEWER_AUDIENCES) {
      const view = desktop.view(audience);
      const alike = made.get(view.kind);
      if (alike !== undefined) {
        made.set(audience, alike);
        continue;
      }
      const png = encodePng(view.picture(false), crop);
      // Who asks for it hears why there is none.
      png.catch(() => undefined);
      made.set(audience, { png, hidden: view.hidden.intersect(Region.from([crop])) });
    }
    return made;
  } catch (error) {
    // The target is gone: the action is told without pictures.
    if (error instanceof RefusedError) return null;
    throw error;
  }
}

function cropAround({ x, y }: Point, desktop: Size): Rect {
  const width = Math.min(SHOWN.width, desktop.width);
  const height = Math.min(SHOWN.height, desktop.height);
  return {
    x: Math.max(0, Math.min(x - (width >> 1), desktop.width - width)),
    y: Math.max(0, Math.min(y - (height >> 1), desktop.height - height)),
    width,
    height,
  };
}

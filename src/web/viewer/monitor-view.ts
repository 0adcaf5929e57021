import type { Action, Actor, PerformOptions } from "../../desktop/control/action.ts";
import type { DesktopEvent } from "../../desktop/desktop.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { LockKeys } from "../../desktop/link.ts";
import type { Audience, Change, View, Watcher } from "../../desktop/view.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import {
  equalRects,
  holdsRect,
  intersectRects,
  overlapRects,
  type Point,
  type Rect,
  rectOfSize,
  type Size,
  translateRect,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { ViewedDesktop } from "./session.ts";
import type { FedView } from "./viewed-desktop.ts";

const NOWHERE: Rect = { x: 0, y: 0, width: 0, height: 0 };

/**
 * One monitor of a desktop as if it were all of it: its own size, its own pixels, points counted from its own corner.
 * Follows the monitor when the layout changes; ends for its viewers when there is no such monitor any more.
 */
export class MonitorDesktop implements ViewedDesktop {
  readonly #whole: ViewedDesktop;
  readonly #index: number;
  readonly #parts = new WeakMap<Change, { readonly crop: Rect; readonly part: Change }>();
  #viewers = 0;
  #shown = NOWHERE;
  #moves = 0;

  /** `number`: from 1 on, in the order in which the target lists its monitors. */
  constructor(whole: ViewedDesktop, number: number) {
    this.#whole = whole;
    this.#index = number - 1;
  }

  get id(): string {
    return this.#whole.id;
  }

  get name(): string {
    return this.#nameOf(this.#whole.name);
  }

  get size(): Size {
    const { width, height } = this.#crop;
    return { width, height };
  }

  get screens(): readonly Screen[] {
    const screen = this.#whole.screens[this.#index];
    return [{ id: screen?.id ?? 0, rect: rectOfSize(this.size), flags: screen?.flags ?? 0 }];
  }

  get cursor(): Cursor | null {
    return this.#whole.cursor;
  }

  readonly locks = (): LockKeys | null => this.#whole.locks?.() ?? null;

  /** May lie outside, as the pointer may be on another monitor. */
  get pointer(): Point {
    const { x, y } = this.#whole.pointer;
    return { x: x - this.#crop.x, y: y - this.#crop.y };
  }

  get generation(): number {
    return this.#whole.generation;
  }

  /** Names with the generation what this monitor shows: another part of the same picture once it moved. */
  get scene(): { readonly version: number } {
    const crop = this.#crop;
    if (!equalRects(crop, this.#shown)) {
      this.#shown = crop;
      this.#moves++;
    }
    return { version: this.#whole.scene.version + this.#moves };
  }

  /** Of this monitor. */
  get viewers(): number {
    return this.#viewers;
  }

  attachViewer(actor: Pick<Actor, "id">): () => void {
    const leave = this.#whole.attachViewer(actor);
    let isAttached = true;
    this.#viewers++;
    return () => {
      if (isAttached) this.#viewers--;
      isAttached = false;
      leave();
    };
  }

  async whenReady(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#whole.size.width === 0) await this.#whole.whenReady(timeoutMs, signal);
    if (this.#isGone) throw new RefusedError("not_found", `the desktop has no monitor ${this.#index + 1}`);
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    return this.#whole.on((event) => {
      if (event.type === "resize") {
        if (this.#isGone) listener({ type: "state", state: { kind: "closed" } });
        else listener({ type: "resize", size: this.size, screens: this.screens });
      } else if (event.type === "name") {
        listener({ type: "name", name: this.#nameOf(event.name) });
      } else {
        listener(event);
      }
    });
  }

  view(audience: Audience): FedView {
    return new MonitorView(this.#whole.view(audience), this, () => this.#crop);
  }

  async perform(action: Action, actor: Actor, options?: PerformOptions): Promise<unknown> {
    if (action.kind === "resize") {
      throw new RefusedError(
        "not_supported",
        "one monitor's viewer cannot change the size of the whole desktop",
      );
    }
    const { x, y } = this.#crop;
    const moved = action.kind === "pointer" ? { ...action, x: action.x + x, y: action.y + y } : action;
    return this.#whole.perform(moved, actor, options);
  }

  /** What of a change lies on it: the same object to all its viewers that are owed the same. */
  partOf(change: Change): Change {
    const crop = this.#crop;
    const known = this.#parts.get(change);
    if (known !== undefined && equalRects(known.crop, crop)) return known.part;
    const part = partOf(change, crop);
    this.#parts.set(change, { crop, part });
    return part;
  }

  get #isGone(): boolean {
    return this.#crop.width === 0;
  }

  /** A target that says nothing of monitors has one: all of it. */
  get #crop(): Rect {
    const whole = rectOfSize(this.#whole.size);
    const { screens } = this.#whole;
    if (screens.length === 0) return this.#index === 0 ? whole : NOWHERE;
    return intersectRects(screens[this.#index]?.rect ?? NOWHERE, whole);
  }

  #nameOf(name: string): string {
    return `${name} (monitor ${this.#index + 1})`;
  }
}

class MonitorView implements FedView {
  readonly #whole: FedView;
  readonly #monitor: MonitorDesktop;
  readonly #crop: () => Rect;

  constructor(whole: FedView, monitor: MonitorDesktop, crop: () => Rect) {
    this.#whole = whole;
    this.#monitor = monitor;
    this.#crop = crop;
  }

  get audience(): View["audience"] {
    return this.#whole.audience;
  }

  get kind(): View["kind"] {
    return this.#whole.kind;
  }

  get width(): number {
    return this.#crop().width;
  }

  get height(): number {
    return this.#crop().height;
  }

  get generation(): number {
    return this.#whole.generation;
  }

  get screens(): readonly Screen[] {
    return this.#monitor.screens;
  }

  get hidden(): Region {
    const crop = this.#crop();
    return this.#whole.hidden.clip(crop).translate(-crop.x, -crop.y);
  }

  picture(withOverlays: boolean): Picture {
    const whole = this.#whole.picture(withOverlays);
    const { x, y, width, height } = this.#crop();
    return {
      width,
      height,
      pixels: (rect) => whole.pixels({ ...rect, x: rect.x + x, y: rect.y + y }),
    };
  }

  watch(onDamage: () => void, options?: { readonly withOverlays?: boolean }): Watcher {
    return new MonitorWatcher(
      (wake) => this.#whole.watch(wake, options),
      (change) => this.#monitor.partOf(change),
      this.#crop,
      onDamage,
    );
  }
}

/** The damage of one monitor; what changes on the others wakes nobody. */
class MonitorWatcher implements Watcher {
  readonly #whole: Watcher;
  readonly #part: (change: Change) => Change;
  readonly #crop: () => Rect;
  #seen: Rect;

  constructor(
    watch: (onDamage: () => void) => Watcher,
    part: (change: Change) => Change,
    crop: () => Rect,
    onDamage: () => void,
  ) {
    this.#part = part;
    this.#crop = crop;
    this.#seen = crop();
    this.#whole = watch(() => {
      if (this.pending.isEmpty) this.#whole.take();
      else onDamage();
    });
  }

  get pending(): Region {
    const crop = this.#crop();
    return this.#whole.pending.clip(crop).translate(-crop.x, -crop.y);
  }

  get owed(): Change {
    const crop = this.#crop();
    if (equalRects(crop, this.#seen)) return this.#part(this.#whole.owed);
    return { painted: Region.of(rectOfSize(crop)), copies: [] };
  }

  take(): Change {
    const { owed } = this;
    this.#seen = this.#crop();
    this.#whole.take();
    return owed;
  }

  putBack(region: Region): void {
    const { x, y } = this.#crop();
    this.#whole.putBack(region.translate(x, y));
  }

  close(): void {
    this.#whole.close();
  }
}

/** What of a change lies on a monitor, counted from its corner. Moves over its edge are pixels. */
function partOf({ painted, copies }: Change, crop: Rect): Change {
  const inside = (region: Region): Region => region.clip(crop).translate(-crop.x, -crop.y);
  const seen = copies.filter(({ to }) => overlapRects(crop, to));
  const areInside = seen.every(({ fromX, fromY, to }) => {
    return holdsRect(crop, to) && holdsRect(crop, { ...to, x: fromX, y: fromY });
  });
  if (!areInside) {
    return { painted: inside(painted.union(Region.from(seen.map(({ to }) => to)))), copies: [] };
  }
  const moves = seen.map(({ fromX, fromY, to }) => ({
    fromX: fromX - crop.x,
    fromY: fromY - crop.y,
    to: translateRect(to, -crop.x, -crop.y),
  }));
  return { painted: inside(painted), copies: moves };
}

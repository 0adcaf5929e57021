import {
  type Action,
  type ActionResult,
  type Actor,
  unseenEffect,
} from "../../src/desktop/control/action.ts";
import type { DesktopEvent } from "../../src/desktop/desktop.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { Watchers } from "../../src/desktop/picture/watchers.ts";
import type { View, Watcher } from "../../src/desktop/view.ts";
import type { Cursor } from "../../src/framebuffer/cursor.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import type { CopyMove, Picture } from "../../src/framebuffer/picture.ts";
import { type Point, type Rect, rectOfSize, type Size } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import type { Screen } from "../../src/framebuffer/screen.ts";
import type { ViewedDesktop } from "../../src/web/viewer/session.ts";

const RESULT: ActionResult = {
  wasConfirmed: false,
  effect: unseenEffect(0),
  position: null,
  notTyped: [],
  unverified: null,
  wasNeeded: true,
  clipboard: null,
};

class DrawnView implements View {
  readonly audience = "viewer";
  readonly kind = "viewer";
  readonly #desktop: DrawnDesktop;

  constructor(desktop: DrawnDesktop) {
    this.#desktop = desktop;
  }

  get width(): number {
    return this.#desktop.frame.width;
  }

  get height(): number {
    return this.#desktop.frame.height;
  }

  get generation(): number {
    return this.#desktop.generation;
  }

  get screens(): readonly Screen[] {
    return this.#desktop.screens;
  }

  readonly hidden = Region.empty;

  snapshot(): Promise<never> {
    return Promise.reject(new RefusedError("not_supported", "a drawn desktop takes no snapshots"));
  }

  picture(): Picture {
    const { frame } = this.#desktop;
    return {
      width: frame.width,
      height: frame.height,
      pixels: ({ x, y }) => ({
        bytes: frame.bytes,
        offset: (y * frame.width + x) * 4,
        strideBytes: frame.strideBytes,
      }),
    };
  }

  watch(onDamage: () => void, options: { readonly withOverlays?: boolean } = {}): Watcher {
    const { watchers, frame } = this.#desktop;
    return watchers.add(frame.rect, options, onDamage);
  }
}

/** A desktop without a target: a framebuffer that a test draws on, and a list of what viewers did. */
export class DrawnDesktop implements ViewedDesktop {
  readonly id = "drawn";
  readonly name = "Drawn";
  readonly scene = { version: 0 };
  readonly frame: Framebuffer;
  readonly performed: { readonly action: Action; readonly actor: Actor }[] = [];
  readonly watchers = new Watchers(() => {});
  cursor: Cursor | null = null;
  pointer: Point = { x: 0, y: 0 };
  generation = 0;
  viewers = 0;
  /** False: there is no picture and never will be. */
  hasPicture = true;
  /** What `perform` waits for; rejects to refuse. */
  answer: () => Promise<void> = () => Promise.resolve();
  readonly #listeners = new Set<(event: DesktopEvent) => void>();
  #onPerformed: () => void = () => {};

  constructor(width: number, height: number) {
    this.frame = new Framebuffer(width, height);
  }

  get size(): Size {
    return this.hasPicture ? { width: this.frame.width, height: this.frame.height } : { width: 0, height: 0 };
  }

  /** Monitors; where there are none, one that is all of it. */
  layout: readonly Screen[] = [];

  get screens(): readonly Screen[] {
    if (this.layout.length > 0) return this.layout;
    return [{ id: 0, rect: rectOfSize(this.size), flags: 0 }];
  }

  /** Viewers' listeners that are still there. */
  get listeners(): number {
    return this.#listeners.size;
  }

  attachViewer(): () => void {
    this.viewers++;
    return () => {
      this.viewers--;
    };
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: DesktopEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  whenReady(): Promise<void> {
    if (this.hasPicture) return Promise.resolve();
    return Promise.reject(new RefusedError("target_down", "there is no picture"));
  }

  view(): View {
    if (!this.hasPicture) throw new RefusedError("target_down", "there is no picture");
    return new DrawnView(this);
  }

  async perform(action: Action, actor: Actor): Promise<ActionResult> {
    this.performed.push({ action, actor });
    if (action.kind === "pointer") this.pointer = { x: action.x, y: action.y };
    this.#onPerformed();
    await this.answer();
    return RESULT;
  }

  /** Resolves when viewers did so many things in all. */
  whenPerformed(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.performed.length >= count) resolve();
      };
      this.#onPerformed = check;
      check();
    });
  }

  /** Draws and tells the watchers. */
  paint(rect: Rect, word: number): void {
    this.frame.fill(rect, word);
    this.changed(Region.of(rect));
  }

  /** Moves a part and tells the watchers of the move. */
  move(move: CopyMove): void {
    this.frame.copy(move.fromX, move.fromY, move.to);
    this.changed(Region.empty, [move]);
  }

  changed(painted: Region, copies: readonly CopyMove[] = []): void {
    this.generation++;
    this.watchers.update(painted, copies, Region.empty);
  }

  resize(width: number, height: number): void {
    this.frame.resize(width, height);
    this.generation++;
    this.watchers.reset(this.frame.rect);
    this.emit({ type: "resize", size: this.size, screens: this.screens });
  }

  /** Paints a scene that has everything encoders tell apart: flats, few colours, gradients, noise, odd edges. */
  paintScene(seed: number): void {
    const { width, height, words } = this.frame;
    let random = seed | 1;
    const next = (): number => {
      random = (Math.imul(random, 1664525) + 1013904223) | 0;
      return random >>> 8;
    };
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const part = (Math.floor(x / 67) + Math.floor(y / 41)) % 5;
        let colour = 0x302018;
        if (part === 1) colour = (x ^ y) & 4 ? 0xffffff : 0x000000;
        else if (part === 2) colour = ((x * 255) / width) | (((y * 255) / height) << 8) | 0x400000;
        else if (part === 3) colour = next() & 0xffffff;
        else if (part === 4) colour = [0x0000ff, 0x00ff00, 0xff0000, 0x12ab34, 0x777777][next() % 5] ?? 0;
        words[y * width + x] = (0xff000000 | colour) >>> 0;
      }
    }
    this.changed(Region.of(this.frame.rect));
  }
}

import { targetsOf } from "../../framebuffer/copy-move.ts";
import { areaOfRect, holdsPoint, type Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import type { HumanRequest } from "../control/requests/human-request.ts";
import type { HumanRequests } from "../control/requests/human-requests.ts";
import type { View } from "../view.ts";
import type { DesktopEvent } from "./desktop-event.ts";
import { EventQueue } from "./event-queue.ts";
import { TextWatch, type WatchedText } from "./text-watch.ts";

/** What can be seen at the proxy. */
export const EVENT_KINDS = [
  "mouse_move",
  "mouse_click",
  "key_press",
  "clipboard",
  "screen_change",
  "text_appeared",
  "text_gone",
  "request_ended",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Rectangles one screen_change names; more become their bounds. */
const MAX_RECTS = 32;

/** What a subscription needs of a desktop. */
export interface SubscribedDesktop {
  readonly id: string;
  readonly generation: number;
  readonly requests: Pick<HumanRequests, "isPrivate" | "of">;
  view(audience: "agent"): View;
  /** In desktop pixels. */
  hiddenFrom(audience: "agent"): readonly Rect[];
  on(listener: (event: DesktopEvent) => void): () => void;
}

export interface SubscriptionOptions {
  readonly kinds: readonly EventKind[];
  /** Moves and screen changes within so long are told as one. */
  readonly debounceMs: number;
  /** Only what happens there; null everywhere. */
  readonly region: Rect | null;
  /** Smaller screen changes are not told. */
  readonly minPixels: number;
  /** What text_appeared and text_gone are about; needed for them, else null. */
  readonly text: WatchedText | null;
  /** Whose requests request_ended tells of. */
  readonly principalId: string;
}

/** One subscriber's ear at one desktop. */
export class EventSubscription {
  readonly queue = new EventQueue();
  readonly #desktop: SubscribedDesktop;
  readonly #options: SubscriptionOptions;
  readonly #clock: Clock;
  readonly #off: (() => void)[] = [];
  /** The wait that is under way for each kind that is debounced. */
  readonly #waits = new Map<EventKind, () => void>();
  #changed = Region.empty;
  #pointer: { readonly x: number; readonly y: number } | null = null;

  /** Throws RefusedError target_down before the first picture. */
  constructor(desktop: SubscribedDesktop, options: SubscriptionOptions, clock: Clock) {
    this.#desktop = desktop;
    this.#options = options;
    this.#clock = clock;
    if (options.kinds.includes("screen_change")) {
      // A watcher, and not the events of the desktop: it keeps the desktop watched.
      const watcher = desktop.view("agent").watch(() => {
        const { painted, copies } = watcher.take();
        this.#onDamage(painted.union(targetsOf(copies)));
      });
      watcher.take();
      this.#off.push(() => watcher.close());
    }
    const { text, kinds, debounceMs } = options;
    if (text !== null) {
      const watch = new TextWatch(desktop.view("agent"), text, { clock, debounceMs }, (changed) => {
        if (kinds.includes(changed.type)) this.#add(changed);
      });
      this.#off.push(() => watch.close());
    }
    this.#off.push(desktop.on((event) => this.#onEvent(event)));
    // Of an agent that lost its subscription meanwhile.
    for (const request of desktop.requests.of(options.principalId)) this.#onRequest(request);
  }

  close(): void {
    for (const off of this.#off.splice(0)) off();
    for (const cancel of this.#waits.values()) cancel();
    this.#waits.clear();
  }

  #onEvent(event: DesktopEvent): void {
    const { kinds } = this.#options;
    if (event.type === "request") {
      this.#onRequest(event.request);
      return;
    }
    // How many keys a person pressed is how long their password is.
    if (this.#desktop.requests.isPrivate) return;
    if (event.type === "clipboard") {
      if (kinds.includes("clipboard") && !event.isHidden)
        this.#add({ type: "clipboard", length: event.text.length });
      return;
    }
    if (event.type !== "input") return;
    const { input } = event;
    if (!kinds.includes(input.kind)) return;
    switch (input.kind) {
      case "key_press":
        this.#add({ type: "key_press", count: 1 });
        return;
      case "clipboard":
        if (!input.isHidden) this.#add({ type: "clipboard", length: input.length });
        return;
      case "mouse_click":
        if (this.#isInside(input.x, input.y)) {
          this.#add({ type: "mouse_click", x: input.x, y: input.y, button: input.button });
        }
        return;
      case "mouse_move":
        if (!this.#isInside(input.x, input.y)) return;
        this.#pointer = { x: input.x, y: input.y };
        this.#later("mouse_move", () => {
          if (this.#pointer !== null) this.#add({ type: "mouse_move", ...this.#pointer });
        });
    }
  }

  /** Told to who asked for it alone. */
  #onRequest({ id, actor, state, answer }: HumanRequest): void {
    const { kinds, principalId } = this.#options;
    if (!kinds.includes("request_ended") || actor.id !== principalId) return;
    if (state === "open" || state === "taken") return;
    this.#add({ type: "request_ended", requestId: id, state, answer });
  }

  #onDamage(damage: Region): void {
    const { region } = this.#options;
    const inside = region === null ? damage : damage.clip(region);
    if (inside.isEmpty) return;
    this.#changed = this.#changed.union(inside).simplified(MAX_RECTS);
    this.#later("screen_change", () => {
      const { rects } = this.#changed;
      this.#changed = Region.empty;
      const pixels = rects.reduce((sum, rect) => sum + areaOfRect(rect), 0);
      if (pixels < this.#options.minPixels) return;
      this.#add({ type: "screen_change", rects, generation: this.#desktop.generation });
    });
  }

  /** At once without a debounce; else once, when it is over. */
  #later(kind: EventKind, tell: () => void): void {
    if (this.#options.debounceMs === 0) {
      tell();
      return;
    }
    if (this.#waits.has(kind)) return;
    const cancel = this.#clock.after(this.#options.debounceMs, () => {
      this.#waits.delete(kind);
      tell();
    });
    this.#waits.set(kind, cancel);
  }

  /** What somebody does in a place that is hidden from agents is not told: on a keypad the place is what is typed. */
  #isInside(x: number, y: number): boolean {
    if (this.#desktop.hiddenFrom("agent").some((rect) => holdsPoint(rect, x, y))) return false;
    return this.#options.region === null || holdsPoint(this.#options.region, x, y);
  }

  #add(body: Parameters<EventQueue["add"]>[0]): void {
    this.queue.add(body, this.#clock.date().toISOString());
  }
}

import type { Rect } from "../../framebuffer/rect.ts";
import type { Button } from "../control/action.ts";
import type { RequestState } from "../control/requests/human-request.ts";
import type { TextChanged } from "./text-watch.ts";

/** What a subscriber is told. `seq` grows by one with each event, `at` is ISO 8601. */
export type SubscribedEvent = { readonly seq: number; readonly at: string } & EventBody;

export type EventBody =
  | { readonly type: "mouse_move"; readonly x: number; readonly y: number }
  | { readonly type: "mouse_click"; readonly x: number; readonly y: number; readonly button: Button }
  /** How many keys went down since the event before. */
  | { readonly type: "key_press"; readonly count: number }
  | { readonly type: "clipboard"; readonly length: number }
  | { readonly type: "screen_change"; readonly rects: readonly Rect[]; readonly generation: number }
  /** `text` is what stands or stood there: what others wrote. */
  | TextChanged
  /** A person ended what the subscriber asked for, or nobody did in time. `answer`: what they wrote. */
  | {
      readonly type: "request_ended";
      readonly requestId: string;
      readonly state: Exclude<RequestState, "open" | "taken">;
      readonly answer: string | null;
    }
  /** It is time to look: what set_screenshot_frequency asked for; null: no picture could be taken. */
  | { readonly type: "screenshot_due"; readonly generation: number; readonly screenshotId: string | null };

/** Events that wait to be fetched; the oldest are dropped, and counted. */
const MAX_WAITING = 1000;

/** The events of one subscription, in order. */
export class EventQueue {
  #events: SubscribedEvent[] = [];
  #seq = 0;
  #dropped = 0;
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#events.length;
  }

  add(body: EventBody, at: string): void {
    const last = this.#events.at(-1);
    // Keys that were not fetched yet are counted; which ones they were is not kept.
    if (body.type === "key_press" && last?.type === "key_press") {
      this.#events[this.#events.length - 1] = { ...last, count: last.count + body.count };
    } else {
      this.#events.push({ seq: ++this.#seq, at, ...body });
      if (this.#events.length > MAX_WAITING) {
        this.#events.shift();
        this.#dropped++;
      }
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const call of waiting) call();
  }

  /** Hands out at most `limit`; `dropped` counts what was lost since the last call. */
  take(limit: number): { readonly events: readonly SubscribedEvent[]; readonly dropped: number } {
    const events = this.#events.slice(0, limit);
    this.#events = this.#events.slice(limit);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { events, dropped };
  }

  /** Calls back once, at the next event; the returned function gives up. */
  onNext(call: () => void): () => void {
    // Each a call of its own: two may be the same function.
    const wake = (): void => call();
    this.#waiting.add(wake);
    return () => {
      this.#waiting.delete(wake);
    };
  }
}

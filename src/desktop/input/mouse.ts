import type { Point } from "../../framebuffer/rect.ts";
import { type Action, BUTTON_BIT } from "../control/action.ts";
import { stepsOfDrag } from "./drag-steps.ts";
import type { Input } from "./input.ts";
import type { Pace, PacedOptions, Rest, RestLimits } from "./typing-pace.ts";

/** Bits 3 to 6 of an RFB button mask are the wheel: a press and release is one notch. RFC 6143 section 7.5.5. */
const WHEEL = { up: 8, down: 16, left: 32, right: 64 } as const;
/** After so many notches or moves the target is asked whether it kept up. */
const EVENTS_A_BARRIER = 16;
/** Of several clicks each press lasts so long; a click alone needs no time. */
const PRESS_MS = 20;
/** Presses of the same millisecond count as one (Chromium 156 on Xtigervnc 1.12, 2026-11-23; docs/performance.md). */
const BETWEEN_CLICKS_MS = 30;
/** Who says only later that a press was taken would get the next one too late for a double click. */
const TAKEN_MS = 100;
/** Two presses further apart than this are two clicks: GTK and Qt take 400 ms, Windows, macOS and Chromium 500. */
const MULTI_CLICK_MS = 400;
/** A slow target has so much longer at each press, and each end of one, of several. */
const MOST_LATE_CLICK_MS = 60;
/** A drag begins and ends at rest: programs start it at the first small move, and take a drop where they saw it last. */
const GRIP_MS = 50;
const START_MS = 100;
const DROP_MS = 150;
/**
 * A browser asks the page whether it takes a drop at each move, and tells the desktop at the next one what the page said
 * (Chromium 156 on Xtigervnc 1.12): so there is a last small move once the page had the time to answer.
 */
const SETTLE_MS = 250;
/**
 * Notches of the same moment become one event, of which a page that is still going the other way loses a part: of 9
 * notches back 444 of 600 pixels came, 9 times of 40; never with 5 ms between them (Chromium 156 on Xtigervnc 1.12,
 * 2026-11-24).
 */
const BETWEEN_NOTCHES_MS = 10;
/**
 * What programs take of a drag's rests at a time when they are not late. Where they were later than this, each rest is
 * longer by the difference: a page on a busy machine that hears of the drop before it began the drag loses it.
 */
const USUAL_REACTION_MS = 100;
/** All points of a path together get so much more time at most where the target is slow. */
const MOST_LATE_DRAG_MS = 5000;

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/**
 * The mouse of a target. Points are on the screen; what it presses it lets go, whatever happens. What it does gives
 * false where it is not known that the target took all of it as it was meant, and what came before as over.
 */
export class Mouse {
  readonly #input: Input;
  readonly #pace: Pace;
  readonly #reactionMs: () => number;

  /** `reactionMs`: how long the target's programs took lately to show what an action did. */
  constructor(input: Input, pace: Pace, reactionMs: () => number) {
    this.#input = input;
    this.#pace = pace;
    this.#reactionMs = reactionMs;
  }

  /** Of several also: as several, and as one after the other. */
  async click(action: Of<"click">, options: PacedOptions): Promise<boolean> {
    const { x, y } = this.#placeOf(action);
    const bit = BUTTON_BIT[action.button];
    await this.#pace.hesitate(options);
    const isSure = await this.#pace.apart({ x, y }, options.signal);
    const { prove = null } = options;
    await prove?.ready();
    // Last, so that the press comes right behind the answer. Not over the place: what lights up there looks otherwise.
    await options.newest?.();
    const held = this.#input.buttons & ~bit;
    let others = held;
    const at = this.#input.position;
    // Nobody is told of a pointer that stands there already.
    if (prove !== null && at.x === x && at.y === y) this.#input.pointer(x > 0 ? x - 1 : x + 1, y, others);
    this.#input.pointer(x, y, others);
    const wheel = (isDown: boolean): void => {
      others = isDown ? held | WHEEL.left : held;
      this.#input.pointer(x, y, others);
    };
    try {
      await prove?.under(wheel);
      return (await this.#press(action, { x, y }, others, options)) && isSure;
    } finally {
      if (others !== held) wheel(false);
    }
  }

  /** At the place where the pointer is; `others`: the buttons that are down and stay so. */
  async #press(
    { button, clicks, holdKeysyms }: Of<"click">,
    { x, y }: Point,
    others: number,
    options: PacedOptions,
  ): Promise<boolean> {
    const bit = BUTTON_BIT[button];
    const { signal } = options;
    let isSure = true;
    let sentAtMs = Number.POSITIVE_INFINITY;
    // Two events that a target reads at once have one timestamp, however long it was between them here.
    const taken = async (restMs: number): Promise<number> => {
      const limits = { mostLateMs: MOST_LATE_CLICK_MS, fenceMs: TAKEN_MS };
      const { isTaken, tookMs } = await this.#pace.rest(restMs, signal, limits);
      if (!isTaken) isSure = false;
      return tookMs;
    };
    await this.#holding(holdKeysyms, async () => {
      for (let i = 0; i < clicks; i++) {
        if (i > 0) {
          await taken(BETWEEN_CLICKS_MS);
          await this.#pace.hesitate(options);
        }
        const sinceLastMs = this.#pace.nowMs() - sentAtMs;
        sentAtMs = this.#pace.nowMs();
        this.#input.pointer(x, y, others | bit);
        options.report?.({ clicks: i + 1, of: clicks });
        try {
          if (clicks > 1) {
            const tookMs = await taken(PRESS_MS);
            // It had this press before it said so, and the one before not before that was sent.
            if (sinceLastMs + tookMs - this.#pace.quickestMs > MULTI_CLICK_MS) isSure = false;
          }
        } finally {
          this.#input.pointer(x, y, others);
          this.#pace.released();
        }
      }
    });
    return isSure;
  }

  async move({ x, y }: Of<"move">, options: PacedOptions): Promise<void> {
    await this.#pace.hesitate(options);
    this.#input.pointer(x, y, this.#input.buttons);
  }

  async drag(action: Of<"drag">, options: PacedOptions): Promise<boolean> {
    const [start] = action.path;
    if (start === undefined) return true;
    const bit = BUTTON_BIT[action.button];
    const { grip, moves, settle } = stepsOfDrag(action.path, action.durationMs);
    const report = (points: number, { x, y }: Point): void =>
      options.report?.({ points, of: action.path.length, x, y });
    await this.#pace.hesitate(options);
    let isSure = await this.#pace.apart(start, options.signal);
    const leastLateMs = Math.max(0, this.#reactionMs() - USUAL_REACTION_MS);
    const rest = async (restMs: number, limits: RestLimits = { leastLateMs }): Promise<Rest> => {
      const rested = await this.#pace.rest(restMs, options.signal, limits);
      if (!rested.isTaken) isSure = false;
      return rested;
    };
    const others = this.#input.buttons & ~bit;
    this.#input.pointer(start.x, start.y, others);
    await this.#holding(action.holdKeysyms, async () => {
      try {
        this.#input.pointer(start.x, start.y, others | bit);
        report(1, start);
        await rest(GRIP_MS);
        this.#input.pointer(grip.x, grip.y, others | bit);
        report(1, grip);
        await rest(START_MS);
        let spareMs = MOST_LATE_DRAG_MS;
        for (const [index, { at, points, isPoint, pauseMs }] of moves.entries()) {
          options.signal?.throwIfAborted();
          if (settle !== null && index === moves.length - 1) {
            this.#input.pointer(settle.x, settle.y, others | bit);
            report(moves[index - 1]?.points ?? 1, settle);
            await rest(SETTLE_MS);
          }
          this.#input.pointer(at.x, at.y, others | bit);
          report(points, at);
          if (isPoint && this.#pace.hasFence) {
            spareMs -= (await rest(pauseMs, { mostLateMs: spareMs })).lateMs;
          } else if (pauseMs > 0) await this.#pace.wait(pauseMs, options.signal);
          else if ((index + 1) % EVENTS_A_BARRIER === 0)
            isSure = (await this.#pace.barrier(options.signal)) && isSure;
        }
        await rest(DROP_MS);
      } finally {
        const { x, y } = this.#input.position;
        this.#input.pointer(x, y, others);
        this.#pace.released();
      }
    });
    return isSure;
  }

  async scroll(action: Of<"scroll">, options: PacedOptions): Promise<boolean> {
    const { x, y } = this.#placeOf(action);
    await this.#pace.hesitate(options);
    const { buttons } = this.#input;
    this.#input.pointer(x, y, buttons);
    const of = Math.abs(action.notchesX) + Math.abs(action.notchesY);
    let isSure = true;
    await this.#holding(action.holdKeysyms, async () => {
      let sent = 0;
      for (const [notches, bit] of [
        [action.notchesY, action.notchesY > 0 ? WHEEL.down : WHEEL.up],
        [action.notchesX, action.notchesX > 0 ? WHEEL.right : WHEEL.left],
      ] as const) {
        for (let i = 0; i < Math.abs(notches); i++) {
          options.signal?.throwIfAborted();
          if (sent > 0) await this.#pace.wait(BETWEEN_NOTCHES_MS, options.signal);
          this.#input.pointer(x, y, buttons | bit);
          this.#input.pointer(x, y, buttons);
          sent++;
          options.report?.({ notches: sent, of });
          if (sent % EVENTS_A_BARRIER === 0 && !(await this.#pace.barrier(options.signal))) isSure = false;
        }
      }
    });
    return isSure;
  }

  #placeOf({ x, y }: { readonly x: number | null; readonly y: number | null }): Point {
    const at = this.#input.position;
    return { x: x ?? at.x, y: y ?? at.y };
  }

  async #holding(keysyms: readonly number[], run: () => Promise<void>): Promise<void> {
    const down: number[] = [];
    try {
      for (const keysym of keysyms) {
        this.#input.key(keysym, true, null);
        down.push(keysym);
      }
      await run();
    } finally {
      for (const keysym of down.reverse()) this.#input.key(keysym, false, null);
    }
  }
}

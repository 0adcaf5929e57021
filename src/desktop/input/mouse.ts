import type { Point } from "../../framebuffer/rect.ts";
import { type Action, BUTTON_BIT } from "../control/action.ts";
import { stepsOfDrag } from "./drag-steps.ts";
import type { Input } from "./input.ts";
import type { Pace, PacedOptions } from "./typing-pace.ts";

/** Bits 3 to 6 of an RFB button mask are the wheel: a press and release is one notch. RFC 6143 section 7.5.5. */
const WHEEL = { up: 8, down: 16, left: 32, right: 64 } as const;
/** After so many notches or moves the target is asked whether it kept up. */
const EVENTS_A_BARRIER = 16;
/** Of several clicks each press lasts so long; a click alone needs no time. */
const PRESS_MS = 20;
/** Presses of the same millisecond count as one (Chromium 156 on Xtigervnc 1.12, 2026-11-23; docs/performance.md). */
const BETWEEN_CLICKS_MS = 30;
/** Who says only later that a press was taken would get the next one too late for a double click. */
const TAKEN_MS = 80;
/** A drag begins and ends at rest: programs start it at the first small move, and take a drop where they saw it last. */
const GRIP_MS = 50;
const START_MS = 100;
const DROP_MS = 120;
/** All points of a path together get so much more time at most where the target is slow. */
const MOST_LATE_DRAG_MS = 5000;

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** The mouse of a target. Points are on the screen; what it presses it lets go, whatever happens. */
export class Mouse {
  readonly #input: Input;
  readonly #pace: Pace;

  constructor(input: Input, pace: Pace) {
    this.#input = input;
    this.#pace = pace;
  }

  /** False where it is not known that the target took several clicks as several. */
  async click(action: Of<"click">, options: PacedOptions): Promise<boolean> {
    const { x, y } = this.#placeOf(action);
    const bit = BUTTON_BIT[action.button];
    const { clicks } = action;
    await this.#pace.hesitate(options);
    const others = this.#input.buttons & ~bit;
    this.#input.pointer(x, y, others);
    let isSure = true;
    // Two events that a target reads at once have one timestamp, however long it was between them here.
    const taken = async (): Promise<void> => {
      if (!(await this.#pace.barrier(options.signal, TAKEN_MS))) isSure = false;
    };
    await this.#holding(action.holdKeysyms, async () => {
      for (let i = 0; i < clicks; i++) {
        if (i > 0) {
          await taken();
          await this.#pace.wait(BETWEEN_CLICKS_MS, options.signal);
          await this.#pace.hesitate(options);
        }
        this.#input.pointer(x, y, others | bit);
        options.report?.({ clicks: i + 1, of: clicks });
        try {
          if (clicks > 1) {
            await taken();
            await this.#pace.wait(PRESS_MS, options.signal);
          }
        } finally {
          this.#input.pointer(x, y, others);
        }
      }
    });
    return isSure;
  }

  async move({ x, y }: Of<"move">, options: PacedOptions): Promise<void> {
    await this.#pace.hesitate(options);
    this.#input.pointer(x, y, this.#input.buttons);
  }

  async drag(action: Of<"drag">, options: PacedOptions): Promise<void> {
    const [start] = action.path;
    if (start === undefined) return;
    const bit = BUTTON_BIT[action.button];
    const { grip, moves } = stepsOfDrag(action.path, action.durationMs);
    const report = (points: number, { x, y }: Point): void =>
      options.report?.({ points, of: action.path.length, x, y });
    await this.#pace.hesitate(options);
    const others = this.#input.buttons & ~bit;
    this.#input.pointer(start.x, start.y, others);
    await this.#holding(action.holdKeysyms, async () => {
      try {
        this.#input.pointer(start.x, start.y, others | bit);
        report(1, start);
        await this.#pace.rest(GRIP_MS, options.signal);
        this.#input.pointer(grip.x, grip.y, others | bit);
        report(1, grip);
        await this.#pace.rest(START_MS, options.signal);
        let spareMs = MOST_LATE_DRAG_MS;
        for (const [index, { at, points, isPoint, pauseMs }] of moves.entries()) {
          options.signal?.throwIfAborted();
          this.#input.pointer(at.x, at.y, others | bit);
          report(points, at);
          if (isPoint && this.#pace.hasFence) {
            spareMs -= await this.#pace.rest(pauseMs, options.signal, spareMs);
          } else if (pauseMs > 0) await this.#pace.wait(pauseMs, options.signal);
          else if ((index + 1) % EVENTS_A_BARRIER === 0) await this.#pace.barrier(options.signal);
        }
        await this.#pace.rest(DROP_MS, options.signal);
      } finally {
        const { x, y } = this.#input.position;
        this.#input.pointer(x, y, others);
      }
    });
  }

  async scroll(action: Of<"scroll">, options: PacedOptions): Promise<void> {
    const { x, y } = this.#placeOf(action);
    await this.#pace.hesitate(options);
    const { buttons } = this.#input;
    this.#input.pointer(x, y, buttons);
    const of = Math.abs(action.notchesX) + Math.abs(action.notchesY);
    await this.#holding(action.holdKeysyms, async () => {
      let sent = 0;
      for (const [notches, bit] of [
        [action.notchesY, action.notchesY > 0 ? WHEEL.down : WHEEL.up],
        [action.notchesX, action.notchesX > 0 ? WHEEL.right : WHEEL.left],
      ] as const) {
        for (let i = 0; i < Math.abs(notches); i++) {
          options.signal?.throwIfAborted();
          this.#input.pointer(x, y, buttons | bit);
          this.#input.pointer(x, y, buttons);
          options.report?.({ notches: ++sent, of });
          if (sent % EVENTS_A_BARRIER === 0) await this.#pace.barrier(options.signal);
        }
      }
    });
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

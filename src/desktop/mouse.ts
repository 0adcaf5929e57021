import type { Point } from "../framebuffer/rect.ts";
import { type Action, BUTTON_BIT, type PerformOptions } from "./action.ts";
import type { Input } from "./input.ts";
import type { Pace } from "./pace.ts";

/** Bits 3 to 6 of an RFB button mask are the wheel: a press and release is one notch. RFC 6143 section 7.5.5. */
const WHEEL = { up: 8, down: 16, left: 32, right: 64 } as const;
/** After so many notches or moves the target is asked whether it kept up. */
const EVENTS_A_BARRIER = 16;
/** A drag goes in steps: programs tell a drag from a click by the motion between. */
const STEP_PIXELS = 48;
/** Programs that look at the pointer now and then must see where it was pressed before it moves on. */
const GRIP_MS = 16;

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** The mouse of a target. Points are on the screen; what it presses it lets go, whatever happens. */
export class Mouse {
  readonly #input: Input;
  readonly #pace: Pace;

  constructor(input: Input, pace: Pace) {
    this.#input = input;
    this.#pace = pace;
  }

  async click(action: Of<"click">, options: PerformOptions): Promise<void> {
    const { x, y } = this.#placeOf(action);
    const bit = BUTTON_BIT[action.button];
    await this.#pace.hesitate(options);
    const others = this.#input.buttons & ~bit;
    this.#input.pointer(x, y, others);
    await this.#holding(action.holdKeysyms, async () => {
      for (let i = 0; i < action.clicks; i++) {
        if (i > 0) await this.#pace.hesitate(options);
        this.#input.pointer(x, y, others | bit);
        this.#input.pointer(x, y, others);
      }
    });
  }

  async move({ x, y }: Of<"move">, options: PerformOptions): Promise<void> {
    await this.#pace.hesitate(options);
    this.#input.pointer(x, y, this.#input.buttons);
  }

  async drag(action: Of<"drag">, options: PerformOptions): Promise<void> {
    const [start, ...rest] = action.path;
    if (start === undefined) return;
    const bit = BUTTON_BIT[action.button];
    const steps = stepsAlong(start, rest);
    const pauseMs = action.durationMs === null ? 0 : action.durationMs / Math.max(1, steps.length);
    await this.#pace.hesitate(options);
    const others = this.#input.buttons & ~bit;
    this.#input.pointer(start.x, start.y, others);
    await this.#holding(action.holdKeysyms, async () => {
      try {
        this.#input.pointer(start.x, start.y, others | bit);
        await this.#pace.wait(GRIP_MS, options.signal);
        for (const [index, { x, y }] of steps.entries()) {
          options.signal?.throwIfAborted();
          this.#input.pointer(x, y, others | bit);
          if (pauseMs > 0) await this.#pace.wait(pauseMs, options.signal);
          else if ((index + 1) % EVENTS_A_BARRIER === 0) await this.#pace.barrier(options.signal);
        }
        await this.#pace.barrier(options.signal);
        await this.#pace.wait(GRIP_MS, options.signal);
      } finally {
        const { x, y } = this.#input.position;
        this.#input.pointer(x, y, others);
      }
    });
  }

  async scroll(action: Of<"scroll">, options: PerformOptions): Promise<void> {
    const { x, y } = this.#placeOf(action);
    await this.#pace.hesitate(options);
    const { buttons } = this.#input;
    this.#input.pointer(x, y, buttons);
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
          if (++sent % EVENTS_A_BARRIER === 0) await this.#pace.barrier(options.signal);
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

/** The points of a path with others between them, at most STEP_PIXELS apart and at least two a stretch. */
function stepsAlong(start: Point, rest: readonly Point[]): Point[] {
  const steps: Point[] = [];
  let from = start;
  for (const to of rest) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const count = length === 0 ? 1 : Math.max(2, Math.ceil(length / STEP_PIXELS));
    for (let i = 1; i <= count; i++) {
      steps.push({
        x: Math.round(from.x + ((to.x - from.x) * i) / count),
        y: Math.round(from.y + ((to.y - from.y) * i) / count),
      });
    }
    from = to;
  }
  return steps;
}

import type { Action, Actor, PerformOptions } from "../../desktop/control/action.ts";
import { LinkError, RefusedError } from "../../desktop/error.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { RfbError } from "../../protocols/rfb/error.ts";
import type { ViewerLog } from "./log.ts";

/** Actions under way beyond which the pointer's moves wait, the newest of them only. */
const MAX_EAGER = 256;
/** Actions under way that no hand can make: the viewer is at fault. */
const MAX_PENDING = 4096;

type Pointer = Extract<Action, { kind: "pointer" }>;

export interface InputDesktop {
  perform(action: Action, actor: Actor, options?: PerformOptions): Promise<unknown>;
}

/**
 * What one viewer does to a desktop. Nothing is waited for; what a viewer that goes away still holds is let go.
 */
export class ViewerInput {
  readonly #desktop: InputDesktop;
  readonly #actor: Actor;
  readonly #log: ViewerLog;
  readonly #heldKeys = new Map<number, number | null>();
  #pointer: Pointer = { kind: "pointer", x: 0, y: 0, buttons: 0 };
  #waitingMove: Pointer | null = null;
  #pending = 0;

  constructor(desktop: InputDesktop, actor: Actor, log: ViewerLog) {
    this.#desktop = desktop;
    this.#actor = actor;
    this.#log = log;
  }

  pointer(x: number, y: number, buttons: number): void {
    const action: Pointer = { kind: "pointer", x, y, buttons };
    const isMove = buttons === this.#pointer.buttons;
    this.#pointer = action;
    if (isMove && this.#pending >= MAX_EAGER) {
      this.#waitingMove = action;
      return;
    }
    this.#waitingMove = null;
    this.#perform(action);
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    if (isDown) this.#heldKeys.set(keysym, scancode);
    else this.#heldKeys.delete(keysym);
    this.#flushMove();
    this.#perform({ kind: "key", keysym, isDown, scancode });
  }

  clipboard(text: string): void {
    this.#perform({ kind: "write_clipboard", text });
  }

  /** Resolves when the target took it, rejects with what the desktop says. */
  resize(width: number, height: number, screens: readonly Rect[] = []): Promise<unknown> {
    const layout = screens.length > 1 ? { screens } : {};
    return this.#desktop.perform({ kind: "resize", width, height, ...layout }, this.#actor, {
      effectTimeoutMs: 0,
    });
  }

  /** Lets go of every key and button that is still down. */
  release(): void {
    this.#waitingMove = null;
    for (const [keysym, scancode] of this.#heldKeys) {
      this.#send({ kind: "key", keysym, isDown: false, scancode });
    }
    this.#heldKeys.clear();
    if (this.#pointer.buttons === 0) return;
    this.#pointer = { ...this.#pointer, buttons: 0 };
    this.#send(this.#pointer);
  }

  #flushMove(): void {
    const move = this.#waitingMove;
    this.#waitingMove = null;
    if (move !== null) this.#perform(move);
  }

  #perform(action: Action): void {
    if (this.#pending >= MAX_PENDING) {
      throw new RfbError(
        "too_large",
        "message",
        `got input faster than it can be done, expected a person's pace`,
      );
    }
    this.#send(action);
  }

  #send(action: Action): void {
    this.#pending++;
    this.#desktop
      .perform(action, this.#actor, { effectTimeoutMs: 0 })
      .catch((error: unknown) =>
        this.#log.debug({ action: action.kind, code: codeOf(error) }, "Viewer input failed"),
      )
      .finally(() => {
        this.#pending--;
        if (this.#pending < MAX_EAGER && this.#waitingMove !== null) this.#flushMove();
      });
  }
}

/** What went wrong, without any words that could hold what was typed. */
export function codeOf(error: unknown): string {
  return error instanceof RefusedError || error instanceof LinkError ? error.code : "internal";
}

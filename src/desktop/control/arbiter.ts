import type { Clock } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import type { Actor } from "./action.ts";

/** Who has the input now. `sinceMs` by the clock; a person's hold ends by itself at `untilMs`, null: when given back. */
export interface Holder {
  readonly actor: Actor;
  readonly sinceMs: number;
  readonly untilMs: number | null;
  /** The person said that they take over, rather than just using mouse or keyboard: they are asked nothing either. */
  readonly isDeclared: boolean;
}

/** Actions of all agents, and of one, that may wait for their turn; the next is refused. */
const MAX_WAITING = 100;
const MAX_WAITING_OF_ONE = 20;
/**
 * Whatever an agent's action takes by what is asked of it and by how slow the target is, its turn ends then. Longer than
 * what may be asked for (longest-action.ts), so that this is done to its end.
 */
const LONGEST_TURN_MS = 70_000;
/** An agent is told as the holder for so long after its last action, so that the word does not flicker. */
const LINGER_MS = 3000;
/** While others wait, an agent that keeps something pressed between two actions keeps its turn for so long. */
const PRESSED_MS = 10_000;
/** A second person who uses the input becomes its holder once the first has rested for so long; until then both just work. */
const SHARED_MS = 2000;

export interface ArbiterPorts {
  readonly clock: Clock;
  /** A person who does nothing for so long gives the input back by it; 0: only by saying so, or leaving. */
  readonly humanIdleMs: number;
  /** Whether any key or button is down. */
  isPressed(): boolean;
  /** The agent's input goes nowhere any more until its next action. */
  seize(): void;
  releaseAll(): void;
  changed(holder: Holder | null): void;
}

/** What takes a turn: its signal aborts when a person takes over, among other reasons of its own. */
type TurnTaker = Pick<AbortController, "signal" | "abort">;

interface Waiter {
  readonly actor: Actor;
  readonly action: TurnTaker;
  start(): void;
}

/** One actor at a time uses the input: a person wins at once, agents' actions are whole and take turns by principal. */
export class Arbiter {
  readonly #ports: ArbiterPorts;
  /** Waiting actions by principal, each in order; principals in the order of their turns. */
  readonly #queues = new Map<string, Waiter[]>();
  #waiting = 0;
  #running: TurnTaker | null = null;
  #holder: Holder | null = null;
  #usedAtMs = 0;
  #cancelTimer: () => void = () => {};
  #cancelPressed: (() => void) | null = null;
  #lastAgentId = "";

  constructor(ports: ArbiterPorts) {
    this.#ports = ports;
  }

  get holder(): Holder | null {
    return this.#holder;
  }

  get isHumanHolding(): boolean {
    return this.#holder?.actor.kind === "human";
  }

  /** Whether an agent's action runs now or left something pressed: a person's idle move would disturb it. */
  get isAgentBusy(): boolean {
    return this.#running !== null || (!this.isHumanHolding && this.#ports.isPressed());
  }

  /** Whether anybody is at it: a person has it, an agent's action runs, or something is down. */
  get isBusy(): boolean {
    return this.isHumanHolding || this.#running !== null || this.#ports.isPressed();
  }

  /** Whether something is down that this agent has left so. */
  isPressedBy(agentId: string): boolean {
    return this.#lastAgentId === agentId && !this.isHumanHolding && this.#ports.isPressed();
  }

  /** A person uses mouse or keyboard, or says so: whatever an agent does ends now, and what it held is let go. */
  take(human: Actor, isDeclared = false): void {
    const nowMs = this.#ports.clock.nowMs();
    const holder = this.#holder;
    const taken = { actor: human, sinceMs: nowMs, untilMs: this.#untilMs(nowMs), isDeclared };
    if (holder?.actor.kind === "human") {
      const isOther = holder.actor.id !== human.id && nowMs - this.#usedAtMs >= SHARED_MS;
      this.#usedAtMs = nowMs;
      if (isOther || (isDeclared && !holder.isDeclared)) this.#hold(taken);
      return;
    }
    this.#usedAtMs = nowMs;
    this.#ports.seize();
    this.end(this.#refusal(human));
    this.#ports.releaseAll();
    this.#hold(taken);
    this.#watchIdle();
  }

  /** More of who holds the input already, such as a moving pointer; false from any other. */
  touch(human: Actor): boolean {
    if (this.#holder?.actor.kind !== "human") return false;
    if (this.#holder.actor.id === human.id) this.#usedAtMs = this.#ports.clock.nowMs();
    return true;
  }

  /**
   * Agents have the input again. `by`: who says so, beside the person who holds it. Throws RefusedError permission_denied
   * where that person said that they took over and `by` is no administrator.
   */
  giveBack(by?: Actor): void {
    const holder = this.#holder;
    if (holder?.actor.kind !== "human") return;
    const isOther = by !== undefined && by.id !== holder.actor.id && by.authority !== "rules";
    if (isOther && holder.isDeclared) {
      throw new RefusedError(
        "permission_denied",
        `${holder.actor.name} took the input over: only they and administrators give it back`,
      );
    }
    this.#cancelTimer();
    this.#ports.releaseAll();
    this.#hold(null);
  }

  /** A person has no viewer of the desktop any more: what they held, said or not, is free again. */
  gone(personId: string): void {
    if (this.isHumanHolding && this.#holder?.actor.id === personId) this.giveBack();
  }

  /** Throws RefusedError human_in_control while a person holds the input. */
  checkFree(): void {
    const holder = this.#holder;
    if (holder?.actor.kind === "human") throw this.#refusal(holder.actor);
  }

  /**
   * Calls `run` when the turn of an agent's action comes, and aborts the action when a person takes over. Throws
   * RefusedError human_in_control or too_many, or why the action was aborted.
   */
  async run<Result>(actor: Actor, action: TurnTaker, run: () => Promise<Result>): Promise<Result> {
    this.checkFree();
    if (this.#isFreeFor(actor)) this.#begin(actor, action);
    else await this.#wait(actor, action);
    const cancelLimit = this.#ports.clock.after(LONGEST_TURN_MS, () => action.abort(tooLong()));
    try {
      // Whatever came between being let in and running: nothing begins while a person has the input.
      action.signal.throwIfAborted();
      return await run();
    } finally {
      cancelLimit();
      this.#running = null;
      this.#usedAtMs = this.#ports.clock.nowMs();
      this.#next();
    }
  }

  /** Ends what runs and what waits. */
  end(reason: RefusedError): void {
    this.#running?.abort(reason);
    for (const { action } of [...this.#queues.values()].flat()) action.abort(reason);
  }

  close(): void {
    this.#cancelTimer();
    this.#cancelPressed?.();
    this.end(new RefusedError("cancelled", "the desktop was removed"));
  }

  #isFreeFor(actor: Actor): boolean {
    if (this.#running !== null || this.#waiting > 0) return false;
    return actor.id === this.#lastAgentId || !this.#ports.isPressed();
  }

  #begin(actor: Actor, action: TurnTaker): void {
    this.#running = action;
    this.#lastAgentId = actor.id;
    this.#cancelPressed?.();
    this.#cancelPressed = null;
    if (this.#holder?.actor.id !== actor.id) {
      this.#hold({ actor, sinceMs: this.#ports.clock.nowMs(), untilMs: null, isDeclared: false });
      this.#watchLinger();
    }
  }

  #wait(actor: Actor, action: TurnTaker): Promise<void> {
    const { signal } = action;
    const own = this.#queues.get(actor.id)?.length ?? 0;
    if (this.#waiting >= MAX_WAITING || own >= MAX_WAITING_OF_ONE) {
      const got = own >= MAX_WAITING_OF_ONE ? `${own} of your actions` : `${MAX_WAITING} actions`;
      throw new RefusedError("too_many", `${got} wait for this desktop already: slow down`);
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", onAbort);
        this.#remove(waiter);
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        actor,
        action,
        start: () => {
          leave();
          this.#begin(actor, action);
          resolve();
        },
      };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queues.set(actor.id, [...(this.#queues.get(actor.id) ?? []), waiter]);
      this.#waiting++;
      this.#next();
    });
  }

  #remove(waiter: Waiter): void {
    const rest = (this.#queues.get(waiter.actor.id) ?? []).filter((other) => other !== waiter);
    this.#waiting--;
    // Taken out and put back at the end: the next turn is another principal's.
    this.#queues.delete(waiter.actor.id);
    if (rest.length > 0) this.#queues.set(waiter.actor.id, rest);
  }

  #next(): void {
    if (this.#running !== null || this.#waiting === 0) return;
    if (!this.#ports.isPressed()) {
      for (const [first] of this.#queues.values()) {
        first?.start();
        return;
      }
    }
    const own = this.#queues.get(this.#lastAgentId)?.[0];
    if (own !== undefined) {
      own.start();
      return;
    }
    this.#cancelPressed ??= this.#ports.clock.after(PRESSED_MS, () => {
      this.#cancelPressed = null;
      if (this.#running !== null || this.isHumanHolding) return;
      this.#ports.releaseAll();
      this.#next();
    });
  }

  #untilMs(nowMs: number): number | null {
    return this.#ports.humanIdleMs === 0 ? null : nowMs + this.#ports.humanIdleMs;
  }

  #refusal(human: Actor): RefusedError {
    const { clock, humanIdleMs } = this.#ports;
    const leftMs = Math.max(0, this.#usedAtMs + humanIdleMs - clock.nowMs());
    const end = humanIdleMs === 0 ? "" : `, or until they have rested for ${humanIdleMs / 1000} s`;
    return new RefusedError(
      "human_in_control",
      `${human.name} holds the input: wait until they give it back${end}`,
      humanIdleMs === 0 ? {} : { retryAfterMs: Math.max(1, leftMs) },
    );
  }

  #watchIdle(): void {
    const { clock, humanIdleMs } = this.#ports;
    this.#cancelTimer();
    if (humanIdleMs === 0) return;
    const look = (): void => {
      const leftMs = this.#usedAtMs + humanIdleMs - clock.nowMs();
      // Who still presses something has not gone away.
      if (leftMs > 0 || this.#ports.isPressed()) {
        this.#cancelTimer = clock.after(leftMs > 0 ? leftMs : humanIdleMs, look);
      } else this.giveBack();
    };
    this.#cancelTimer = clock.after(humanIdleMs, look);
  }

  #watchLinger(): void {
    const { clock } = this.#ports;
    this.#cancelTimer();
    const look = (): void => {
      const leftMs = this.#usedAtMs + LINGER_MS - clock.nowMs();
      if (this.#running !== null || leftMs > 0) {
        this.#cancelTimer = clock.after(leftMs > 0 ? leftMs : LINGER_MS, look);
      } else this.#hold(null);
    };
    this.#cancelTimer = clock.after(LINGER_MS, look);
  }

  #hold(holder: Holder | null): void {
    this.#holder = holder;
    this.#ports.changed(holder);
  }
}

function tooLong(): RefusedError {
  return new RefusedError(
    "cancelled",
    `the action took more than ${LONGEST_TURN_MS / 1000} s, for which others had to wait: do it in parts`,
  );
}

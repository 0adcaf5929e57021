import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { EMPTY_RECT, type Point } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Action, ActionResult, Actor, PerformOptions } from "./action.ts";
import type { ActionRecord } from "./action-record.ts";
import { intentOf, pointOf, summaryOf } from "./action-summary.ts";
import { AgentHand } from "./agent-hand.ts";
import type { Approvals } from "./approvals.ts";
import { Arbiter, type Holder } from "./arbiter.ts";
import { Asker, type Permit } from "./asker.ts";
import { type Clock, delay } from "./clock.ts";
import type { Display } from "./display.ts";
import { DamageHistory, EffectWatch } from "./effect.ts";
import { RefusedError } from "./error.ts";
import type { Input } from "./input.ts";
import type { Modes } from "./modes.ts";
import { type Done, Performer } from "./performer.ts";

const DEFAULT_EFFECT_MS = 300;
/** How long an approved action waits for the target to say what it shows now. */
const LATEST_MS = 1000;

export interface GatePorts {
  readonly desktopId: string;
  readonly input: Input;
  readonly display: Display;
  readonly approvals: Approvals;
  readonly modes: Modes;
  readonly clock: Clock;
  /** See ArbiterPorts. */
  readonly humanIdleMs: number;
  random(): number;
  record(record: ActionRecord): void;
  held(holder: Holder | null): void;
}

type Outcome = Pick<ActionRecord, "outcome" | "code" | "wasConfirmed" | "effect">;

/**
 * The one way down: policy, approval, turn, record, input. A person's raw pointer and keys go through at once and
 * unrecorded one by one; an agent's action is whole, or ends the moment a person's hand is there.
 */
export class Gate {
  readonly arbiter: Arbiter;
  readonly #ports: GatePorts;
  readonly #human: Performer;
  readonly #agent: Performer;
  readonly #hand: AgentHand;
  readonly #asker: Asker;
  readonly #history = new DamageHistory();
  readonly #watching = new Set<EffectWatch>();
  #lastPress: Point | null = null;
  #stop = stopSwitch();

  constructor(ports: GatePorts) {
    const { input, display, clock } = ports;
    this.#ports = ports;
    this.#hand = new AgentHand(input);
    const performer = (hand: Input): Performer =>
      new Performer(
        hand,
        {
          bounds: () => display.frame?.rect ?? EMPTY_RECT,
          random: () => ports.random(),
          capsLock: () => display.locks?.capsLock ?? null,
        },
        clock,
      );
    this.#human = performer(input);
    this.#agent = performer(this.#hand);
    this.arbiter = new Arbiter({
      clock,
      humanIdleMs: ports.humanIdleMs,
      isPressed: () => input.heldCount > 0,
      seize: () => this.#hand.seize(),
      releaseAll: () => input.releaseAll(),
      changed: (holder) => ports.held(holder),
    });
    this.#asker = new Asker({
      ...ports,
      pointer: () => input.position,
      lastPress: () => this.#lastPress,
      periodic: () => this.#history.periodic(clock.nowMs()),
      isExact: () => input.link?.isExact ?? true,
    });
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** What changed on the screen: the effect of an action that is under way, or what happens by itself. */
  onDamage(damage: Region): void {
    if (this.#watching.size === 0) this.#history.add(damage, this.#ports.clock.nowMs());
    else for (const watch of this.#watching) watch.onDamage(damage);
  }

  /** People changed the rules: what they allowed for a while under the old ones counts no more. */
  onRules(): void {
    this.#asker.forgetStanding();
  }

  /** Releases what is held, voids what waits, and refuses agents until `resume`. */
  stop(): void {
    const reason = new RefusedError("stopped", "a human pressed stop: wait until they resume");
    this.#hand.seize();
    if (!this.isStopped) this.#stop.abort(reason);
    this.arbiter.end(reason);
    this.#ports.approvals.cancelAll();
    this.#asker.forgetStanding();
    this.#ports.input.releaseAll();
  }

  resume(): void {
    if (this.isStopped) this.#stop = stopSwitch();
  }

  async perform(action: Action, actor: Actor, options: PerformOptions): Promise<ActionResult> {
    if (actor.kind === "human" && (action.kind === "pointer" || action.kind === "key")) {
      return this.#pass(action, actor, options);
    }
    const startedMs = this.#ports.clock.nowMs();
    let done = action;
    let wasConfirmed = false;
    try {
      const permit = await this.#admit(action, actor, options);
      wasConfirmed = permit !== null;
      done = permit?.action ?? action;
      const result = await this.#inTurn(done, actor, options, permit);
      const { effect } = result;
      this.#record(done, actor, options, startedMs, { outcome: "done", code: null, wasConfirmed, effect });
      return result;
    } catch (error) {
      const refused = this.#refusalOf(error, options);
      this.#record(done, actor, options, startedMs, {
        outcome: refused === null ? "failed" : "refused",
        code: refused?.code ?? null,
        wasConfirmed,
        effect: null,
      });
      throw refused ?? error;
    }
  }

  /** A viewer's own hand: no policy beyond its role, no waiting; pressing anything takes the input over. */
  async #pass(
    action: Extract<Action, { kind: "pointer" | "key" }>,
    actor: Actor,
    options: PerformOptions,
  ): Promise<ActionResult> {
    this.#human.check(action);
    const { input, display } = this.#ports;
    // What is down while no person holds the input is an agent's, and no part of this hand.
    const ownButtons = this.arbiter.isHumanHolding ? input.buttons : 0;
    const isPress = action.kind === "key" ? action.isDown : (action.buttons & ~ownButtons) !== 0;
    if (isPress) {
      this.arbiter.take(actor);
      if (action.kind === "pointer") this.#lastPress = { x: action.x, y: action.y };
    }
    // Who only rests a hand on the mouse does not disturb an agent's drag, nor lets go of what it holds.
    const isLost = !isPress && !this.arbiter.touch(actor) && this.arbiter.isAgentBusy;
    const done = isLost
      ? { position: null, notTyped: [], clipboard: null }
      : await this.#human.perform(action, options);
    const { generation } = display;
    const effect = {
      changed: null,
      changedRects: [],
      settleMs: 0,
      generationBefore: generation,
      generationAfter: generation,
    };
    return { wasConfirmed: false, effect, ...done };
  }

  /** Throws unless the action may be done; a permit where a human was asked and said yes, null where none was. */
  async #admit(action: Action, actor: Actor, options: PerformOptions): Promise<Permit | null> {
    options.signal?.throwIfAborted();
    this.#checkStop(actor);
    this.#human.check(action);
    const { modes, input } = this.#ports;
    const verdict = modes.verdict(action, actor, input.position);
    if (verdict.kind === "deny") throw new RefusedError("permission_denied", verdict.reason);
    const isFree = verdict.kind === "allow" || this.#asker.isAllowedFor(action, actor);
    const isAsked = options.requireConfirmation === true || !isFree;
    // Who merely used the mouse a moment ago is still asked: their yes lends the input.
    const mayAsk = isAsked && this.arbiter.holder?.isDeclared !== true;
    if (actor.kind !== "human" && isInput(action) && !mayAsk) this.arbiter.checkFree();
    if (!isAsked) return null;
    const intent = options.intent ?? null;
    const permit = await this.#asker.ask(action, actor, intent, this.#signal(options), options.signal);
    this.#human.check(permit.action);
    // Who holds the input and says yes lends it for this; anybody else's yes does not take it from them.
    if (this.arbiter.holder?.actor.id === permit.by.id) this.arbiter.giveBack();
    return permit;
  }

  /** An agent's action waits for its turn; a person's never waits, and reading takes none. */
  #inTurn(
    action: Action,
    actor: Actor,
    options: PerformOptions,
    permit: Permit | null,
  ): Promise<ActionResult> {
    const signal = this.#signal(options);
    if (actor.kind === "human") {
      if (isTakeOver(action)) this.arbiter.take(actor);
      return this.#execute(this.#human, action, options, signal, permit);
    }
    if (!isInput(action)) return this.#execute(this.#agent, action, options, signal, permit);
    return this.arbiter.run(actor, signal, async (turn) => {
      this.#checkStop(actor);
      if (permit !== null) await this.#latest(turn);
      turn.throwIfAborted();
      // INVARIANT: nothing of an approved action is sent unless the screen, at that moment, is what was approved.
      this.#hand.begin(permit === null ? null : () => permit.check());
      const seize = (): void => this.#hand.seize();
      turn.addEventListener("abort", seize, { once: true });
      try {
        return await this.#execute(this.#agent, action, options, turn, permit);
      } finally {
        turn.removeEventListener("abort", seize);
      }
    });
  }

  async #execute(
    performer: Performer,
    action: Action,
    options: PerformOptions,
    signal: AbortSignal,
    permit: Permit | null,
  ): Promise<ActionResult> {
    signal.throwIfAborted();
    // The screen may have another size than when this was asked.
    performer.check(action);
    const { display, clock, input } = this.#ports;
    const source = {
      get generation() {
        return display.generation;
      },
      barrier: () =>
        input.link?.barrier() ?? Promise.reject(new RefusedError("target_down", "the target is gone")),
    };
    const watch = new EffectWatch(source, this.#history, clock);
    this.#watching.add(watch);
    try {
      const done: Done = await performer.perform(action, { ...options, signal });
      if (action.kind !== "scroll") this.#lastPress = pointOf(action, input.position) ?? this.#lastPress;
      const isClipboard = action.kind === "read_clipboard" || action.kind === "write_clipboard";
      const waitMs = isClipboard ? 0 : (options.effectTimeoutMs ?? DEFAULT_EFFECT_MS);
      const edited = permit === null || permit.edit === null ? {} : { edit: permit.edit };
      return { wasConfirmed: permit !== null, ...edited, effect: await watch.settle(waitMs), ...done };
    } catch (error) {
      // What a person holds by now is theirs to let go.
      if (!this.arbiter.isHumanHolding) input.releaseAll();
      throw error;
    } finally {
      this.#watching.delete(watch);
    }
  }

  /** What the target shows now is in the picture. Throws RefusedError stale_screen where it does not say. */
  async #latest(signal: AbortSignal): Promise<void> {
    const { input, clock } = this.#ports;
    const limit = new AbortController();
    const known = (input.link?.latest() ?? Promise.reject(new Error("no link"))).then(
      () => true,
      () => false,
    );
    const isKnown = await Promise.race([
      known,
      delay(clock, LATEST_MS, AbortSignal.any([signal, limit.signal])).then(
        () => false,
        () => false,
      ),
    ]);
    limit.abort();
    signal.throwIfAborted();
    if (!isKnown) {
      throw new RefusedError(
        "stale_screen",
        `the target did not confirm its picture within ${LATEST_MS / 1000} s, so that what was approved may be gone: try again`,
      );
    }
  }

  #signal(options: PerformOptions): AbortSignal {
    return options.signal === undefined
      ? this.#stop.signal
      : AbortSignal.any([this.#stop.signal, options.signal]);
  }

  #checkStop(actor: Actor): void {
    if (actor.kind !== "human") this.#stop.signal.throwIfAborted();
  }

  #refusalOf(error: unknown, options: PerformOptions): RefusedError | null {
    if (this.#stop.signal.aborted && !(options.signal?.aborted ?? false)) {
      const reason: unknown = this.#stop.signal.reason;
      if (reason instanceof RefusedError) return reason;
    }
    if (error instanceof RefusedError) return error;
    if (options.signal?.aborted)
      return new RefusedError("cancelled", "the call was cancelled", { cause: error });
    return null;
  }

  #record(action: Action, actor: Actor, options: PerformOptions, startedMs: number, outcome: Outcome): void {
    const { clock } = this.#ports;
    this.#ports.record({
      id: randomUUID(),
      at: clock.date().toISOString(),
      actor,
      kind: action.kind,
      summary: summaryOf(action),
      intent: intentOf(action, options.intent ?? null),
      durationMs: Math.round(clock.nowMs() - startedMs),
      ...outcome,
    });
  }
}

/** Everything that waits listens to it: many is no leak. */
function stopSwitch(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Whether an action does something to the desktop, so that only who holds the input may. */
function isInput(action: Action): boolean {
  return action.kind !== "read_clipboard";
}

/** What a person does with their hands; a viewer that shares its clipboard or its size by itself takes nothing over. */
function isTakeOver(action: Action): boolean {
  return action.kind !== "read_clipboard" && action.kind !== "write_clipboard" && action.kind !== "resize";
}

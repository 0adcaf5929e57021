import { randomUUID } from "node:crypto";
import { EMPTY_RECT } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Action, ActionResult, Actor, PerformOptions } from "./action.ts";
import type { ActionRecord } from "./action-record.ts";
import { cropAround, pointOf, summaryOf } from "./action-summary.ts";
import type { Approvals } from "./approvals.ts";
import type { Clock } from "./clock.ts";
import type { Display } from "./display.ts";
import { DamageHistory, EffectWatch } from "./effect.ts";
import { RefusedError } from "./error.ts";
import type { Input } from "./input.ts";
import { type Done, Performer } from "./performer.ts";
import { decide, type Mode } from "./policy.ts";

const DEFAULT_EFFECT_MS = 300;
/** Actions of agents that may wait for their turn; the next is refused. */
const MAX_WAITING = 100;

export interface GatePorts {
  readonly desktopId: string;
  readonly input: Input;
  readonly display: Display;
  readonly approvals: Approvals;
  readonly clock: Clock;
  random(): number;
  mode(): Mode;
  clipboardText(): string | null;
  record(record: ActionRecord): void;
}

/**
 * The one way down: policy, approval, turn, record, input. A viewer's raw pointer and keys go through at once and
 * unrecorded one by one; everything else waits its turn, so that two agents' actions never interleave.
 */
export class Gate {
  readonly #ports: GatePorts;
  readonly #performer: Performer;
  readonly #history = new DamageHistory();
  readonly #watching = new Set<EffectWatch>();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #stop = new AbortController();

  constructor(ports: GatePorts) {
    this.#ports = ports;
    this.#performer = new Performer(
      ports.input,
      {
        bounds: () => ports.display.frame?.rect ?? EMPTY_RECT,
        clipboardText: () => ports.clipboardText(),
        random: () => ports.random(),
      },
      ports.clock,
    );
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** What changed on the screen: the effect of an action that is under way, or what happens by itself. */
  onDamage(damage: Region): void {
    if (this.#watching.size === 0) this.#history.add(damage, this.#ports.clock.nowMs());
    else for (const watch of this.#watching) watch.onDamage(damage);
  }

  /** Releases what is held, voids what waits, and refuses agents until `resume`. */
  stop(): void {
    if (!this.isStopped)
      this.#stop.abort(new RefusedError("stopped", "a human pressed stop: wait until they resume"));
    this.#ports.approvals.cancelAll();
    this.#ports.input.releaseAll();
  }

  resume(): void {
    if (this.isStopped) this.#stop = new AbortController();
  }

  async perform(action: Action, actor: Actor, options: PerformOptions): Promise<ActionResult> {
    if (actor.kind === "human" && (action.kind === "pointer" || action.kind === "key")) {
      return this.#pass(action, options);
    }
    const startedMs = this.#ports.clock.nowMs();
    let wasConfirmed = false;
    try {
      wasConfirmed = await this.#admit(action, actor, options);
      const result = await this.#inTurn(actor, () => this.#execute(action, actor, options, wasConfirmed));
      this.#record(action, actor, options, startedMs, {
        outcome: "done",
        code: null,
        wasConfirmed,
        effect: result.effect,
      });
      return result;
    } catch (error) {
      const refused = this.#refusalOf(error, options);
      this.#record(action, actor, options, startedMs, {
        outcome: refused === null ? "failed" : "refused",
        code: refused?.code ?? null,
        wasConfirmed,
        effect: null,
      });
      throw refused ?? error;
    }
  }

  /** A viewer's own hand: no policy beyond its role, no waiting. */
  async #pass(action: Action, options: PerformOptions): Promise<ActionResult> {
    this.#performer.check(action);
    const done = await this.#performer.perform(action, options);
    const { generation } = this.#ports.display;
    const effect = {
      changed: null,
      changedRects: [],
      settleMs: 0,
      generationBefore: generation,
      generationAfter: generation,
    };
    return { wasConfirmed: false, effect, ...done };
  }

  /** Throws unless the action may be done; true where a human was asked and said yes. */
  async #admit(action: Action, actor: Actor, options: PerformOptions): Promise<boolean> {
    options.signal?.throwIfAborted();
    this.#checkStop(actor);
    this.#performer.check(action);
    const verdict = decide(this.#ports.mode(), action, actor);
    if (verdict.kind === "deny") throw new RefusedError("permission_denied", verdict.reason);
    if (verdict.kind === "allow" && options.requireConfirmation !== true) return false;
    const { display, input, approvals, desktopId } = this.#ports;
    const point = pointOf(action, input.position);
    const question = {
      desktopId,
      action,
      summary: summaryOf(action),
      actor,
      intent: options.intent ?? null,
      point,
      crop: point === null || display.frame === null ? null : cropAround(point, display.size),
    };
    await approvals.ask(question, this.#signal(options));
    return true;
  }

  async #execute(
    action: Action,
    actor: Actor,
    options: PerformOptions,
    wasConfirmed: boolean,
  ): Promise<ActionResult> {
    this.#checkStop(actor);
    options.signal?.throwIfAborted();
    // The screen may have another size than when this was asked.
    this.#performer.check(action);
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
      const done: Done = await this.#performer.perform(action, { ...options, signal: this.#signal(options) });
      const isClipboard = action.kind === "read_clipboard" || action.kind === "write_clipboard";
      const waitMs = isClipboard ? 0 : (options.effectTimeoutMs ?? DEFAULT_EFFECT_MS);
      return { wasConfirmed, effect: await watch.settle(waitMs), ...done };
    } catch (error) {
      input.releaseAll();
      throw error;
    } finally {
      this.#watching.delete(watch);
    }
  }

  /** One agent action after the other. A human's never waits for an agent's. */
  async #inTurn<Result>(actor: Actor, run: () => Promise<Result>): Promise<Result> {
    if (actor.kind === "human") return run();
    if (this.#waiting >= MAX_WAITING) {
      throw new RefusedError("too_many", `${MAX_WAITING} actions wait for this desktop already: slow down`);
    }
    this.#waiting++;
    const turn = this.#turn.then(run, run);
    this.#turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting--;
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

  #record(
    action: Action,
    actor: Actor,
    options: PerformOptions,
    startedMs: number,
    outcome: Pick<ActionRecord, "outcome" | "code" | "wasConfirmed" | "effect">,
  ): void {
    const { clock } = this.#ports;
    this.#ports.record({
      id: randomUUID(),
      at: clock.date().toISOString(),
      actor,
      kind: action.kind,
      summary: summaryOf(action),
      intent: options.intent ?? null,
      durationMs: Math.round(clock.nowMs() - startedMs),
      ...outcome,
    });
  }
}

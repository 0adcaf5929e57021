import { randomUUID } from "node:crypto";
import type { Point } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import { Effects } from "../effects/effects.ts";
import { ReactionTime } from "../effects/reaction-time.ts";
import { notConnected, type PartDone, RefusedError, refusedMidway } from "../error.ts";
import { AgentInput } from "../input/agent-input.ts";
import { checkLetters } from "../input/clipboard-letters.ts";
import type { Input } from "../input/input.ts";
import { type Done, NOTHING_DONE, Performer } from "../input/performer.ts";
import { secretsIn, withPlainClipboard } from "../input/placeholders.ts";
import type { PacedOptions } from "../input/typing-pace.ts";
import { latestPicture } from "../picture/latest-picture.ts";
import { type Action, type ActionResult, type Actor, type PerformOptions, unseenEffect } from "./action.ts";
import { type InputState, isInput, isTakeOver, movedInto } from "./action-class.ts";
import type { ActionRecord } from "./action-record.ts";
import { intentOf, pointOf } from "./action-summary.ts";
import { ApprovalRequester, type Permit } from "./approvals/approval-requester.ts";
import type { StandingGrants } from "./approvals/standing-grants.ts";
import { type Recorded, recordedAs, toldEdit } from "./approvals/told-edit.ts";
import { Arbiter } from "./arbiter.ts";
import { FoundPlace } from "./found-place.ts";
import type { GatePorts } from "./gate-ports.ts";
import { proving } from "./hover-proof.ts";
import { checkDuration } from "./longest-action.ts";
import { type RunningAction, RunningActions } from "./running-actions.ts";
import { type ResolvedText, SecretTyping } from "./secret-typing.ts";

type Outcome = Recorded & Pick<ActionRecord, "outcome" | "code" | "wasConfirmed" | "effect">;

/**
 * The one way down: policy, approval, turn, record, input. A person's raw pointer and keys go through at once and
 * unrecorded one by one; an agent's action is whole, or ends the moment a person uses the input.
 */
export class Gate {
  readonly arbiter: Arbiter;
  readonly effects: Effects;
  readonly #ports: GatePorts;
  readonly #human: Performer;
  readonly #agent: Performer;
  readonly #agentInput: AgentInput;
  readonly #requester: ApprovalRequester;
  readonly #secrets: SecretTyping;
  readonly #running = new RunningActions();
  #lastPress: Point | null = null;
  /** What agents are told while the desktop is stopped. */
  #stopped: RefusedError | null = null;

  constructor(ports: GatePorts) {
    const { input, display, clock } = ports;
    this.#ports = ports;
    const reaction = new ReactionTime();
    this.effects = new Effects(display, input, reaction, clock);
    this.#agentInput = new AgentInput(input);
    this.#secrets = new SecretTyping(ports);
    const performer = (sink: Input): Performer =>
      new Performer(
        sink,
        {
          bounds: () => display.bounds,
          random: () => ports.random(),
          capsLock: () => display.locks?.capsLock ?? null,
          reactionMs: () => reaction.ms,
        },
        clock,
      );
    this.#human = performer(input);
    this.#agent = performer(this.#agentInput);
    this.arbiter = new Arbiter({
      clock,
      humanIdleMs: ports.humanIdleMs,
      isPressed: () => input.heldCount > 0,
      seize: () => this.#agentInput.seize(),
      releaseAll: () => input.releaseAll(),
      changed: (holder) => ports.held(holder),
    });
    this.#requester = new ApprovalRequester({
      ...ports,
      inputState: (actor) => this.#inputStateOf(actor),
      lastPress: () => this.#lastPress,
      periodic: () => this.effects.periodic,
      isExact: () => input.link?.isExact ?? true,
      granted: (change, grant, by) => ports.granted(change, grant, by),
    });
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  /** Pixels changed, null: the screen has another size. What is bound to others is void. */
  onDamage(damage: Region | null): void {
    this.#requester.onDamage(damage);
  }

  get standing(): StandingGrants {
    return this.#requester.standing;
  }

  /**
   * The rules changed: what people allowed for a while under the old ones counts no more, and what the new ones do not
   * let be done ends.
   */
  onRules(): void {
    this.#requester.standing.clear();
    this.#running.recheck();
  }

  /** The connection is gone: what was begun or waits in this one is not done in another. */
  onLost(): void {
    this.#ports.input.detach();
    this.#agent.forget();
    const reason = new RefusedError("target_down", "the target was lost before the action was over");
    this.#running.end(reason, false);
    this.arbiter.end(reason);
  }

  /** The desktop is removed: no action is done on it any more, and no approval is asked for. */
  close(): void {
    const reason = new RefusedError("cancelled", "the desktop was removed");
    this.#stopped ??= reason;
    this.#running.end(reason, true);
    this.#requester.standing.clear();
    this.#agent.forget();
    this.arbiter.close();
  }

  /** Releases what is held, voids what waits, and refuses agents until `resume`. */
  stop(): void {
    const reason = new RefusedError("stopped", "the desktop was stopped: wait until a human resumes it");
    this.#agentInput.seize();
    this.#stopped ??= reason;
    this.#running.end(reason, true);
    this.#ports.approvals.cancelAll();
    this.#requester.standing.clear();
    this.#ports.input.releaseAll();
  }

  resume(): void {
    this.#stopped = null;
  }

  async perform(action: Action, actor: Actor, options: PerformOptions): Promise<ActionResult> {
    if (actor.kind === "human" && (action.kind === "pointer" || action.kind === "key")) {
      return this.#pass(action, actor, options);
    }
    const isHuman = actor.kind === "human";
    return this.#running.run(isHuman, options.signal, (own) => this.#perform(action, actor, options, own));
  }

  async #perform(
    action: Action,
    actor: Actor,
    options: PerformOptions,
    own: RunningAction,
  ): Promise<ActionResult> {
    const startedMs = this.#ports.clock.nowMs();
    const found = FoundPlace.of(options.found, this.#ports, this.effects);
    let recorded = recordedAs(null, action, options.subject);
    let wasConfirmed = false;
    let part: PartDone | null = null;
    const report = (sent: PartDone): void => {
      part = sent;
    };
    let permit: Permit | null = null;
    try {
      permit = await this.#admit(action, actor, options, own.signal);
      wasConfirmed = permit?.isStanding === false;
      recorded = recordedAs(permit, action, options.subject);
      // Who changed the place means what is there.
      const place = permit?.edit?.x === undefined ? found : null;
      const wanted = permit?.action ?? action;
      const result = await this.#inTurn(wanted, actor, { ...options, report, place }, permit, own);
      const ended = { outcome: "done", code: null, wasConfirmed, effect: result.effect } as const;
      this.#record(actor, options, startedMs, { ...recorded, ...ended });
      return result;
    } catch (error) {
      const refused = refusedMidway(this.#refusalOf(error, actor, options), part);
      this.#record(actor, options, startedMs, {
        ...recorded,
        outcome: refused === null ? "failed" : "refused",
        code: refused?.code ?? null,
        wasConfirmed,
        effect: null,
      });
      throw refused ?? error;
    } finally {
      permit?.close();
    }
  }

  /** A viewer's own pointer and keys: no policy beyond its role, no waiting; pressing anything takes the input over. */
  async #pass(
    action: Extract<Action, { kind: "pointer" | "key" }>,
    actor: Actor,
    options: PerformOptions,
  ): Promise<ActionResult> {
    const { input, display } = this.#ports;
    // What is down while no person holds the input is an agent's, and not theirs.
    const ownButtons = this.arbiter.isHumanHolding ? input.buttons : 0;
    const isPress = action.kind === "key" ? action.isDown : (action.buttons & ~ownButtons) !== 0;
    // What comes up comes up, also where the screen is no more that it went down on.
    const passed = isPress ? action : movedInto(display.bounds, action);
    this.#human.check(passed);
    if (isPress) {
      this.arbiter.take(actor);
      if (action.kind === "pointer") this.#lastPress = { x: action.x, y: action.y };
    }
    // Who only rests a hand on the mouse does not disturb an agent's drag, nor lets go of what it holds.
    const isLost = !isPress && !this.arbiter.touch(actor) && this.arbiter.isAgentBusy;
    const done = isLost ? NOTHING_DONE : await this.#human.perform(passed, options);
    const effect = unseenEffect(display.generation);
    return { wasConfirmed: false, effect, ...done };
  }

  /** Throws unless the action may be done; a permit where a human was asked and said yes, null where none was. */
  async #admit(
    action: Action,
    actor: Actor,
    options: PerformOptions,
    signal: AbortSignal,
  ): Promise<Permit | null> {
    options.signal?.throwIfAborted();
    this.#checkStop(actor);
    this.#human.check(action);
    const { modes, input } = this.#ports;
    if (actor.kind !== "human") {
      checkDuration(action, options);
      checkLetters(action, input.link);
    }
    const verdict = modes.verdict(action, actor, this.#inputStateOf(actor));
    if (verdict.kind === "deny") throw new RefusedError("permission_denied", verdict.reason);
    if (actor.kind !== "human") await this.#secrets.check(action, actor);
    const isDemanded = options.requireConfirmation === true;
    const standing =
      verdict.kind === "ask" && !isDemanded ? this.#requester.standingPermit(action, actor) : null;
    const isAsked =
      isDemanded || (verdict.kind === "ask" && standing === null && options.isApproved !== true);
    // Who merely used the mouse a moment ago is still asked: their yes lends the input.
    const mayAsk = isAsked && this.arbiter.holder?.isDeclared !== true;
    if (actor.kind !== "human" && isInput(action) && !mayAsk) this.arbiter.checkFree();
    if (!isAsked) return standing;
    const permit = await this.#requester.ask(action, actor, options, signal);
    this.#human.check(permit.action);
    // Who holds the input and says yes lends it for this; anybody else's yes does not take it from them.
    if (this.arbiter.holder?.actor.id === permit.by.id) this.arbiter.giveBack();
    return permit;
  }

  /** An agent's action waits for its turn; a person's never waits, and reading takes none. */
  #inTurn(
    action: Action,
    actor: Actor,
    options: PacedOptions,
    permit: Permit | null,
    own: RunningAction,
  ): Promise<ActionResult> {
    if (actor.kind === "human") {
      if (isTakeOver(action)) this.arbiter.take(actor);
      own.begin();
      return this.#execute(this.#human, action, options, own.signal, permit);
    }
    if (!isInput(action)) return this.#execute(this.#agent, action, options, own.signal, permit);
    return this.arbiter.run(actor, own, () => {
      this.#checkStop(actor);
      this.#checkLive();
      const recheck = (): void => this.#checkRules(action, actor, permit, options.isApproved === true);
      recheck();
      own.begin(recheck);
      const act = (text: ResolvedText | null) => this.#act(action, text, options, own.signal, permit);
      return this.#secrets.typing(action, actor, own.signal, act);
    });
  }

  /** An agent's action, whose turn it is; `text`: what its text stands for. */
  async #act(
    action: Action,
    text: ResolvedText | null,
    options: PacedOptions,
    ending: AbortSignal,
    permit: Permit | null,
  ): Promise<ActionResult> {
    const checks = [permit, text?.seen ?? null, options.place ?? null].filter((check) => check !== null);
    const { input, clock } = this.#ports;
    const newest = async (): Promise<void> => {
      await Promise.all(checks.map(({ bound }) => latestPicture(input.link, clock, ending, bound)));
    };
    // A click asks by itself, when all it waits for is over.
    if (action.kind !== "click") await newest();
    const typed = {
      ...{ ...options, newest, prove: proving(options.proof, this.#ports, this.#agentInput, ending) },
      ...(await text?.open()),
    };
    ending.throwIfAborted();
    // INVARIANT: nothing of an approved action is sent unless the screen, at that moment, is what was approved.
    this.#agentInput.begin(checks, permit?.isHiddenEdit === true ? "private" : "agent");
    const seize = (): void => this.#agentInput.seize();
    ending.addEventListener("abort", seize, { once: true });
    try {
      return await this.#execute(this.#agent, withPlainClipboard(action), typed, ending, permit);
    } finally {
      ending.removeEventListener("abort", seize);
      this.#agentInput.end();
    }
  }

  /** Agents act on what they saw: of a new connection that is nothing before its picture is whole. */
  #checkLive(): void {
    if (this.#ports.display.isFresh) return;
    throw notConnected();
  }

  /**
   * The rules may be others than when the action was let in. A yes to this very action counts under all that ask; one
   * for a while ends with the rules it was given under. Throws RefusedError permission_denied.
   */
  #checkRules(action: Action, actor: Actor, permit: Permit | null, isApproved: boolean): void {
    const verdict = this.#ports.modes.verdict(action, actor, this.#inputStateOf(actor));
    if (verdict.kind === "deny") throw new RefusedError("permission_denied", verdict.reason);
    if (verdict.kind === "allow" || permit?.isStanding === false || isApproved) return;
    if (permit !== null) {
      permit.checkOn();
      return;
    }
    throw new RefusedError(
      "permission_denied",
      "the rules changed before this was done, and a human must be asked about it now: call again",
    );
  }

  async #execute(
    performer: Performer,
    action: Action,
    options: PacedOptions,
    signal: AbortSignal,
    permit: Permit | null,
  ): Promise<ActionResult> {
    signal.throwIfAborted();
    // The screen may have another size than when this was asked.
    performer.check(action);
    const { input } = this.#ports;
    const watch = this.effects.watch();
    try {
      const done: Done = await performer.perform(action, { ...options, signal });
      if (action.kind !== "scroll") this.#lastPress = pointOf(action, input.position) ?? this.#lastPress;
      const isClipboard = action.kind === "read_clipboard" || action.kind === "write_clipboard";
      const effect = await watch.settle(isClipboard ? 0 : options.effectTimeoutMs, signal);
      const { doubt = null, ...after } = options.place?.after(effect.generationBefore) ?? {};
      const unverified = done.unverified ?? doubt;
      return {
        ...{ wasConfirmed: permit?.isStanding === false, effect, ...done, ...after, unverified },
        ...toldEdit(permit, done),
      };
    } catch (error) {
      // What a person holds by now is theirs to let go, and what an agent holds no person's.
      if (performer === this.#agent && !this.arbiter.isHumanHolding) input.releaseAll();
      throw error;
    } finally {
      this.effects.end(watch);
    }
  }

  /** What the input is to an actor: what another agent left down comes up before their turn. */
  #inputStateOf(actor: Actor): InputState {
    const { position, buttons } = this.#ports.input;
    if (!this.arbiter.isPressedBy(actor.id)) return { position, buttons: 0, keys: [] };
    return { position, buttons, keys: this.#agent.heldKeys };
  }

  #checkStop(actor: Actor): void {
    if (actor.kind !== "human" && this.#stopped !== null) throw this.#stopped;
  }

  #refusalOf(error: unknown, actor: Actor, options: PerformOptions): RefusedError | null {
    const isCalledOff = options.signal?.aborted ?? false;
    if (actor.kind !== "human" && this.#stopped !== null && !isCalledOff) return this.#stopped;
    if (error instanceof RefusedError) return error;
    if (isCalledOff) return new RefusedError("cancelled", "the call was cancelled", { cause: error });
    return null;
  }

  #record(actor: Actor, options: PerformOptions, startedMs: number, { action, ...outcome }: Outcome): void {
    const { clock } = this.#ports;
    const secrets = action.kind === "type" && actor.kind !== "human" ? secretsIn(action.text) : [];
    this.#ports.record({
      id: randomUUID(),
      at: clock.date().toISOString(),
      actor,
      kind: action.kind,
      ...(secrets.length === 0 ? {} : { secrets }),
      ...(options.subject === undefined ? {} : { subject: options.subject }),
      intent: intentOf(action, options.intent ?? null),
      durationMs: Math.round(clock.nowMs() - startedMs),
      ...outcome,
    });
  }
}

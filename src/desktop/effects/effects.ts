import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import type { Input } from "../input/input.ts";
import type { AudienceDisplay } from "../picture/audience-display.ts";
import type { Display } from "../picture/display.ts";
import { BeforePicture } from "./before-picture.ts";
import { DamageHistory } from "./damage-history.ts";
import { type EffectSource, EffectWatch } from "./effect-watch.ts";
import type { ReactionTime } from "./reaction-time.ts";

/** What changes on one desktop: by the actions that are under way, and by itself. */
export class Effects {
  readonly #shown: AudienceDisplay;
  readonly #source: EffectSource;
  readonly #reaction: ReactionTime;
  readonly #clock: Clock;
  readonly #history = new DamageHistory();
  readonly #watches = new Set<EffectWatch>();
  #frame: Framebuffer | null = null;

  constructor(display: Display, input: Input, reaction: ReactionTime, clock: Clock) {
    // Agents are told what an action changed: of what they may see.
    const shown = display.shownTo("agent");
    this.#shown = shown;
    this.#reaction = reaction;
    this.#clock = clock;
    this.#source = {
      get generation() {
        return display.generation;
      },
      get frame() {
        return shown.frame;
      },
      get bounds() {
        return display.bounds;
      },
      get showsWithinMs() {
        return input.link?.hasFence?.() ? 0 : input.link?.showsWithinMs?.();
      },
      barrier: () =>
        input.link?.barrier() ?? Promise.reject(new RefusedError("target_down", "the target is gone")),
    };
  }

  /** Small places that change by themselves. */
  get periodic(): Region {
    return this.#seen(this.#history.periodic(this.#clock.nowMs()));
  }

  /** What changed before a mask was laid over it is nothing that agents are told. */
  #seen(region: Region): Region {
    const { hidden } = this.#shown;
    return hidden.isEmpty ? region : region.subtract(hidden);
  }

  /** An action begins; whoever calls this calls `end`. */
  watch(): EffectWatch {
    const { frame } = this.#shown;
    const nowMs = this.#clock.nowMs();
    this.#reaction.began();
    // One picture is remembered at a time: of actions side by side the later ones know what was painted, not over what.
    const isAlone = [...this.#watches].every(({ known }) => known.before === null);
    const known = {
      periodic: this.#seen(this.#history.periodic(nowMs)),
      restless: this.#seen(this.#history.restless(nowMs)),
      before: frame !== null && isAlone ? new BeforePicture(frame) : null,
    };
    const watch = new EffectWatch(this.#source, known, this.#reaction, this.#clock);
    this.#watches.add(watch);
    return watch;
  }

  end(watch: EffectWatch): void {
    this.#watches.delete(watch);
  }

  onPaint(region: Region): void {
    for (const watch of this.#watches) watch.onPaint(region);
  }

  onDamage(damage: Region): void {
    const { frame } = this.#shown;
    // Another picture, as something else is hidden from agents: nothing compares with the one before.
    if (frame !== this.#frame) this.onResize();
    this.#frame = frame;
    const [watch] = this.#watches;
    // While an action is watched only what had its rhythm before goes on with it.
    const own = watch === undefined ? damage : damage.intersect(watch.known.restless);
    const nowMs = this.#clock.nowMs();
    this.#history.add(own, nowMs);
    if (this.#reaction.isAwaited) {
      const restless = watch === undefined ? this.#history.restless(nowMs) : watch.known.restless;
      if (!damage.subtract(restless).isEmpty) this.#reaction.changed(nowMs);
    }
    for (const each of this.#watches) each.onDamage(damage);
  }

  /** Another size, or other monitors: nothing is what it was. */
  onResize(): void {
    this.#history.clear();
    for (const watch of this.#watches) watch.onResize();
  }
}

import type * as z from "zod";
import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { WebDesktop } from "../http/ports.ts";
import type { InputAsk, inputAnswerSchema } from "./agent-api.ts";

/** Who is asked answers within this time, or the question is over. */
const ASK_MS = 60_000;

type Held = Pick<WebDesktop, "id" | "holder" | "setHolding">;

interface Asked {
  readonly by: Actor;
  readonly holderId: string;
  readonly untilMs: number;
}

/** People who ask who holds the input of a desktop for it, by name. */
export class InputAsks {
  readonly #clock: Clock;
  readonly #tell: (to: string, message: InputAsk) => void;
  /** By desktop. */
  readonly #open = new Map<string, readonly Asked[]>();

  /** `tell` reaches the pages of one principal. */
  constructor(clock: Clock, tell: (to: string, message: InputAsk) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Asked again within a minute, it is the same question. Throws RefusedError not_found where no other person holds it. */
  ask({ id, holder }: Held, by: Actor): void {
    if (holder?.actor.kind !== "human" || holder.actor.id === by.id) {
      throw new RefusedError("not_found", "no other person holds the input: take it over");
    }
    const holderId = holder.actor.id;
    const open = this.#of(id, holderId);
    if (open.some((one) => one.by.id === by.id)) return;
    this.#open.set(id, [...open, { by, holderId, untilMs: this.#clock.nowMs() + ASK_MS }]);
    this.#say(holderId, id, "asked", by);
  }

  /** Throws RefusedError not_found where that person does not ask, or the caller does not hold the input any more. */
  answer(desktop: Held, { to, give }: z.infer<typeof inputAnswerSchema>, by: Actor): void {
    const { id, holder } = desktop;
    const open = holder?.actor.id === by.id ? this.#of(id, by.id) : [];
    const asked = open.find((one) => one.by.id === to);
    if (asked === undefined) {
      throw new RefusedError("not_found", "nobody of that id asks you for the input of this desktop now");
    }
    const others = open.filter((one) => one !== asked);
    this.#open.set(id, give ? [] : others);
    if (!give) {
      this.#say(to, id, "kept", by);
      return;
    }
    desktop.setHolding(false, by);
    desktop.setHolding(true, asked.by);
    for (const one of others) this.#say(one.by.id, id, "kept", asked.by);
  }

  /** What waits for an answer of who holds the input. */
  #of(desktopId: string, holderId: string): readonly Asked[] {
    const nowMs = this.#clock.nowMs();
    return (this.#open.get(desktopId) ?? []).filter(
      (one) => one.untilMs > nowMs && one.holderId === holderId,
    );
  }

  #say(to: string, desktopId: string, what: InputAsk["what"], { id, name }: Actor): void {
    const until = new Date(this.#clock.date().getTime() + ASK_MS).toISOString();
    this.#tell(to, { type: "input_ask", desktop_id: desktopId, what, from: { id, name }, until });
  }
}

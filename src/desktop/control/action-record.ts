import type { SeenChange } from "../effects/seen-change.ts";
import type { RefusalCode } from "../error.ts";
import type { SecretUse } from "../input/placeholders.ts";
import type { Action, Actor, Effect } from "./action.ts";

/** One action as the log, the panel and the audit see it: never typed text, never clipboard content. */
export interface ActionRecord {
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  readonly kind: Action["kind"];
  readonly summary: string;
  /** The stored secrets that it names; absent: none. */
  readonly secrets?: readonly SecretUse[];
  readonly intent: string | null;
  readonly outcome: "done" | "refused" | "failed";
  readonly code: RefusalCode | null;
  readonly wasConfirmed: boolean;
  /** Of what agents see. */
  readonly effect: Effect | null;
  /** What it changed of what recordings show. */
  readonly recorded: SeenChange;
  readonly durationMs: number;
}

const MAX_RECORDS = 200;

/** The newest actions of a desktop, in memory. */
export class ActionLog {
  #records: ActionRecord[] = [];

  /** Newest last. */
  get records(): readonly ActionRecord[] {
    return this.#records;
  }

  add(record: ActionRecord): void {
    this.#records = [...this.#records.slice(1 - MAX_RECORDS), record];
  }
}

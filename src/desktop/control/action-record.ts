import type { SeenChange } from "../effects/seen-change.ts";
import type { SecretUse } from "../input/placeholders.ts";
import type { Action, Actor, Effect } from "./action.ts";

/** One action as the log, the panel and the audit see it: never typed text, never clipboard content. */
export interface ActionRecord {
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  /** browser: an agent did it in a page that this desktop shows, and not by its pointer and keys. */
  readonly kind: Action["kind"] | "browser";
  readonly summary: string;
  /** See PerformOptions; in the summary too. Absent: none was told. */
  readonly subject?: string;
  /** The stored secrets that it names; absent: none. */
  readonly secrets?: readonly SecretUse[];
  readonly intent: string | null;
  readonly outcome: "done" | "refused" | "failed";
  /** Of a RefusedError, or BrowserError of a page. */
  readonly code: string | null;
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

  add(record: ActionRecord): ActionRecord {
    this.#records = [...this.#records.slice(1 - MAX_RECORDS), record];
    return record;
  }
}

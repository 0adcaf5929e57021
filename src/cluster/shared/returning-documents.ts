import { randomUUID } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { commitSurely } from "../store/commit-surely.ts";
import type { Change, ClusterStore } from "../store/store.ts";
import { asked } from "./asked.ts";
import { SharedDocuments, type SharedDocumentsOptions } from "./shared-documents.ts";
import { Sweeps } from "./sweeps.ts";

/** What was taken away stays as such for so long, for nodes of a version that knows no mark. */
const KEPT_MS = 24 * 3_600_000;
const SWEEP_EVERY_MS = 600_000;
/** With the mark these are fewer changes than a store takes; the rest is deleted by the next rounds. */
const MOST_IN_A_SWEEP = 90;
const WITHIN_MS = 5000;

interface ReturningDocumentsOptions<T> extends Omit<SharedDocumentsOptions<T>, "onChange"> {
  /** The key that every sweep writes; no document's. */
  readonly mark: string;
}

/**
 * Documents of a fleet whose ids come back. What was taken away stays as such for a day, since a write that was not answered is
 * tried again: without it what others took away meanwhile would be made anew. Then whoever looks first deletes it.
 *
 * INVARIANT: a document is made only under the mark as it was before that was begun, and what is deleted changes the mark. So
 * nothing that was begun before comes back after, however late a node goes on with it.
 */
export class ReturningDocuments<T extends object> {
  readonly documents: SharedDocuments<T>;
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #mark: string;
  /** When this node was told of each that was taken away, by its own clock. */
  readonly #goneAtMs = new Map<string, number>();
  readonly #sweeps: Sweeps;

  constructor({ mark, ...options }: ReturningDocumentsOptions<T>) {
    const { store, clock } = options;
    this.#store = store;
    this.#clock = clock;
    this.#mark = mark;
    this.#sweeps = new Sweeps(clock, SWEEP_EVERY_MS, () => this.#sweep());
    this.documents = new SharedDocuments<T>({
      ...options,
      // Read as they come, a few at a time: not all at once when one is asked for.
      onChange: (id, isGone) => {
        if (!isGone && this.documents.get(id) === null) this.#goneAtMs.set(id, clock.nowMs());
        else this.#goneAtMs.delete(id);
      },
    });
  }

  /** Resolves when all were read once. Never rejects. */
  async open(): Promise<void> {
    await this.documents.open();
    this.#sweeps.begin();
  }

  close(): void {
    this.#sweeps.close();
    this.documents.close();
  }

  /** As SharedDocuments.change, also of what another node wrote and this one was not told of yet. */
  async change<Next extends T | null>(id: string, edit: (now: T | null) => Next): Promise<Next> {
    const mark = await asked(() => this.#store.get(this.#mark));
    await asked(() => this.documents.refresh(id));
    const unswept = { kind: "expect", key: this.#mark, revision: mark?.revision ?? null } as const;
    return await this.documents.change(id, edit, unswept);
  }

  async #sweep(): Promise<void> {
    const oldestMs = this.#clock.nowMs() - KEPT_MS;
    const over = [...this.#goneAtMs].filter(([, atMs]) => atMs <= oldestMs).slice(0, MOST_IN_A_SWEEP);
    // As they are known here now: one that is back by then is not deleted, nor any other with it.
    const deletions = over.flatMap(([id]) => this.documents.deletion(id) ?? []);
    try {
      if (deletions.length > 0) await this.#delete(deletions);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // It is tried again, or another node does it.
    }
  }

  async #delete(deletions: readonly Change[]): Promise<void> {
    const [key, value] = [this.#mark, JSON.stringify({ by: randomUUID() })];
    const mark = await this.#store.get(key);
    const marked: Change =
      mark === null
        ? { kind: "create", key, value }
        : { kind: "update", key, value, revision: mark.revision };
    await commitSurely(this.#store, [...deletions, marked], { clock: this.#clock, withinMs: WITHIN_MS });
  }
}

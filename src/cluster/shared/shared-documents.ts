import * as z from "zod";
import type { SecretSealer } from "../../desktop/connections/connection-store.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { StoreError } from "../error.ts";
import { commitSurely } from "../store/commit-surely.ts";
import { SharedTable } from "../store/shared-table.ts";
import { type Change, type ClusterStore, type Entry, LONGEST_VALUE_BYTES } from "../store/store.ts";
import { asked } from "./asked.ts";

const WITHIN_MS = 5000;
/** Each time somebody else's change was taken. */
const MOST_TRIES = 50;

const RECORD = z.object({
  version: z.literal(1),
  /** JSON of the document, which only nodes of this fleet can read; null where it was taken away. */
  sealed: z.string(),
});

/** What a node gives to each kind of documents that it shares. */
export interface SharedPorts {
  readonly store: ClusterStore;
  readonly clock: Clock;
  /** By the key that all nodes have. */
  readonly sealer: SecretSealer;
  /** The store refuses this node, for a reason that no other try would mend. */
  onFailed(error: StoreError): void;
}

export interface SharedDocumentsOptions<T> extends SharedPorts {
  /** What the keys of all begin with, followed by the id of each. */
  readonly prefix: string;
  /** What they are, so that one is never taken for another: "fleet/mask". */
  readonly purpose: string;
  readonly schema: z.ZodType<T>;
  /** One came, is another, or is gone. */
  onChange(id: string, isGone: boolean): void;
}

/**
 * Documents that all nodes of a fleet have, sealed by a key that all of them have, changed by comparing and swapping
 * alone. Where the store does not answer reading goes on from what is known, and every change is refused.
 */
export class SharedDocuments<T extends object> {
  readonly #options: SharedDocumentsOptions<T>;
  readonly #table: SharedTable;
  /** Those that were looked at. */
  readonly #read = new Map<string, { readonly entry: Entry; readonly document: T | null | undefined }>();

  constructor(options: SharedDocumentsOptions<T>) {
    const { store, clock, prefix, onFailed } = options;
    this.#options = options;
    this.#table = new SharedTable({
      ...{ store, clock, prefix, onFailed },
      onChange: (key, entry) => {
        const id = key.slice(prefix.length);
        if (entry === null) this.#read.delete(id);
        options.onChange(id, entry === null);
      },
    });
  }

  /** Resolves when all were read once. Never rejects. */
  open(): Promise<void> {
    return this.#table.open();
  }

  close(): void {
    this.#table.close();
  }

  /** The ids of those that are there or were taken away. */
  get ids(): readonly string[] {
    return [...this.#table.entries.keys()].map((key) => key.slice(this.#options.prefix.length));
  }

  /** null for one that is not there, undefined for one that cannot be read here. */
  get(id: string): T | null | undefined {
    const entry = this.#table.entries.get(this.#keyOf(id));
    return entry === undefined ? null : this.#documentOf(id, entry);
  }

  /** All whose ids begin so are known as of every change that was answered before this was called. Throws StoreError. */
  refresh(ids: string): Promise<void> {
    return this.#table.refresh(this.#keyOf(ids));
  }

  /** What writes a new one, of an id that no other ever had. */
  creation(id: string, document: T): Change {
    return { kind: "create", key: this.#keyOf(id), value: this.#sealed(id, document) };
  }

  /** What deletes one of such an id; null where it is not there. */
  deletion(id: string): Change | null {
    const entry = this.#table.entries.get(this.#keyOf(id));
    return entry === undefined ? null : { kind: "delete", key: entry.key, revision: entry.revision };
  }

  /**
   * Makes of what is there what `edit` says, which is asked again where another node was faster: null is none. `bound`: what
   * else must hold. Gives what is there now. Throws RefusedError not_held where the store does not take it, or `bound` does not
   * hold; invalid_parameters for what is too large; and what `edit` throws.
   */
  async change<Next extends T | null>(
    id: string,
    edit: (now: T | null) => Next,
    bound: Change | null = null,
  ): Promise<Next> {
    const { store, clock } = this.#options;
    const key = this.#keyOf(id);
    let entry = this.#table.entries.get(key) ?? null;
    for (let nth = 0; nth < MOST_TRIES; nth++) {
      const now = entry === null ? null : this.#documentOf(id, entry);
      if (now === undefined) throw unreadable(id);
      const next = edit(now);
      if (next === now) return next;
      const value = this.#sealed(id, next);
      const change: Change =
        entry === null
          ? { kind: "create", key, value }
          : { kind: "update", key, value, revision: entry.revision };
      const changes = bound === null ? [change] : [change, bound];
      const outcome = await asked(() => commitSurely(store, changes, { clock, withinMs: WITHIN_MS }));
      if (outcome.isDone) {
        this.#table.learn(key, { key, value, revision: outcome.revision }, outcome.revision);
        return next;
      }
      const [found = null] = outcome.found;
      this.#table.learn(key, found, outcome.revision);
      if (found?.revision === entry?.revision) throw moved();
      entry = found;
    }
    throw new RefusedError("not_held", `others changed it ${MOST_TRIES} times meanwhile: try again`);
  }

  /** Deletes one of an id that no other ever has. False where it was not there. Throws as `change`. */
  async remove(id: string, bound: Change | null = null): Promise<boolean> {
    const { store, clock } = this.#options;
    for (let nth = 0; nth < MOST_TRIES; nth++) {
      const change = this.deletion(id);
      if (change === null) return false;
      const changes = bound === null ? [change] : [change, bound];
      const outcome = await asked(() => commitSurely(store, changes, { clock, withinMs: WITHIN_MS }));
      if (outcome.isDone) {
        this.#table.learn(change.key, null, outcome.revision);
        return true;
      }
      const [found = null] = outcome.found;
      this.#table.learn(change.key, found, outcome.revision);
      if (change.kind === "delete" && found?.revision === change.revision) throw moved();
    }
    throw new RefusedError("not_held", `others changed it ${MOST_TRIES} times meanwhile: try again`);
  }

  #documentOf(id: string, entry: Entry): T | null | undefined {
    const known = this.#read.get(id);
    if (known?.entry.revision === entry.revision) return known.document;
    const document = this.#opened(id, entry);
    this.#read.set(id, { entry, document });
    return document;
  }

  #opened(id: string, { value }: Entry): T | null | undefined {
    const { sealer, schema } = this.#options;
    try {
      const { sealed } = RECORD.parse(JSON.parse(value));
      return schema.nullable().parse(JSON.parse(sealer.open(sealed, this.#purposeOf(id))));
    } catch {
      // What it says is a secret, and so is why it cannot be read.
      return undefined;
    }
  }

  /** No two are the same: each is sealed with a nonce of its own. Throws RefusedError invalid_parameters. */
  #sealed(id: string, document: T | null): string {
    const sealed = this.#options.sealer.seal(JSON.stringify(document), this.#purposeOf(id));
    const value = JSON.stringify({ version: 1, sealed } satisfies z.infer<typeof RECORD>);
    if (value.length > LONGEST_VALUE_BYTES) {
      throw new RefusedError(
        "invalid_parameters",
        `got ${value.length} bytes once it is sealed, expected at most ${LONGEST_VALUE_BYTES}, which the nodes of a fleet share: choose less of it`,
      );
    }
    return value;
  }

  /** Binds what is sealed to its place. */
  #purposeOf(id: string): string {
    return `${this.#options.purpose}/${id}`;
  }

  #keyOf(id: string): string {
    return `${this.#options.prefix}${id}`;
  }
}

function moved(): RefusedError {
  return new RefusedError(
    "not_held",
    "another node has the desktop meanwhile, or deleted what was gone, so nothing was changed: try again",
  );
}

function unreadable(id: string): RefusedError {
  return new RefusedError(
    "not_held",
    `${id} was written with another cluster.key or by a later version, so this node changes nothing of it: ask another node`,
  );
}

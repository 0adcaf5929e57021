import * as z from "zod";
import { type Connection, PROTOCOLS } from "../../desktop/connections/connection.ts";
import { allConnectionFields } from "../../desktop/connections/connection-fields.ts";
import type { SecretSealer } from "../../desktop/connections/connection-store.ts";
import type { Clock } from "../../platform/clock.ts";
import type { StoreError } from "../error.ts";
import { commitSurely } from "../store/commit-surely.ts";
import { SharedTable } from "../store/shared-table.ts";
import type { Change, ClusterStore, Entry } from "../store/store.ts";

const WITHIN_MS = 5000;

const RECORD = z.object({
  version: z.literal(1),
  /** JSON of the connection, which only nodes of this fleet can read. */
  sealed: z.string(),
});

const CONNECTION = z.object({
  ...allConnectionFields,
  id: z.string().max(128),
  name: z.string(),
  protocol: z.enum(PROTOCOLS),
  host: z.string(),
  port: z.int(),
  username: z.string().nullable(),
  password: z.string().nullable(),
  createdAt: z.string(),
});

interface FleetConnectionsOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly sealer: SecretSealer;
  /** What the keys of all begin with. */
  readonly prefix: string;
  /** One came, is another, or is gone. */
  onChange(id: string): void;
  onFailed(error: StoreError): void;
}

/** The connections that all nodes of a fleet have, sealed by a key that all of them have. */
export class FleetConnections {
  readonly #options: FleetConnectionsOptions;
  readonly #table: SharedTable;
  /** null: sealed by another key, or written by a later version. */
  readonly #all = new Map<string, Connection | null>();

  constructor(options: FleetConnectionsOptions) {
    const { store, clock, prefix, onFailed } = options;
    this.#options = options;
    this.#table = new SharedTable({
      ...{ store, clock, prefix, onFailed },
      onChange: (key, entry) => this.#follow(key.slice(prefix.length), entry),
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#table.open();
  }

  close(): void {
    this.#table.close();
  }

  /** null for one that is not there, undefined for one that cannot be read here. */
  get(id: string): Connection | null | undefined {
    const found = this.#all.get(id);
    return found === null ? undefined : (found ?? null);
  }

  /** How many cannot be read here. */
  get unreadable(): number {
    return [...this.#all.values()].filter((connection) => connection === null).length;
  }

  /** What writes a new one. */
  created(connection: Connection): Change {
    return { kind: "create", key: this.#keyOf(connection.id), value: this.#sealed(connection) };
  }

  /** What takes it away; null where it is not there. */
  removed(id: string): Change | null {
    const entry = this.#table.entries.get(this.#keyOf(id));
    return entry === undefined ? null : { kind: "delete", key: entry.key, revision: entry.revision };
  }

  /** Throws StoreError. False where it is gone, or somebody changed it meanwhile. */
  async change(connection: Connection): Promise<boolean> {
    const { store, clock } = this.#options;
    const entry = this.#table.entries.get(this.#keyOf(connection.id));
    if (entry === undefined) return false;
    const { key, revision } = entry;
    const change: Change = { kind: "update", key, value: this.#sealed(connection), revision };
    return (await commitSurely(store, [change], { clock, withinMs: WITHIN_MS })).isDone;
  }

  #follow(id: string, entry: Entry | null): void {
    if (entry === null) this.#all.delete(id);
    else this.#all.set(id, this.#read(id, entry));
    this.#options.onChange(id);
  }

  /** No two are the same: each is sealed with a nonce of its own. */
  #sealed(connection: Connection): string {
    const sealed = this.#options.sealer.seal(JSON.stringify(connection), purposeOf(connection.id));
    return JSON.stringify({ version: 1, sealed } satisfies z.infer<typeof RECORD>);
  }

  #read(id: string, { value }: Entry): Connection | null {
    try {
      const { sealed } = RECORD.parse(JSON.parse(value));
      const found = CONNECTION.parse(JSON.parse(this.#options.sealer.open(sealed, purposeOf(id))));
      return found.id === id ? found : null;
    } catch {
      // What it says is a secret, and so is why it cannot be read.
      return null;
    }
  }

  #keyOf(id: string): string {
    return `${this.#options.prefix}${id}`;
  }
}

/** Binds what is sealed to its place. */
function purposeOf(id: string): string {
  return `fleet/connection/${id}`;
}

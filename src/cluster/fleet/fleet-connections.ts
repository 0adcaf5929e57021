import * as z from "zod";
import { type Connection, PROTOCOLS } from "../../desktop/connections/connection.ts";
import { allConnectionFields } from "../../desktop/connections/connection-fields.ts";
import { Slice } from "../../platform/loop-turns.ts";
import { SharedDocuments } from "../shared/shared-documents.ts";
import type { Change } from "../store/store.ts";

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

type Options = ConstructorParameters<typeof SharedDocuments<Connection>>[0];

/** The connections that all nodes of a fleet have. */
export class FleetConnections {
  readonly #all: SharedDocuments<Connection>;
  /** Those that came, or are others now, and were not opened since. */
  readonly #unread = new Set<string>();
  /** Of those that were opened; null: it cannot be read here. */
  readonly #names = new Map<string, string | null>();
  #isReading = false;

  constructor(options: Omit<Options, "purpose" | "schema">) {
    this.#all = new SharedDocuments({
      ...{ ...options, purpose: "fleet/connection", schema: CONNECTION },
      onChange: (id, isGone) => {
        if (isGone) this.#names.delete(id);
        if (isGone) this.#unread.delete(id);
        else this.#unread.add(id);
        if (!this.#isReading) void this.#readAhead();
        options.onChange(id, isGone);
      },
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#all.open();
  }

  close(): void {
    this.#all.close();
  }

  /** In turns that have time for it, so that whoever asks for all of thousands opens none. Never rejects. */
  async #readAhead(): Promise<void> {
    this.#isReading = true;
    const slice = new Slice("later");
    for (const id of this.#unread) {
      if (slice.isOver) await slice.next();
      if (this.#unread.delete(id)) this.#names.set(id, this.get(id)?.name ?? null);
    }
    this.#isReading = false;
  }

  /** null for one that is not there, undefined for one that cannot be read here. */
  get(id: string): Connection | null | undefined {
    const found = this.#all.get(id);
    return found?.id === id || found === null ? found : undefined;
  }

  /** As it was read last; null for one that is not there, or was not or cannot be read here. */
  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  /** How many cannot be read here, sealed by another key or written by a later version, of those that were tried by now. */
  get unreadable(): number {
    let count = 0;
    for (const name of this.#names.values()) if (name === null) count++;
    return count;
  }

  /** Of all that can be read, or of those with a name, the first by their ids; null: none. */
  first(name: string | undefined): string | null {
    let first: string | null = null;
    for (const [id, known] of this.#names) {
      const isMeant = name === undefined ? known !== null : known === name;
      if (isMeant && (first === null || id < first)) first = id;
    }
    return first;
  }

  /** What writes a new one. */
  created(connection: Connection): Change {
    return this.#all.creation(connection.id, connection);
  }

  /** What takes it away; null where it is not there. */
  removed(id: string): Change | null {
    return this.#all.deletion(id);
  }

  /** False where it is gone. Throws RefusedError not_held. */
  async change(connection: Connection): Promise<boolean> {
    return (await this.#all.change(connection.id, (now) => (now === null ? null : connection))) !== null;
  }
}

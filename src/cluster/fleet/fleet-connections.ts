import * as z from "zod";
import { type Connection, PROTOCOLS } from "../../desktop/connections/connection.ts";
import { allConnectionFields } from "../../desktop/connections/connection-fields.ts";
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

  constructor(options: Omit<Options, "purpose" | "schema">) {
    this.#all = new SharedDocuments({ ...options, purpose: "fleet/connection", schema: CONNECTION });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#all.open();
  }

  close(): void {
    this.#all.close();
  }

  /** null for one that is not there, undefined for one that cannot be read here. */
  get(id: string): Connection | null | undefined {
    const found = this.#all.get(id);
    return found?.id === id || found === null ? found : undefined;
  }

  /** How many cannot be read here. */
  get unreadable(): number {
    return this.#all.ids.filter((id) => this.get(id) === undefined).length;
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

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type SharedSignIns as SharedSignInsPort, SIGN_IN_MS } from "../../auth/oidc/sign-in-tickets.ts";
import { asked } from "../../cluster/shared/asked.ts";
import { ExpiringDocuments } from "../../cluster/shared/expiring-documents.ts";
import type { SharedPorts } from "../../cluster/shared/shared-documents.ts";

const SIGN_INS = "/overlay-companion/sign-ins/";
/** Longer than a ticket is good, though the clocks of nodes differ. */
const KEPT_MS = 3 * SIGN_IN_MS;

const SCHEMA = z.strictObject({ used_by: z.string().max(64) });
type Used = z.infer<typeof SCHEMA>;

/**
 * Sign-ins at a provider that opened a session at some node of a fleet: none opens a second one at another. One is written only
 * once the provider vouched for who comes back, so that nobody else has a node write.
 */
export class SharedSignIns implements SharedSignInsPort {
  readonly #used: ExpiringDocuments<Used>;

  constructor(options: SharedPorts) {
    this.#used = new ExpiringDocuments<Used>({
      ...options,
      ...{ prefix: SIGN_INS, purpose: "fleet/sign-in", schema: SCHEMA, lifetimeMs: KEPT_MS },
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#used.open();
  }

  close(): void {
    this.#used.close();
  }

  async isUsed(id: string): Promise<boolean> {
    await asked(() => this.#used.documents.refresh(id));
    return this.#used.toldAtMs(id) !== null;
  }

  async use(id: string): Promise<boolean> {
    const used_by = randomUUID();
    const kept = await this.#used.documents.change(id, (now) => now ?? { used_by });
    return kept?.used_by === used_by;
  }
}

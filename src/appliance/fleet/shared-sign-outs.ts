import { createHash } from "node:crypto";
import * as z from "zod";
import type { SharedSignOuts as SharedSignOutsPort } from "../../auth/oidc/access-tokens.ts";
import { DesktopWrites } from "../../cluster/shared/desktop-writes.ts";
import { ExpiringDocuments } from "../../cluster/shared/expiring-documents.ts";
import type { SharedPorts } from "../../cluster/shared/shared-documents.ts";

const SIGN_OUTS = "/overlay-companion/sign-outs/";
/** No access token should last longer. */
const KEPT_MS = 24 * 3_600_000;

const SCHEMA = z.strictObject({
  person: z.string().max(1024),
  /** By the provider's clock, seconds since 1970. */
  at_s: z.number(),
});
type SignedOut = z.infer<typeof SCHEMA>;

interface SharedSignOutsOptions extends SharedPorts {
  /** Who signed out could not be shared; told once until it is. */
  onFault(error: unknown): void;
}

/**
 * People whose sign-in at a provider is over, by hashes of their ids, sealed: what their agents were given until then counts at no
 * node of a fleet. Where the store does not answer it is told as soon as it does.
 */
export class SharedSignOuts implements SharedSignOutsPort {
  readonly #known: ExpiringDocuments<SignedOut>;
  readonly #writes: DesktopWrites<SignedOut>;
  #told: (personId: string, atS: number) => void = () => undefined;

  constructor({ onFault, ...options }: SharedSignOutsOptions) {
    this.#known = new ExpiringDocuments<SignedOut>({
      ...options,
      ...{ prefix: SIGN_OUTS, purpose: "fleet/sign-out", schema: SCHEMA, lifetimeMs: KEPT_MS },
      onChange: (id) => this.#look(id),
    });
    const write = async (id: string, next: SignedOut): Promise<void> => {
      const later = (now: SignedOut | null) => (now !== null && now.at_s >= next.at_s ? now : next);
      await this.#known.documents.change(id, later);
    };
    this.#writes = new DesktopWrites({ clock: options.clock, write, onFault });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#known.open();
  }

  close(): void {
    this.#writes.close();
    this.#known.close();
  }

  follow(told: (personId: string, atS: number) => void): void {
    this.#told = told;
    for (const id of this.#known.documents.ids) this.#look(id);
  }

  async tell(personId: string, atS: number): Promise<void> {
    const id = createHash("sha256").update(personId).digest("hex");
    this.#writes.set(id, { person: personId, at_s: atS });
    await this.#writes.settled(id).catch(() => undefined);
  }

  #look(id: string): void {
    const known = this.#known.documents.get(id);
    if (known !== null && known !== undefined) this.#told(known.person, known.at_s);
  }
}

import { createHash } from "node:crypto";
import * as z from "zod";
import type { IdentityTable } from "../../desktop/connections/known-targets.ts";
import { LinkError, RefusedError } from "../../desktop/error.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const IDENTITIES = "/overlay-companion/identities/";
/** What no target shows. */
const NOBODY = "0".repeat(64);

const SCHEMA = z.strictObject({
  place: z.string().max(2048),
  /** Of its certificate or key, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
type Identity = z.infer<typeof SCHEMA>;

/**
 * By what targets are known to all nodes of a fleet: one that one node saw proves itself by the same at the next. INVARIANT:
 * nobody believes at first sight what another node knows otherwise, also where it was not told of that yet.
 */
export class SharedIdentities implements IdentityTable {
  readonly #documents: SharedDocuments<Identity>;
  readonly #known = new Map<string, string>();
  /** Of each document, the place it is about. */
  readonly #places = new Map<string, string>();

  constructor(options: SharedPorts) {
    this.#documents = new SharedDocuments<Identity>({
      ...options,
      ...{ prefix: IDENTITIES, purpose: "fleet/identity", schema: SCHEMA },
      onChange: (id) => this.#look(id),
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#documents.close();
  }

  get all(): ReadonlyMap<string, string> {
    return this.#known;
  }

  async set(place: string, sha256: string): Promise<boolean> {
    const believed = this.#known.get(place);
    let isFirst = false;
    await this.#change(place, (now) => {
      // By what is shared, of which this node may not be told yet.
      isFirst = now === null;
      if (now?.sha256 === sha256) return now;
      if (now?.sha256 === believed) return { place, sha256 };
      throw new LinkError(
        "unreachable",
        `${place} is known to another node by something else: it is judged anew`,
      );
    });
    return isFirst;
  }

  async remove(place: string): Promise<void> {
    await this.#change(place, () => null);
  }

  async #change(place: string, edit: (now: Identity | null) => Identity | null): Promise<void> {
    try {
      await this.#documents.change(idOf(place), edit);
    } catch (cause) {
      if (!(cause instanceof RefusedError)) throw cause;
      throw new LinkError("unreachable", `what proves ${place} cannot be kept: ${cause.message}`, { cause });
    }
  }

  #look(id: string): void {
    const identity = this.#documents.get(id);
    const place = identity?.place ?? this.#places.get(id);
    if (place === undefined) return;
    this.#places.set(id, place);
    if (identity === null) this.#known.delete(place);
    else this.#known.set(place, identity?.sha256 ?? NOBODY);
  }
}

/** Places may be longer than keys, and hold what keys may not. */
function idOf(place: string): string {
  return createHash("sha256").update(place).digest("hex");
}

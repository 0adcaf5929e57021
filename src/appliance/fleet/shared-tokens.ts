import { type StoredToken, storedToken, type TokenTable } from "../../auth/token-file.ts";
import { SharedDocuments, type SharedPorts } from "../../cluster/shared/shared-documents.ts";

const TOKENS = "/overlay-companion/tokens/";

/**
 * The tokens of a fleet, of which hashes alone are kept. One that is made here counts elsewhere as soon as that is told there, one
 * that is taken away nowhere. Where the store does not answer those that are known count on, and none is made or taken away.
 */
export class SharedTokens implements TokenTable {
  readonly #documents: SharedDocuments<StoredToken>;
  #onRemoved: () => void = () => undefined;

  constructor(options: SharedPorts) {
    this.#documents = new SharedDocuments<StoredToken>({
      ...options,
      ...{ prefix: TOKENS, purpose: "fleet/token", schema: storedToken },
      onChange: (_id, isGone) => {
        if (isGone) this.#onRemoved();
      },
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#documents.close();
  }

  get all(): readonly StoredToken[] {
    return this.#documents.ids
      .flatMap((id) => this.get(id) ?? [])
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  /** undefined too for one that cannot be read here: it lets nobody in. */
  get(id: string): StoredToken | undefined {
    const found = this.#documents.get(id);
    return found?.id === id ? found : undefined;
  }

  async add(token: StoredToken): Promise<void> {
    await this.#documents.change(token.id, () => token);
  }

  async remove(id: string): Promise<StoredToken | null> {
    const token = this.get(id) ?? null;
    return (await this.#documents.remove(id)) ? token : null;
  }

  whenRemoved(call: () => void): void {
    this.#onRemoved = call;
  }
}

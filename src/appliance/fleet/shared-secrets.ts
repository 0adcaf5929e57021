import { type SecretTable, type StoredSecret, storedSecretSchema } from "../../auth/secrets/secret-table.ts";
import { asked } from "../../cluster/shared/asked.ts";
import { SharedDocuments, type SharedPorts } from "../../cluster/shared/shared-documents.ts";

const SECRETS = "/overlay-companion/secrets/";

/**
 * The named secrets of a fleet, so that one is typed at whatever node has the desktop. Their values are sealed by themselves within
 * what is sealed, so that no node has one in the open until it is typed. Where the store does not answer those that are known are
 * typed on, and none is changed.
 */
export class SharedSecrets implements SecretTable {
  readonly #documents: SharedDocuments<StoredSecret>;

  constructor(ports: SharedPorts) {
    this.#documents = new SharedDocuments<StoredSecret>({
      ...ports,
      ...{ prefix: SECRETS, purpose: "fleet/secret", schema: storedSecretSchema },
      // Read as they come, a few at a time: not all at once when one is asked for.
      onChange: (name) => {
        this.#documents.get(name);
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

  async all(): Promise<ReadonlyMap<string, StoredSecret | undefined>> {
    return this.#all();
  }

  /** Throws RefusedError not_held, too, where the store does not take it. */
  async put(
    name: string,
    make: (before: StoredSecret | null, count: number) => StoredSecret,
  ): Promise<StoredSecret> {
    await this.#refresh(name);
    return await this.#documents.change(name, (now) => make(now, this.#all().size));
  }

  /** Names come back, so what was taken away stays as such. Throws RefusedError not_held. */
  async remove(name: string): Promise<boolean> {
    await this.#refresh(name);
    let wasThere = false;
    await this.#documents.change(name, (now) => {
      wasThere = now !== null;
      return null;
    });
    return wasThere;
  }

  /** What another node keeps may not be told here yet. */
  #refresh(name: string): Promise<void> {
    return asked(() => this.#documents.refresh(name));
  }

  #all(): ReadonlyMap<string, StoredSecret | undefined> {
    const all = new Map<string, StoredSecret | undefined>();
    for (const name of this.#documents.ids) {
      const one = this.#documents.get(name);
      if (one !== null) all.set(name, one);
    }
    return all;
  }
}

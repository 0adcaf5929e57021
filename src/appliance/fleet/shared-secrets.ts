import { type SecretTable, type StoredSecret, storedSecretSchema } from "../../auth/secrets/secret-table.ts";
import { ReturningDocuments } from "../../cluster/shared/returning-documents.ts";
import type { SharedPorts } from "../../cluster/shared/shared-documents.ts";

const SECRETS = "/overlay-companion/secrets/";
const SWEPT = "/overlay-companion/swept/secrets";

/**
 * The named secrets of a fleet, so that one is typed at whatever node has the desktop. Their values are sealed by themselves within
 * what is sealed, so that no node has one in the open until it is typed. Where the store does not answer those that are known are
 * typed on, and none is changed.
 */
export class SharedSecrets implements SecretTable {
  readonly #secrets: ReturningDocuments<StoredSecret>;

  constructor(ports: SharedPorts) {
    this.#secrets = new ReturningDocuments<StoredSecret>({
      ...ports,
      ...{ prefix: SECRETS, mark: SWEPT, purpose: "fleet/secret", schema: storedSecretSchema },
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#secrets.open();
  }

  close(): void {
    this.#secrets.close();
  }

  async all(): Promise<ReadonlyMap<string, StoredSecret | undefined>> {
    return this.#all();
  }

  /** Throws RefusedError not_held, too, where the store does not take it. */
  async put(
    name: string,
    make: (before: StoredSecret | null, count: number) => StoredSecret,
  ): Promise<StoredSecret> {
    return await this.#secrets.change(name, (now) => make(now, this.#all().size));
  }

  /** Names come back, so what was taken away stays as such for a while. Throws RefusedError not_held. */
  async remove(name: string): Promise<boolean> {
    let wasThere = false;
    await this.#secrets.change(name, (now) => {
      wasThere = now !== null;
      return null;
    });
    return wasThere;
  }

  #all(): ReadonlyMap<string, StoredSecret | undefined> {
    const { documents } = this.#secrets;
    const all = new Map<string, StoredSecret | undefined>();
    for (const name of documents.ids) {
      const one = documents.get(name);
      if (one !== null) all.set(name, one);
    }
    return all;
  }
}

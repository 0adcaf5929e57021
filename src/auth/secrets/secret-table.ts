import { join } from "node:path";
import * as z from "zod";
import type { SecretUse } from "../../desktop/input/placeholders.ts";
import type { Clock } from "../../platform/clock.ts";
import { FileLock } from "../../platform/file-lock.ts";
import { JsonFile } from "../../platform/json-file.ts";
import { secretNameSchema, secretRuleFields } from "./secret-fields.ts";

export const MOST_SECRETS = 1000;

const KINDS = ["secret", "totp"] as const satisfies readonly SecretUse["kind"][];

/** A secret as it is kept: its value, or the seed of its codes, is sealed. */
export const storedSecretSchema = z.strictObject({
  ...secretRuleFields,
  name: secretNameSchema,
  kind: z.enum(KINDS),
  sealed: z.string().max(8000),
  created_at: z.iso.datetime(),
  changed_at: z.iso.datetime(),
});
export type StoredSecret = z.infer<typeof storedSecretSchema>;

const fileSchema = z.strictObject({
  version: z.literal(1),
  secrets: z.array(storedSecretSchema).max(MOST_SECRETS),
});

/** Where named secrets are kept. */
export interface SecretTable {
  /** By name, as they are now; undefined: it cannot be read here. */
  all(): Promise<ReadonlyMap<string, StoredSecret | undefined>>;
  /**
   * Keeps what `make` gives, and gives it. It is told what is kept of that name, and how many secrets there are; asked again
   * where somebody else was faster. Throws what it throws.
   */
  put(
    name: string,
    make: (before: StoredSecret | null, count: number) => StoredSecret,
  ): Promise<StoredSecret>;
  /** False for one that is not there. */
  remove(name: string): Promise<boolean>;
}

/** `secrets.json` of the data folder, read whenever something is asked, so that what another process changed counts at once. */
export class SecretsFile implements SecretTable {
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  readonly #lockPath: string;
  readonly #clock: Clock;

  constructor(dataDir: string, clock: Clock) {
    this.#file = new JsonFile(join(dataDir, "secrets.json"), "a file of secrets", fileSchema);
    this.#lockPath = join(dataDir, "secrets.lock");
    this.#clock = clock;
  }

  /** Throws FileError. */
  async all(): Promise<Map<string, StoredSecret>> {
    const { secrets = [] } = (await this.#file.read()) ?? {};
    return new Map(secrets.map((one) => [one.name, one]));
  }

  put(
    name: string,
    make: (before: StoredSecret | null, count: number) => StoredSecret,
  ): Promise<StoredSecret> {
    return this.#alone(async () => {
      const all = await this.all();
      const next = make(all.get(name) ?? null, all.size);
      await this.#write(all.set(name, next));
      return next;
    });
  }

  remove(name: string): Promise<boolean> {
    return this.#alone(async () => {
      const all = await this.all();
      const wasThere = all.delete(name);
      if (wasThere) await this.#write(all);
      return wasThere;
    });
  }

  /** Changes come one after the other, those of other processes too. */
  #alone<T>(change: () => Promise<T>): Promise<T> {
    return new FileLock(this.#lockPath, this.#clock).hold(change);
  }

  #write(secrets: ReadonlyMap<string, StoredSecret>): Promise<void> {
    return this.#file.write(() => ({ version: 1, secrets: [...secrets.values()] }));
  }
}

import { createReadStream } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { NamedSecret, Seen } from "../../desktop/control/secret-typing.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { SecretUse } from "../../desktop/input/placeholders.ts";
import type { Clock } from "../../platform/clock.ts";
import { AuthError } from "../error.ts";
import { LastUse } from "../last-use.ts";
import type { SecretBox } from "../secret-box.ts";
import { isTokenId } from "../tokens.ts";
import {
  MOST_CHARACTERS,
  MOST_SEED,
  secretNameSchema,
  secretRuleFields,
  secretValueSchema,
  totpSeedSchema,
} from "./secret-fields.ts";
import { readSecretBytes } from "./secret-file.ts";
import { areTypable, lettersOf } from "./secret-letters.ts";
import { MOST_SECRETS, SecretsFile, type SecretTable, type StoredSecret } from "./secret-table.ts";
import { readSeenPicture } from "./seen-picture.ts";
import { readTotp, totpAt } from "./totp.ts";

/** What is shorter, and covered wherever it stands, is found out by whoever may write all such texts on the screen. */
const LEAST_COVERED = 8;

/** Characters of a date of ISO 8601 up to its minute. */
const MINUTE = "2026-11-21T10:00".length;

export type SecretKind = StoredSecret["kind"];

const rulesSchema = z.strictObject(secretRuleFields);
/** On which desktops, for whom, and before what it may be typed. */
export type SecretRules = z.infer<typeof rulesSchema>;

/** A secret of the configuration: a file that others write holds it, and is read when it is typed. */
export interface ConfiguredSecret {
  readonly name: string;
  readonly kind: SecretKind;
  readonly file: string;
  readonly rules: SecretRules;
}

/** A secret as administrators see it: never its value. */
export interface SecretInfo {
  readonly name: string;
  readonly kind: SecretKind;
  readonly rules: SecretRules;
  /** By the configuration, which alone changes it. */
  readonly isConfigured: boolean;
  /** null where it is configured. */
  readonly createdAt: string | null;
  readonly changedAt: string | null;
  /** To the minute; null for never. */
  readonly lastUsedAt: string | null;
}

/** Rules as somebody says them. Throws RefusedError invalid_parameters. */
export function readRules(said: z.input<typeof rulesSchema>): SecretRules {
  const { data, error } = rulesSchema.safeParse(said);
  if (data !== undefined) return data;
  const [fault] = error?.issues ?? [];
  throw new RefusedError(
    "invalid_parameters",
    `${fault?.path.join(".") ?? ""}: ${fault?.message ?? "not valid"}`,
  );
}

/** What is kept from now on; without `text` what was kept before stays, under other rules. */
export interface SecretChange {
  readonly kind: SecretKind;
  /** The value, or the seed of one-time codes. */
  readonly text: string | null;
  readonly rules: SecretRules;
}

/** The named secrets that are kept in a table, sealed as stored passwords are, and those of the configuration. */
export class SecretStore {
  readonly #table: SecretTable;
  readonly #sealer: SecretBox;
  readonly #clock: Clock;
  readonly #configured: readonly ConfiguredSecret[];
  readonly #used: LastUse;

  private constructor(
    table: SecretTable,
    sealer: SecretBox,
    clock: Clock,
    configured: readonly ConfiguredSecret[],
    used: LastUse,
  ) {
    this.#table = table;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#configured = configured;
    this.#used = used;
  }

  /**
   * `table`: default that of the data folder. Throws FileError, or RefusedError invalid_parameters for a configured file that holds
   * nothing that can be typed.
   */
  static async open(
    dataDir: string,
    sealer: SecretBox,
    clock: Clock,
    configured: readonly ConfiguredSecret[] = [],
    table: SecretTable = new SecretsFile(dataDir, clock),
  ): Promise<SecretStore> {
    const used = await LastUse.open(join(dataDir, "secrets-used.json"), clock);
    const store = new SecretStore(table, sealer, clock, configured, used);
    await table.all();
    for (const { name, kind, file, rules } of configured) {
      (await readChecked({ name, kind, file })).fill(0);
      await seenOf(rules);
    }
    return store;
  }

  /** Those of the configuration first, then by name. */
  async list(): Promise<SecretInfo[]> {
    const configured = this.#configured.map(({ name, kind, rules }) => ({
      ...{ name, kind, rules, isConfigured: true, createdAt: null, changedAt: null },
      lastUsedAt: this.#used.at(name),
    }));
    const stored = [...(await this.#table.all()).values()].flatMap((one) =>
      one === undefined || this.#configuredAs(one.name) !== undefined ? [] : this.#info(one),
    );
    return [...configured, ...stored.sort((a, b) => (a.name < b.name ? -1 : 1))];
  }

  /** Makes or replaces one. Throws RefusedError invalid_parameters, permission_denied, too_many; in a fleet not_held. */
  async set(
    name: string,
    change: SecretChange,
  ): Promise<{ readonly info: SecretInfo; readonly isNew: boolean }> {
    if (!secretNameSchema.safeParse(name).success) {
      throw new RefusedError(
        "invalid_parameters",
        `got a name of ${name.length} characters, expected 1 to 64 letters, digits, ".", "_" or "-"`,
      );
    }
    this.#refuseConfigured(name);
    const { kind, text } = change;
    if (text !== null) checkText(name, kind, text);
    await seenOf(change.rules);
    let isNew = true;
    const stored = await this.#table.put(name, (before, count): StoredSecret => {
      isNew = before === null;
      const kept = text === null && before?.kind === kind ? before.sealed : null;
      const sealed = text === null ? kept : this.#sealer.seal(text, purposeOf(name, kind));
      if (sealed === null) {
        throw new RefusedError(
          "invalid_parameters",
          `got no ${kind === "totp" ? "seed" : "value"} for the secret ${name}, expected one: nothing is kept of it yet`,
        );
      }
      if (isNew && count >= MOST_SECRETS) {
        throw new RefusedError(
          "too_many",
          `there are ${MOST_SECRETS} secrets, the most allowed: remove one first`,
        );
      }
      const now = this.#clock.date().toISOString();
      const rules = rulesSchema.parse(change.rules);
      const created_at = before?.created_at ?? now;
      return { name, kind, sealed, ...rules, created_at, changed_at: now };
    });
    return { info: this.#info(stored), isNew };
  }

  /** False for one that is not there. Throws RefusedError permission_denied for one of the configuration; in a fleet not_held. */
  async remove(name: string): Promise<boolean> {
    this.#refuseConfigured(name);
    if (!secretNameSchema.safeParse(name).success) return false;
    const wasThere = await this.#table.remove(name);
    if (wasThere) this.#used.forget(name);
    return wasThere;
  }

  /** See SecretPorts. Nothing is opened before `open` is called, which rejects with AuthError bad_secret. */
  async find(
    { kind, name }: Pick<SecretUse, "kind" | "name">,
    actor: { readonly id: string; readonly name: string },
    desktopId: string,
  ): Promise<NamedSecret | null> {
    // All is read for a name that is not there as well: nobody shall tell the two apart by the time it takes.
    const stored = (await this.#table.all()).get(name);
    const configured = this.#configuredAs(name);
    const found = configured ?? (stored === undefined ? undefined : this.#info(stored));
    if (found?.kind !== kind || !isAllowed(found.rules, actor, desktopId)) return null;
    return {
      seen: await seenOf(found.rules),
      open: async () => {
        this.#used.mark(name);
        const bytes =
          configured === undefined
            ? this.#sealer.openBytes(stored?.sealed ?? "", purposeOf(name, kind))
            : await readConfigured(configured);
        try {
          return kind === "totp" ? codeOf(bytes, this.#clock.date()) : lettersOf(bytes);
        } finally {
          bytes.fill(0);
        }
      },
    };
  }

  /**
   * The values of those that are there, of their whole lines, for masks that cover them: no codes, and none shorter than
   * LEAST_COVERED. Rejects where one cannot be read.
   */
  async valuesOf(names: readonly string[]): Promise<readonly string[]> {
    const stored = await this.#table.all();
    const values = names.map(async (name) => {
      const configured = this.#configuredAs(name);
      if (configured !== undefined)
        return configured.kind === "secret" ? (await readConfigured(configured)).toString("utf8") : "";
      const one = stored.get(name);
      if (one === undefined && stored.has(name)) throw unreadable(name);
      return one?.kind === "secret" ? this.#sealer.open(one.sealed, purposeOf(name, "secret")) : "";
    });
    return (await Promise.all(values)).filter((value) => value.replace(/\s/g, "").length >= LEAST_COVERED);
  }

  /** Waits for what is being written. */
  close(): Promise<void> {
    return this.#used.close();
  }

  #info({ name, kind, desktops, agents, seen, created_at, changed_at }: StoredSecret): SecretInfo {
    const rules = { desktops, agents, ...(seen === undefined ? {} : { seen }) };
    const usedAt = this.#used.at(name);
    // What was of that name before it was made is another one, which another node took away.
    const lastUsedAt = usedAt !== null && usedAt >= created_at.slice(0, MINUTE) ? usedAt : null;
    return {
      name,
      kind,
      rules,
      isConfigured: false,
      createdAt: created_at,
      changedAt: changed_at,
      lastUsedAt,
    };
  }

  #configuredAs(name: string): ConfiguredSecret | undefined {
    return this.#configured.find((one) => one.name === name);
  }

  #refuseConfigured(name: string): void {
    if (this.#configuredAs(name) === undefined) return;
    throw new RefusedError(
      "permission_denied",
      `the secret ${name} is of the configuration, which alone changes it: change the file that it names`,
    );
  }
}

function unreadable(name: string): AuthError {
  return new AuthError(
    "bad_secret",
    `the secret ${name} was sealed by another cluster.key, or kept by a later version: what it says is not known here`,
  );
}

/** Binds a sealed value to its place. */
function purposeOf(name: string, kind: SecretKind): string {
  return `secret/${name}/${kind}`;
}

/** Throws RefusedError invalid_parameters for a picture that cannot be looked for. */
async function seenOf({ seen }: SecretRules): Promise<Seen | null> {
  if (seen === undefined) return null;
  const { text = null, picture, region = null, field } = seen;
  return {
    ...{ text, region },
    ...(picture === undefined ? {} : { picture: await readSeenPicture(picture) }),
    ...(field === undefined ? {} : { field }),
  };
}

/** Names count for tokens alone, which administrators name: whoever may name themselves is known by their id. */
function isAllowed(
  { desktops, agents }: SecretRules,
  { id, name }: { readonly id: string; readonly name: string },
  desktopId: string,
): boolean {
  if (!desktops.includes(desktopId)) return false;
  return agents.some((agent) => agent === "*" || agent === id || (agent === name && isTokenId(id)));
}

/** Throws RefusedError invalid_parameters, which shows nothing of the text. */
function checkText(name: string, kind: SecretKind, text: string): void {
  if (kind === "totp" && totpSeedSchema.safeParse(text).success) {
    readTotp(text);
    return;
  }
  const fault = (kind === "totp" ? totpSeedSchema : secretValueSchema).safeParse(text).error?.issues[0];
  if (fault === undefined) return;
  throw new RefusedError(
    "invalid_parameters",
    `got a text of ${text.length} characters for the secret ${name}: ${fault.message.toLowerCase()}`,
  );
}

/** The bytes of a configured secret, in memory of its own. Throws RefusedError invalid_parameters. */
async function readChecked({ name, kind, file }: Omit<ConfiguredSecret, "rules">): Promise<Buffer> {
  const bytes = await readSecretBytes(`the file ${file} of the secret ${name}`, createReadStream(file));
  if (kind === "totp" && bytes.length <= MOST_SEED) {
    readTotp(bytes).seed.fill(0);
    return bytes;
  }
  const letters = lettersOf(bytes);
  // What cannot be typed is no secret yet, and may be told in words what it lacks.
  if (!areTypable(letters, MOST_CHARACTERS)) checkText(name, kind, bytes.toString("utf8"));
  letters.fill(0);
  return bytes;
}

/** Throws AuthError bad_secret: where the file lies is no matter of the agent that wants it typed. */
async function readConfigured(secret: ConfiguredSecret): Promise<Buffer> {
  try {
    return await readChecked(secret);
  } catch (cause) {
    if (!(cause instanceof RefusedError)) throw cause;
    throw new AuthError("bad_secret", cause.message, { cause });
  }
}

/** The code of a moment, of a seed that is kept no longer. */
function codeOf(seedText: Uint8Array, at: Date): Uint32Array {
  const totp = readTotp(seedText);
  try {
    return totpAt(totp, at);
  } finally {
    totp.seed.fill(0);
  }
}

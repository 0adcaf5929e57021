import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { type CustomRules, customRulesSchema } from "./custom-rules-fields.ts";
import { RefusedError } from "./error.ts";
import type { Mode } from "./policy.ts";

/** More desktops than a house may have, so that none loses its rules. */
const MAX_DESKTOPS = 1000;

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** The rules of custom mode that people put in force, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), customRulesSchema)
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});

/** What a desktop begins with. */
export interface FirstPolicy {
  readonly mode: Mode;
  readonly customRules?: unknown;
}

/**
 * The rules that people put in force, kept over a restart: a JSON file of mode 0600, written whole and then moved into
 * place. A desktop keeps them until somebody gives it another mode or removes it.
 */
export class KeptRules {
  readonly #path: string;
  readonly #onFault: (error: unknown) => void;
  readonly #rules: Map<string, CustomRules>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, rules: Map<string, CustomRules>, onFault: (error: unknown) => void) {
    this.#path = path;
    this.#rules = rules;
    this.#onFault = onFault;
  }

  /**
   * Throws RefusedError invalid_parameters where the file is none of ours or holds rules that cannot be read: starting
   * without them could allow what people denied. `onFault` is told when something could not be kept.
   */
  static async open(path: string, onFault: (error: unknown) => void): Promise<KeptRules> {
    return new KeptRules(path, await read(path), onFault);
  }

  /** Of a desktop that was just opened. A house that was started passive stays so: then kept rules wait. */
  first(id: string, configured: FirstPolicy): FirstPolicy {
    const rules = this.#rules.get(id);
    return rules === undefined || configured.mode === "passive"
      ? configured
      : { mode: "custom", customRules: rules };
  }

  /** People set a desktop's mode; `rules` is null for every mode but custom. */
  set(id: string, rules: CustomRules | null): void {
    const before = this.#rules.get(id);
    if (rules === null) this.#rules.delete(id);
    else if (before !== undefined || this.#rules.size < MAX_DESKTOPS) this.#rules.set(id, rules);
    if (before === rules || (before === undefined && rules === null)) return;
    this.#save();
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#writing;
  }

  #save(): void {
    const text = JSON.stringify({ version: 1, desktops: Object.fromEntries(this.#rules) }, null, 2);
    const write = async (): Promise<void> => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      const draft = `${this.#path}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.#path);
    };
    this.#writing = this.#writing.then(write).catch(this.#onFault);
  }
}

async function read(path: string): Promise<Map<string, CustomRules>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data.desktops));
  throw new RefusedError(
    "invalid_parameters",
    `${path} is not a file of rules: ${z.prettifyError(parsed.error)}`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

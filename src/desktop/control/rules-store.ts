import * as z from "zod";
import { JsonFile } from "../../platform/json-file.ts";
import { type CustomRules, customRulesSchema } from "./custom-rules-fields.ts";
import type { ModeState } from "./modes.ts";
import type { Mode } from "./policy.ts";

/** More desktops than an appliance may have, so that none loses its rules. */
const MAX_DESKTOPS = 1000;

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** The rules of custom mode that people put in force, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), customRulesSchema)
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});

type File = z.infer<typeof fileSchema>;

/** What a desktop begins with. */
export interface FirstPolicy {
  readonly mode: Mode;
  readonly customRules?: unknown;
  readonly limits?: ModeState["limits"];
  readonly freedBy?: ModeState["freedBy"];
}

/**
 * The rules that people put in force, kept over a restart: a JSON file of mode 0600, written whole and then moved into
 * place. A desktop keeps them until somebody gives it another mode or removes it.
 */
export class RulesStore {
  readonly #file: JsonFile<File>;
  readonly #onFault: (error: unknown) => void;
  readonly #rules: Map<string, CustomRules>;

  private constructor(
    file: JsonFile<File>,
    rules: Map<string, CustomRules>,
    onFault: (error: unknown) => void,
  ) {
    this.#file = file;
    this.#rules = rules;
    this.#onFault = onFault;
  }

  /**
   * Throws RefusedError invalid_parameters where the file is none of ours or holds rules that cannot be read: starting
   * without them could allow what people denied. `onFault` is told when something could not be kept.
   */
  static async open(path: string, onFault: (error: unknown) => void): Promise<RulesStore> {
    const file = new JsonFile(path, "a file of rules", fileSchema);
    const kept = await file.read();
    return new RulesStore(file, new Map(Object.entries(kept?.desktops ?? {})), onFault);
  }

  /** Of a desktop that was just opened. An appliance that was started passive stays so: then kept rules wait. */
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
    return this.#file.flush();
  }

  #save(): void {
    const desktops = Object.fromEntries(this.#rules);
    this.#file.write(() => ({ version: 1, desktops })).catch(this.#onFault);
  }
}

import { checkConfig } from "../config/check-config.ts";
import type { Config } from "../config/config-schema.ts";
import { printable } from "../config/printable.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `config print` and `config validate`. */
export function configCommand(words: readonly string[], _values: Values, config: Config): Command {
  expectWords("config", words, 1);
  switch (words[0]) {
    case "print":
      return { kind: "print", text: `${JSON.stringify(printable(config), null, 2)}\n` };
    case "validate":
      return task(async () => {
        await checkConfig(config);
        return "the configuration is valid\n";
      });
    default:
      throw new UsageError(`got "config ${words[0] ?? ""}", expected config print or config validate`);
  }
}

import { join } from "node:path";
import type { Config } from "../config/config-schema.ts";
import { KnownTargets } from "../desktop/connections/known-targets.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `targets list` and `forget`. */
export function targetsCommand(words: readonly string[], _values: Values, config: Config): Command {
  const { data_dir } = config;
  const [action, place = ""] = words;
  switch (action) {
    case "list":
      expectWords("targets list", words, 1);
      return task(() => listTargets(data_dir));
    case "forget":
      expectWords("targets forget PLACE", words, 2);
      return task(() =>
        audited(config, async (record) => {
          const said = await forgetTarget(data_dir, place);
          if (said === null) throw new UsageError(`nothing is known of ${place}: see targets list`);
          record({
            type: "target.identity_forgotten",
            severity: "warning",
            resource: { kind: "target", id: place },
          });
          return said;
        }),
      );
    default:
      throw new UsageError(`got "targets ${action ?? ""}", expected targets list or forget`);
  }
}

/** Where a data directory keeps the certificates and keys that targets proved themselves by. */
export function knownTargetsFile(dataDir: string): string {
  return join(dataDir, "known-targets.json");
}

/** A line for each target that has proved who it is: its place and the SHA-256 of its certificate or key. */
async function listTargets(dataDir: string): Promise<string> {
  const known = await KnownTargets.open(knownTargetsFile(dataDir));
  const lines = [...known.all].map(([place, fingerprint]) => `${place}  ${fingerprint}\n`);
  return lines.length === 0 ? "no target has shown a certificate or a key\n" : lines.join("");
}

/** null where none of that place was known. */
async function forgetTarget(dataDir: string, place: string): Promise<string | null> {
  const known = await KnownTargets.open(knownTargetsFile(dataDir));
  if (!(await known.forget(place))) return null;
  return `${place}  forgotten; a running appliance takes it at its next start\n`;
}

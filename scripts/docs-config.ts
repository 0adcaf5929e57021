import * as z from "zod";
import { CONFIG_KEYS, configSchema } from "../src/config/config-schema.ts";
import { fieldTable } from "./docs-fields.ts";
import { GENERATED, table } from "./markdown.ts";

/** What a key's schema says, as JSON Schema. */
const nodeSchema = z.object({
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});

type Node = z.infer<typeof nodeSchema>;

const EXAMPLE = `\`\`\`yaml
server:
  port: 3000
mode: assist
connections:
  - url: vnc://:password@desk.example:5901
  - name: Build machine
    protocol: vnc
    host: build.example
    password_file: /run/secrets/build-vnc
\`\`\``;

/** docs/config.md: every key of the file with its variable, flag, default and meaning. */
export function renderConfigDoc(): string {
  const root = z.toJSONSchema(configSchema, { io: "output", unrepresentable: "any" });
  const rows = leavesOf(nodeSchema.parse(root), "").map(([path, node]) => {
    const key = CONFIG_KEYS.find((known) => known.path === path);
    const names = (key?.env ?? []).flatMap((name) => [
      code(name),
      ...(key?.isSecret ? [code(`${name}_FILE`)] : []),
    ]);
    const flag = key?.flag ? code(`--${key.flag}`) : "";
    const preset = node.default === undefined ? "" : code(JSON.stringify(node.default));
    return [code(path), names.join(", "), flag, preset, node.description ?? ""];
  });
  const undescribed = rows.filter((row) => row[4] === "").map(([path]) => path);
  if (undescribed.length > 0) throw new Error(`no description in configSchema: ${undescribed.join(", ")}`);
  return [
    "# Configuration",
    GENERATED,
    "Defaults, then the YAML file (`--config FILE` or `OC_CONFIG`), then the environment, then flags: the later wins.",
    "A variable that ends in `_FILE` names a file that holds the value. `overlay-companion config print` shows what",
    "holds, without secrets; `config validate` checks a file.",
    "",
    table(["key in the file", "environment", "flag", "default", "meaning"], rows),
    "",
    "`serve` also takes `--connect URL` (repeatable; `vnc://[user[:password]@]host[:port]`, the same with `kasmvnc://` and",
    "`rdp://`, other ways such as `vnc+unix:///path`, or `demo:`), `--demo` and `--stdio`. With no connection at all the",
    "embedded demo desktop opens. A key without a value is as if it were not there.",
    "",
    "## A connection",
    "",
    "The fields of each of `connections`: a URL, or what the second table names. `?` marks what may be left out, `rdp.width` is the field `width` of `rdp`.",
    "",
    ...connectionWays().flatMap((way) => [fieldTable(way, true), ""]),
    "## A file",
    EXAMPLE,
  ].join("\n");
}

const connectionsSchema = z.object({
  properties: z.object({
    connections: z.object({ items: z.object({ anyOf: z.array(z.unknown()).length(2) }) }),
  }),
});

/** The two ways to name one. */
function connectionWays(): readonly unknown[] {
  const root = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" });
  return connectionsSchema.parse(root).properties.connections.items.anyOf;
}

/** Keys that hold values, in the schema's order; a list is one value. */
function leavesOf(node: Node, path: string): [string, Node][] {
  if (node.properties === undefined) return [[path, node]];
  return Object.entries(node.properties).flatMap(([name, child]) =>
    leavesOf(nodeSchema.parse(child), path === "" ? name : `${path}.${name}`),
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

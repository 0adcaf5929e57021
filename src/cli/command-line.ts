import { parseArgs } from "node:util";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";

/** What to do, from the command line alone. */
export type Command =
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "serve"; readonly config: Config }
  /** A short task; resolves with what to print on standard output. */
  | { readonly kind: "task"; run(): Promise<string> };

/** The command line is wrong: names the word and what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const OPTIONS = {
  config: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  network: { type: "boolean" },
  insecure: { type: "boolean" },
  connect: { type: "string", multiple: true },
  mode: { type: "string" },
  stdio: { type: "boolean" },
  demo: { type: "boolean" },
  "vnc-port": { type: "string" },
  "data-dir": { type: "string" },
  name: { type: "string" },
  actor: { type: "string" },
  elicit: { type: "boolean" },
  json: { type: "boolean" },
  toolsets: { type: "string" },
  expires: { type: "string" },
  format: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  overlays: { type: "string" },
  pointer: { type: "string" },
  fps: { type: "string" },
  output: { type: "string", short: "o" },
  file: { type: "string" },
  "key-file": { type: "string" },
  replace: { type: "boolean" },
  totp: { type: "boolean" },
  desktops: { type: "string" },
  owner: { type: "string" },
  agents: { type: "string" },
  seen: { type: "string" },
  "seen-in": { type: "string" },
  "seen-picture": { type: "string" },
  "seen-field": { type: "string" },
  endpoints: { type: "string" },
  ca: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  login: { type: "string" },
  "password-file": { type: "string" },
  system: { type: "boolean" },
  user: { type: "boolean" },
  platform: { type: "string" },
  root: { type: "string" },
  "dry-run": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** What was said by options. */
export type Values = ReturnType<typeof parse>["values"];

/** Throws UsageError. */
export function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? `${cause.message} (see --help)` : "see --help", { cause });
  }
}

/** `connects`: see ConfigSources. Throws ConfigError. */
export function configOf(
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
  connects = true,
): Config {
  const { config, host, port, mode, connect, demo, stdio, toolsets } = values;
  return loadConfig({
    env,
    flags: {
      ...{ host, port, mode, toolsets, network: networkOf(values) },
      ...{ "vnc-port": values["vnc-port"], "data-dir": values["data-dir"] },
    },
    file: config,
    connect: connect ?? [],
    isDemo: demo ?? false,
    isStdio: stdio ?? false,
    connects,
  });
}

/** What --network and --insecure say together. Throws UsageError. */
function networkOf({ network = false, insecure = false }: Values): string | undefined {
  if (network) return insecure ? "plain" : "tls";
  if (insecure) throw new UsageError("got --insecure alone, expected --network before it (see --help)");
  return undefined;
}

export function task(run: () => Promise<string>): Command {
  return { kind: "task", run };
}

/** Throws UsageError unless so many words follow. */
export function expectWords(command: string, words: readonly string[], count: number): void {
  if (words.length !== count) {
    throw new UsageError(`"${command}" takes ${count} words after it, got ${words.length} (see --help)`);
  }
}

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse as parseYaml, YAMLParseError } from "yaml";
import type * as z from "zod";
import {
  type ConnectionInput,
  connectionFromUrl,
  makeConnection,
} from "../desktop/connections/connection.ts";
import { RefusedError } from "../desktop/error.ts";
import { configFaults } from "./config-faults.ts";
import { CONFIG_KEYS, type Config, ConfigError, configSchema, DEMO } from "./config-schema.ts";
import { secretOfCommand } from "./secret-command.ts";

/** Where values come from, beside the defaults. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of flags by ConfigKey.flag. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** `--config`, else OC_CONFIG. */
  readonly file: string | undefined;
  /** `--connect`, in order. */
  readonly connect: readonly string[];
  readonly isDemo: boolean;
  readonly isStdio: boolean;
  /** False: no desktop is connected to, and no program is asked for its password. */
  readonly connects?: boolean;
}

/** Defaults < file < environment < flags. Throws ConfigError. */
export function loadConfig(sources: ConfigSources): Config {
  const named = sources.file ?? sources.env["OC_CONFIG"];
  const file = named === "" ? undefined : named;
  const tree = file === undefined ? {} : readTree(file);
  const origin = new Map<string, string>();
  for (const { path, env, flag, isSecret } of CONFIG_KEYS) {
    const fromEnv = firstOf(env, (name) => envValue(sources.env, name, isSecret));
    const fromFlag = flag === null ? undefined : sources.flags[flag];
    if (fromFlag === "") throw new ConfigError(`${path} (from flag --${flag}): got "", expected a value`);
    const value = fromFlag ?? fromEnv?.value;
    if (value === undefined) continue;
    setPath(tree, path, value);
    origin.set(
      path,
      fromFlag === undefined ? `environment variable ${fromEnv?.name ?? ""}` : `flag --${flag ?? ""}`,
    );
  }
  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) {
    const originOf = (path: string): string => origin.get(path) ?? file ?? "the defaults";
    throw new ConfigError(configFaults(parsed.error, tree, originOf));
  }
  const { connections, data_dir, ...rest } = parsed.data;
  if ((rest.server.tls_cert === undefined) !== (rest.server.tls_key === undefined)) {
    throw new ConfigError("server.tls_cert and server.tls_key belong together: give both or none");
  }
  if ((rest.oidc.issuer === undefined) !== (rest.oidc.client_id === undefined)) {
    throw new ConfigError("oidc.issuer and oidc.client_id belong together: give both or none");
  }
  if (rest.oidc.mcp_resource !== undefined && rest.oidc.issuer === undefined) {
    throw new ConfigError(
      "oidc.mcp_resource: got one without oidc.issuer, expected who signs the tokens for it",
    );
  }
  return {
    ...rest,
    data_dir: data_dir ?? defaultDataDir(sources.env),
    connections: connectionsOf(connections, sources),
    isStdio: sources.isStdio,
  };
}

function defaultDataDir(env: ConfigSources["env"]): string {
  const home = env["XDG_DATA_HOME"];
  return join(
    home !== undefined && home !== "" ? home : join(homedir(), ".local", "share"),
    "overlay-companion",
  );
}

/** A value and the variable that gave it. */
interface EnvValue {
  readonly name: string;
  readonly value: string;
}

function firstOf(
  names: readonly string[],
  read: (name: string) => EnvValue | undefined,
): EnvValue | undefined {
  for (const name of names) {
    const found = read(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function envValue(env: ConfigSources["env"], name: string, isSecret: boolean): EnvValue | undefined {
  const value = env[name];
  if (value !== undefined && value !== "") return { name, value };
  const fileName = `${name}_FILE`;
  const path = isSecret ? env[fileName] : undefined;
  return path === undefined || path === ""
    ? undefined
    : { name: fileName, value: readSecret(path, fileName) };
}

function readSecret(path: string, keyName: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    throw new ConfigError(`${keyName}: cannot read the file ${path}: check that it exists and may be read`, {
      cause,
    });
  }
}

function readTree(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ConfigError(
      `cannot read the configuration file ${file}: check that it exists and may be read`,
      { cause },
    );
  }
  let tree: unknown;
  try {
    tree = parseYaml(text);
  } catch (cause) {
    const detail = cause instanceof YAMLParseError ? cause.message.split("\n")[0] : "";
    throw new ConfigError(`${file} is not YAML: ${detail}`, { cause });
  }
  if (tree === null || tree === undefined) return {};
  if (!isTree(tree)) {
    const got = Array.isArray(tree) ? "a list" : `a ${typeof tree}`;
    throw new ConfigError(`${file}: got ${got}, expected keys and values`);
  }
  return given(tree);
}

/** Without the keys that have no value: `port:` with nothing after it says nothing, least of all 0. */
function given(tree: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, value]) =>
      value === null ? [] : [[name, isTree(value) ? given(value) : value]],
    ),
  );
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function setPath(tree: Record<string, unknown>, path: string, value: string): void {
  const parts = path.split(".");
  const last = parts.pop() ?? path;
  let node = tree;
  for (const part of parts) {
    const next = node[part];
    const child: Record<string, unknown> = isTree(next) ? { ...next } : {};
    node[part] = child;
    node = child;
  }
  node[last] = value;
}

function connectionsOf(
  connections: z.output<typeof configSchema>["connections"],
  sources: ConfigSources,
): ConnectionInput[] {
  const { connect, isDemo } = sources;
  const inputs = connections.map((entry, index): ConnectionInput => {
    const where = `connections.${index}`;
    if ("url" in entry) {
      const { url, ...named } = entry;
      return { ...fromUrl(url, `${where}.url`), ...named };
    }
    const { password_file, password_env, password_command, ...rest } = entry;
    const needsHost = entry.transport !== "unix" && entry.transport !== "reverse";
    if (entry.protocol !== "demo" && entry.protocol !== "browser" && entry.host === undefined && needsHost) {
      throw new ConfigError(`${where}.host: nothing was given, expected the name or address of the desktop`);
    }
    const references = { password_file, password_env, password_command };
    const password = rest.password ?? passwordOf(references, where, sources);
    return checked(password === undefined ? rest : { ...rest, password }, where);
  });
  inputs.push(...connect.map((url) => fromUrl(url, "--connect")));
  if (isDemo && !inputs.some(({ protocol }) => protocol === "demo")) inputs.push(DEMO);
  return withStableIds(inputs);
}

/** In place of a password that nobody needs who does not connect: a password store may ask a person for it. */
const NOT_ASKED = "(not asked for)";

interface PasswordReferences {
  readonly password_file: string | undefined;
  readonly password_env: string | undefined;
  readonly password_command: readonly string[] | undefined;
}

/** A password that stands elsewhere; undefined for none. Throws ConfigError. */
function passwordOf(
  { password_file, password_env, password_command }: PasswordReferences,
  where: string,
  { env, connects }: ConfigSources,
): string | undefined {
  const given = [password_file, password_env, password_command].filter((one) => one !== undefined);
  if (given.length > 1) {
    throw new ConfigError(
      `${where}: got ${given.length} of password_file, password_env and password_command, expected one`,
    );
  }
  if (password_file !== undefined) return readSecret(password_file, `${where}.password_file`);
  if (password_env !== undefined) {
    const value = env[password_env];
    if (value !== undefined && value !== "") return value;
    throw new ConfigError(
      `${where}.password_env: the environment variable ${password_env} holds nothing, expected the password`,
    );
  }
  if (password_command === undefined) return undefined;
  return connects === false ? NOT_ASKED : secretOfCommand(password_command, `${where}.password_command`);
}

/** Ids that stay the same at every start, so that addresses of desktops can be kept: from the name or the address. */
function withStableIds(inputs: readonly ConnectionInput[]): ConnectionInput[] {
  const taken = new Set<string>();
  return inputs.map((input) => {
    const base =
      input.id ?? slugOf(input.name ?? `${input.protocol}-${input.host ?? ""}-${input.port ?? ""}`);
    let id = base;
    for (let n = 2; taken.has(id); n++) id = `${base}-${n}`;
    taken.add(id);
    return { ...input, id };
  });
}

function slugOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "desktop"
  );
}

function fromUrl(url: string, where: string): ConnectionInput {
  try {
    const input = readUrl(url);
    return input.protocol === "demo" ? DEMO : checked(input, where);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw cause instanceof RefusedError ? new ConfigError(`${where}: ${cause.message}`, { cause }) : cause;
  }
}

/** As connectionFromUrl, where nothing is shown of what cannot be told apart from a password. Throws RefusedError. */
export function readUrl(url: string): ConnectionInput {
  const expected =
    "expected such as vnc://user:password@host:5900, with %40, %2F and %25 for @, / and % in a password";
  if (url.includes("@") && !URL.canParse(url))
    throw new RefusedError("invalid_parameters", `cannot read that connection URL: ${expected}`);
  try {
    return connectionFromUrl(url);
  } catch (cause) {
    if (cause instanceof RefusedError) throw cause;
    throw new RefusedError("invalid_parameters", `cannot decode that connection URL: ${expected}`, { cause });
  }
}

/** As it is, unless no connection can be made of it: then `serve` would fail only when all else is open. */
function checked(input: ConnectionInput, where: string): ConnectionInput {
  try {
    makeConnection(input, new Date(0));
    return input;
  } catch (cause) {
    if (!(cause instanceof RefusedError)) throw cause;
    throw new ConfigError(`${where}: ${cause.message}`, { cause });
  }
}

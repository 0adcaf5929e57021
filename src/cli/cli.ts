import { join } from "node:path";
import { parseArgs } from "node:util";
import { openTargetLink, trustSettingsOf } from "../appliance/open-links.ts";
import { exportActor } from "../audit/export-actor.ts";
import { tokenEntry } from "../audit/token-audit.ts";
import { ROLES, type Role } from "../auth/principal.ts";
import { SecretBox } from "../auth/secret-box.ts";
import { TokenStore } from "../auth/tokens.ts";
import { checkConfig } from "../config/check-config.ts";
import { type Config, printable } from "../config/config-schema.ts";
import { loadConfig, readUrl } from "../config/load-config.ts";
import { makeConnection } from "../desktop/connections/connection.ts";
import { FileConnectionStore } from "../desktop/connections/connection-store.ts";
import { testLink } from "../desktop/connections/connection-test.ts";
import { KnownTargets } from "../desktop/connections/known-targets.ts";
import { TOOLSETS } from "../mcp/tool/toolsets.ts";
import { systemClock } from "../platform/clock.ts";
import { VERSION } from "../platform/version.ts";
import { safeText } from "../protocols/rfb/error.ts";
import { verifyAudit } from "./audit-cli.ts";
import { audited } from "./cli-audit.ts";
import { exportToFile, listRecordings, verifyRecording } from "./recordings-cli.ts";
import { forgetTarget, listTargets } from "./targets-cli.ts";

export const HELP = `overlay-companion ${VERSION}: between AI agents, people and the desktops they work on

Usage: overlay-companion [command] [options]

Commands
  serve                         run the appliance (the default)
  config print | validate       show the configuration in force (without secrets), or only check it
  connections list              the desktops that were added while running
  connections add URL [--name NAME]
  connections test URL | ID     shake hands and say how far it got
  connections remove ID
  recordings list
  recordings export ID [--format F] [--from T] [--to T] [--output FILE]
                       [--overlays 0|1] [--pointer 0|1] [--fps N]
                                F: png, ndjson, html, gif, mp4 or webm; T: 1:02:03.5 or seconds;
                                overlays and pointer are painted as they were unless 0 is said
  recordings verify ID          exit 0 only if every byte is as it was sealed
  targets list                  what desktops proved themselves by, once
  targets forget PLACE          believe the next certificate or key that is seen there
  token create ROLE [--name N]  make a token of a role (${ROLES.join(", ")}); shown once
               [--elicit]       the person at its MCP client may approve what it asks
               [--toolsets T]   its holder has only these tools, as with serve
  token list | revoke ID
  audit verify [FILE...]        exit 0 only if every line of the audit log is as it was written
  audit export --actor NAME     every event of one actor, by name or id, as NDJSON

Options of serve
  --config FILE      YAML file (else OC_CONFIG)
  --host ADDRESS     where to listen (127.0.0.1)
  --port PORT        port of everything but VNC (3000); 0 takes a free one
  --connect URL      [vnc|kasmvnc|rdp]://[user[:password]@]host[:port] or demo: (repeatable); VNC also
                     by vnc+unix:///path, vnc+ws://, vnc+wss://, vnc+repeater://host/ID, vnc+reverse://
  --mode MODE        passive, assist, composing, autopilot or custom
  --stdio            speak MCP on standard input and output, by way of the server that runs, if one does
  --toolsets T       which tools agents see: ${TOOLSETS.join(", ")}, separated by commas (all);
                     with --stdio by way of a running server, of those that it has
  --demo             add the embedded demo desktop
  --vnc-port PORT    serve ordinary VNC viewers
  --data-dir DIR     where tokens, connections and the audit log are kept
  --help, --version
`;

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
  connect: { type: "string", multiple: true },
  mode: { type: "string" },
  stdio: { type: "boolean" },
  demo: { type: "boolean" },
  "vnc-port": { type: "string" },
  "data-dir": { type: "string" },
  name: { type: "string" },
  actor: { type: "string" },
  elicit: { type: "boolean" },
  toolsets: { type: "string" },
  format: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  overlays: { type: "string" },
  pointer: { type: "string" },
  fps: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

type Values = ReturnType<typeof parse>["values"];

/** Throws UsageError or ConfigError. */
export function readCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: "print", text: HELP };
  if (values.version) return { kind: "print", text: `${VERSION}\n` };
  const [command = "serve", ...rest] = positionals;
  switch (command) {
    case "serve":
      expectWords(command, rest, 0);
      return { kind: "serve", config: configOf(values, env) };
    case "config":
      return configCommand(rest, configOf(values, env));
    case "connections":
      return connectionsCommand(rest, values, configOf(values, env));
    case "recordings":
      return recordingsCommand(rest, values, configOf(values, env));
    case "targets":
      return targetsCommand(rest, configOf(values, env));
    case "audit":
      return auditCommand(rest, values, configOf(values, env));
    case "token":
      return tokenCommand(rest, values, configOf(values, env));
    default:
      // It may hold a password.
      if (command.includes("://"))
        throw new UsageError("got a URL as the command: connect to it with --connect URL");
      throw new UsageError(
        `got the command "${command}", expected serve, config, connections, recordings, targets, token or audit (see --help)`,
      );
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? `${cause.message} (see --help)` : "see --help", { cause });
  }
}

function configOf(values: Values, env: Readonly<Record<string, string | undefined>>): Config {
  const { config, host, port, mode, connect, demo, stdio, toolsets } = values;
  return loadConfig({
    env,
    flags: { host, port, mode, toolsets, "vnc-port": values["vnc-port"], "data-dir": values["data-dir"] },
    file: config,
    connect: connect ?? [],
    isDemo: demo ?? false,
    isStdio: stdio ?? false,
  });
}

function configCommand(words: readonly string[], config: Config): Command {
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

function connectionsCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, word] = words;
  switch (action) {
    case "list":
      expectWords("connections list", words, 1);
      return task(async () => {
        const connections = await (await openStore(config)).load();
        if (connections.length === 0)
          return "no connections were added; those of the file and of --connect are not kept\n";
        return connections
          .map(
            ({ id, name, protocol, host, port }) =>
              `${id}  ${protocol}://${host}:${port}  ${safeText(name)}\n`,
          )
          .join("");
      });
    case "add":
      expectWords("connections add URL", words, 2);
      return task(() =>
        audited(config, async (record) => {
          const input = readUrl(word ?? "");
          const connection = makeConnection(
            values.name === undefined ? input : { ...input, name: values.name },
            systemClock.date(),
          );
          const store = await openStore(config);
          await store.save([...(await store.load()), connection]);
          record({ type: "connection.added", resource: { kind: "connection", id: connection.id } });
          return `${connection.id}  added; a running appliance takes it at its next start\n`;
        }),
      );
    case "remove":
      expectWords("connections remove ID", words, 2);
      return task(() =>
        audited(config, async (record) => {
          const store = await openStore(config);
          const connections = await store.load();
          const kept = connections.filter(({ id }) => id !== word);
          if (kept.length === connections.length)
            throw new UsageError(`there is no connection ${word ?? ""}: see connections list`);
          await store.save(kept);
          record({ type: "connection.removed", resource: { kind: "connection", id: word ?? "" } });
          return `${word ?? ""}  removed; a running appliance shows it until its next start\n`;
        }),
      );
    case "test":
      expectWords("connections test URL", words, 2);
      return task(() => testConnection(word ?? "", config));
    default:
      throw new UsageError(
        `got "connections ${action ?? ""}", expected connections list, add, test or remove`,
      );
  }
}

async function testConnection(word: string, config: Config): Promise<string> {
  const stored = (await (await openStore(config)).load()).find(({ id }) => id === word);
  const connection = stored ?? makeConnection(readUrl(word), systemClock.date());
  const known = await KnownTargets.open(join(config.data_dir, "known-targets.json"));
  const trustSettings = trustSettingsOf(config, known);
  const link = openTargetLink(connection, [], trustSettings);
  const { success, steps } = await testLink(link, systemClock);
  const lines = steps
    .map(({ name, ok, detail }) => `${ok ? "ok    " : "failed"}  ${name}: ${detail}\n`)
    .join("");
  if (!success) throw new UsageError(lines.trimEnd());
  return lines;
}

function recordingsCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, id = ""] = words;
  const { data_dir } = config;
  switch (action) {
    case "list":
      expectWords("recordings list", words, 1);
      return task(() => listRecordings(data_dir));
    case "verify":
      expectWords("recordings verify ID", words, 2);
      return task(() => verifyRecording(data_dir, id));
    case "export": {
      expectWords("recordings export ID", words, 2);
      const { format, from, to, output, overlays, pointer, fps } = values;
      return task(() =>
        audited(config, async (record) => {
          const said = await exportToFile(data_dir, id, { format, from, to, output, overlays, pointer, fps });
          record({ type: "recording.exported", severity: "notice", resource: { kind: "recording", id } });
          return said;
        }),
      );
    }
    default:
      throw new UsageError(`got "recordings ${action ?? ""}", expected recordings list, export or verify`);
  }
}

function targetsCommand(words: readonly string[], config: Config): Command {
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

function auditCommand(words: readonly string[], { actor }: Values, config: Config): Command {
  const [action, ...files] = words;
  switch (action) {
    case "verify":
      return task(async () => {
        const { isIntact, text } = await verifyAudit(config, files);
        if (!isIntact) throw new UsageError(text.trimEnd());
        return text;
      });
    case "export":
      expectWords("audit export", words, 1);
      if (actor === undefined) throw new UsageError("audit export needs --actor NAME");
      return task(() =>
        audited(config, async (record) => {
          const events = await exportActor(config.data_dir, actor, process.stdout);
          const resource = { kind: "actor", id: actor };
          record({ type: "audit.exported", severity: "notice", resource, counts: { events } });
          return "";
        }),
      );
    default:
      throw new UsageError(`got "audit ${action ?? ""}", expected audit verify or audit export`);
  }
}

function tokenCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, word] = words;
  switch (action) {
    case "create":
      expectWords("token create ROLE", words, 2);
      return task(() =>
        withTokens(config, async (tokens) => {
          const role = roleOf(word ?? "");
          const { token, info } = await tokens.create(values.name ?? role, role, {
            mayElicit: values.elicit ?? false,
            toolsets: values.toolsets === undefined ? null : config.mcp.toolsets,
          });
          return `${token}\n(id ${info.id}, role ${role}; it is not shown again)\n`;
        }),
      );
    case "list":
      expectWords("token list", words, 1);
      return task(async () => {
        const tokens = await TokenStore.open(config.data_dir, systemClock);
        const lines = tokens
          .list()
          .map(
            ({ id, role, name, lastUsedAt, mayElicit, toolsets }) =>
              `${id}  ${role}  ${safeText(name)}  last used: ${lastUsedAt ?? "never"}${mayElicit ? "  --elicit" : ""}` +
              `${toolsets === null ? "" : `  --toolsets ${toolsets.join(",")}`}\n`,
          );
        await tokens.close();
        return lines.length === 0 ? "no tokens\n" : lines.join("");
      });
    case "revoke":
      expectWords("token revoke ID", words, 2);
      return task(() =>
        withTokens(config, async (tokens) => {
          if (!(await tokens.revoke(word ?? "")))
            throw new UsageError(`there is no token ${word ?? ""}: see token list`);
          return `${word ?? ""}  revoked\n`;
        }),
      );
    default:
      throw new UsageError(`got "token ${action ?? ""}", expected token create, list or revoke`);
  }
}

function roleOf(word: string): Role {
  const role = ROLES.find((known) => known === word);
  if (role === undefined) throw new UsageError(`got the role "${word}", expected one of ${ROLES.join(", ")}`);
  return role;
}

function task(run: () => Promise<string>): Command {
  return { kind: "task", run };
}

function expectWords(command: string, words: readonly string[], count: number): void {
  if (words.length !== count) {
    throw new UsageError(`"${command}" takes ${count} words after it, got ${words.length} (see --help)`);
  }
}

function withTokens(config: Config, run: (tokens: TokenStore) => Promise<string>): Promise<string> {
  return audited(config, async (record) => {
    const tokens = await TokenStore.open(config.data_dir, systemClock, (change, token) =>
      record(tokenEntry(change, token)),
    );
    try {
      return await run(tokens);
    } finally {
      await tokens.close();
    }
  });
}

async function openStore(config: Config): Promise<FileConnectionStore> {
  return new FileConnectionStore(
    join(config.data_dir, "connections.json"),
    await SecretBox.open(config.data_dir),
  );
}

import { join } from "node:path";
import { limitsOf, openTargetLink, ownListenersOf, trustSettingsOf } from "../appliance/open-links.ts";
import { openSealer } from "../appliance/open-secrets.ts";
import type { Config } from "../config/config-schema.ts";
import { readUrl } from "../config/load-config.ts";
import { type Connection, makeConnection } from "../desktop/connections/connection.ts";
import { FileConnectionStore } from "../desktop/connections/connection-store.ts";
import { type TestReport, testLink } from "../desktop/connections/connection-test.ts";
import { KnownTargets } from "../desktop/connections/known-targets.ts";
import { guardConnection } from "../desktop/connections/target-guard.ts";
import { LinkError } from "../desktop/error.ts";
import { systemClock } from "../platform/clock.ts";
import { safeText } from "../protocols/rfb/error.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `connections list`, `add`, `test` and `remove`. */
export function connectionsCommand(words: readonly string[], values: Values, config: Config): Command {
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
          await refuseForbidden(connection, config);
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

/** As the appliance will when it connects; what cannot be reached now may be there then. */
async function refuseForbidden(connection: Connection, config: Config): Promise<void> {
  if (connection.protocol === "demo") return;
  try {
    await guardConnection(connection, { ...limitsOf(config), own: ownListenersOf(config) });
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    if (error.code === "target_forbidden") throw new UsageError(error.message);
  }
}

async function testConnection(word: string, config: Config): Promise<string> {
  const stored = (await (await openStore(config)).load()).find(({ id }) => id === word);
  const connection = stored ?? makeConnection(readUrl(word), systemClock.date());
  const { success, steps } = await linkTest(connection, config);
  const lines = steps
    .map(({ name, ok, detail }) => `${ok ? "ok    " : "failed"}  ${name}: ${detail}\n`)
    .join("");
  if (!success) throw new UsageError(lines.trimEnd());
  return lines;
}

/** Shakes hands as an appliance would. */
export async function linkTest(connection: Connection, config: Config): Promise<TestReport> {
  const known = await KnownTargets.open(join(config.data_dir, "known-targets.json"));
  return testLink(
    openTargetLink(connection, ownListenersOf(config), trustSettingsOf(config, known)),
    systemClock,
  );
}

/** Connections that were added while running. */
export async function openStore(config: Config): Promise<FileConnectionStore> {
  return new FileConnectionStore(join(config.data_dir, "connections.json"), await openSealer(config));
}

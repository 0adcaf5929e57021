import { stat } from "node:fs/promises";
import type { Config } from "../config/config-schema.ts";
import { type Connection, makeConnection } from "../desktop/connections/connection.ts";
import { systemClock } from "../platform/clock.ts";
import { type Command, expectWords, task, type Values } from "./command-line.ts";
import { linkTest, openStore } from "./connections-cli.ts";
import {
  checkArchive,
  checkClock,
  checkDataDir,
  checkDisk,
  checkFilmEncoder,
  checkFonts,
  checkModels,
  checkNode,
  checkPorts,
  checkProvider,
  checkPush,
  checkReceivers,
  checkTargets,
  checkTls,
  type Finding,
} from "./doctor-checks.ts";

/** `doctor`: looks at all that an appliance of this configuration needs; the exit status is 1 where anything is wrong. */
export function doctorCommand(words: readonly string[], values: Values, config: Config): Command {
  expectWords("doctor", words, 0);
  return task(async () => {
    const findings = await examine(config);
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    return values.json === true ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(lineOf).join("");
  });
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const connections = [
    ...config.connections.map((input) => makeConnection(input, systemClock.date())),
    ...(await storedConnections(config)),
  ];
  return [
    checkNode(),
    await checkDataDir(config),
    await checkDisk(config),
    await checkClock(config),
    await checkTls(config),
    ...(await checkPorts(config)),
    await checkFonts(),
    await checkModels(config),
    await checkFilmEncoder(config),
    ...(await checkTargets(connections, (connection) => linkTest(connection, config))),
    ...(await checkReceivers(config)),
    ...(await checkArchive(config)),
    ...(await checkPush(config)),
    ...(await checkProvider(config)),
  ];
}

/** None where nothing was ever stored: to look is not to make a data folder. */
async function storedConnections(config: Config): Promise<readonly Connection[]> {
  const store = await stat(`${config.data_dir}/connections.json`).catch(() => null);
  return store === null ? [] : await (await openStore(config)).load();
}

function lineOf({ part, ok, detail, advice }: Finding): string {
  const line = `${ok ? "ok    " : "wrong "}  ${part}: ${detail}\n`;
  return advice === null ? line : `${line}          do: ${advice}\n`;
}

import { readFile } from "node:fs/promises";
import type { EtcdStore } from "../cluster/etcd/etcd-store.ts";
import { systemClock } from "../platform/clock.ts";
import { openLog } from "../platform/log.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/**
 * `cluster check`: proves that an etcd does what a fleet needs of it; the exit status is 1 where it does not. `cluster supervise` is for
 * servers, which start it.
 */
export function clusterCommand(words: readonly string[], values: Values): Command {
  if (words[0] === "supervise") {
    expectWords("cluster supervise", words, 1);
    return task(superviseParent);
  }
  if (words[0] !== "check") throw new UsageError(`got "cluster ${words[0] ?? ""}", expected cluster check`);
  expectWords("cluster check", words, 1);
  return task(async () => {
    // No server that is alone loads any of it.
    const { checkStore } = await import("../cluster/check-store.ts");
    const store = await openStore(values);
    try {
      const findings = await checkStore(store, systemClock);
      if (findings.some(({ isWell }) => !isWell)) process.exitCode = 1;
      return findings
        .map(({ part, isWell, detail }) => `${isWell ? "ok    " : "wrong "}  ${part}: ${detail}\n`)
        .join("");
    } finally {
      await store.close();
    }
  });
}

async function superviseParent(): Promise<string> {
  // Who ends a whole group of processes, as terminals and service managers do, ends the server, and this one goes after it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const { supervise } = await import("../cluster/supervisor/supervise.ts");
  const { EtcdStore } = await import("../cluster/etcd/etcd-store.ts");
  const given = await supervise({
    ...{ input: process.stdin, clock: systemClock, parentPid: () => process.ppid },
    open: (charge) => new EtcdStore({ ...charge, clock: systemClock }),
  });
  if (given !== null && given.ended !== 0) {
    const { charge, ended, tookMs } = given;
    const log = openLog(charge.logLevel);
    if (ended === null) log.error({ tookMs }, "The server died, and its lease could not be given back");
    else log.warn({ tookMs }, "The server died, its lease is given back");
  }
  return "";
}

async function openStore(values: Values): Promise<EtcdStore> {
  const { endpoints, ca, cert, key, login } = values;
  const passwordFile = values["password-file"];
  if (endpoints === undefined || ca === undefined) {
    throw new UsageError("expected --endpoints https://HOST:PORT,… and --ca FILE (see --help)");
  }
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError("expected --cert and --key together");
  if ((login === undefined) !== (passwordFile === undefined)) {
    throw new UsageError("expected --login and --password-file together");
  }
  const { EtcdStore } = await import("../cluster/etcd/etcd-store.ts");
  const { PATIENT } = await import("../cluster/etcd/etcd-servers.ts");
  const read = (path: string): Promise<string> => readFile(path, "utf8");
  return new EtcdStore({
    endpoints: endpoints.split(","),
    tls: {
      ca: await read(ca),
      cert: cert === undefined ? null : await read(cert),
      key: key === undefined ? null : await read(key),
    },
    login:
      login === undefined || passwordFile === undefined
        ? null
        : { name: login, password: (await read(passwordFile)).replace(/\r?\n$/, "") },
    clock: systemClock,
    limits: PATIENT,
  });
}

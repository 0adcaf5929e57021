import { join } from "node:path";
import { startMessage } from "../cli/start-message.ts";
import { isLoopbackHost } from "../config/check-config.ts";
import type { Config } from "../config/config-schema.ts";
import { relayToRunning } from "../mcp/server/control-socket.ts";
import { flushCompileCache } from "../platform/compile-cache.ts";
import { guardCrashFiles } from "../platform/crash-files.ts";
import { HeldLines, type Logger, logOutput, openLog } from "../platform/log.ts";
import { ServiceManager } from "../platform/service-manager.ts";
import { type Appliance, openAppliance, STDIO_PRINCIPAL } from "./appliance.ts";
import { isPortTaken } from "./listen-fault.ts";
import { openNetwork } from "./open-network.ts";

/** How long a clean end may take. */
const CLOSE_MS = 5000;

/** Resolves when it serves, and over stdio when that session ended; signals end the process. */
export async function serve(given: Config): Promise<void> {
  const isInteractive = process.stderr.isTTY === true && !given.isStdio;
  const output = logOutput();
  // On a terminal a person reads how to get in first, or why it does not start last.
  const lines = isInteractive ? new HeldLines((line) => output.write(line)) : null;
  try {
    await begin(given, openLog(given.log.level, lines ?? output), lines);
  } finally {
    lines?.release();
  }
}

async function begin(given: Config, log: Logger, lines: HeldLines | null): Promise<void> {
  process.on("unhandledRejection", (err) => log.error({ err }, "Promise rejected unheard"));
  void guardCrashFiles(given.core_files, log);
  const manager = ServiceManager.take(process.env, process.pid, log);
  const { toolsets } = given.mcp;
  if (given.isStdio && (await relayToRunning(given.data_dir, process.stdin, process.stdout, toolsets))) {
    log.info({ dataDir: given.data_dir }, "MCP session was served by the running server");
    process.exit(0);
  }
  const { config, fingerprint } = await openNetwork(given);
  const isAskedToStop = stopSignal();
  const appliance = await openWithPort(config, log);
  log.info({ url: appliance.url, desktops: appliance.desktops.all.length }, "Appliance serves");
  if (!isLoopbackHost(config.server.host) && config.server.tls_cert === undefined) {
    log.warn({ host: config.server.host }, "Listening beyond loopback without TLS: put a TLS proxy in front");
  }
  process.stderr.write(
    startMessage({
      url: appliance.url,
      fingerprint,
      code: lines === null ? null : appliance.signInCode(),
      agentToken: lines === null ? null : appliance.agentToken,
      adminTokenFile: config.auth.token === undefined ? join(config.data_dir, "admin-token") : null,
      agentTokenFile: join(config.data_dir, "agent-token"),
    }),
  );
  lines?.release();
  await manager?.ready(`Serves ${appliance.url}`);
  flushCompileCache();
  const stop = closer(appliance, log, manager);
  void isAskedToStop.then(stop);
  if (!config.isStdio) return;
  const session = appliance.mcp.serveStdio(process.stdin, process.stdout, STDIO_PRINCIPAL);
  await session.closed;
  stop();
}

/** Listened for before anything is open, so that it never ends half open. A second one of a kind ends it at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // SIGHUP: the terminal was closed.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

/** Beside an MCP client over stdio a taken port is no reason to fail: people find the page in the log. */
async function openWithPort(config: Config, log: Logger): Promise<Appliance> {
  try {
    return await openAppliance(config, log);
  } catch (error) {
    const { host, port } = config.server;
    if (!config.isStdio || !isPortTaken(error, port)) throw error;
    log.warn({ host, port }, "Port in use, taking a free one");
    return openAppliance({ ...config, server: { ...config.server, port: 0 } }, log);
  }
}

function closer(appliance: Appliance, log: Logger, manager: ServiceManager | null): () => void {
  let isClosing = false;
  return () => {
    if (isClosing) return;
    isClosing = true;
    const limit = setTimeout(() => {
      log.error({ limitMs: CLOSE_MS }, "Appliance did not close in time");
      process.exit(1);
    }, CLOSE_MS);
    void manager?.stopping();
    appliance.close().then(
      () => {
        clearTimeout(limit);
        log.info("Appliance stopped");
        process.exit(0);
      },
      (err: unknown) => {
        log.error({ err }, "Appliance did not close cleanly");
        process.exit(1);
      },
    );
  };
}

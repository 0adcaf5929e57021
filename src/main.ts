#!/usr/bin/env node
import { join } from "node:path";
import { type Appliance, isLoopbackHost, openAppliance, STDIO_PRINCIPAL } from "./appliance.ts";
import { isCallersFault, readCommand } from "./cli.ts";
import type { Config } from "./config.ts";
import { RefusedError } from "./desktop/error.ts";
import { type Logger, openLog } from "./log.ts";
import { relayToRunning } from "./mcp/control-socket.ts";
import { startMessage } from "./start-message.ts";

/** How long a clean end may take. */
const CLOSE_MS = 5000;

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2), process.env);
  switch (command.kind) {
    case "print":
      process.stdout.write(command.text);
      break;
    case "task":
      process.stdout.write(await command.run());
      break;
    case "serve":
      await serve(command.config);
      break;
  }
}

async function serve(config: Config): Promise<void> {
  const log = openLog(config.log.level);
  process.on("unhandledRejection", (err) => log.error({ err }, "Promise rejected unheard"));
  if (config.isStdio && (await relayToRunning(config.data_dir, process.stdin, process.stdout))) {
    log.info({ dataDir: config.data_dir }, "Conversation was held by the running server");
    process.exit(0);
  }
  const appliance = await openWithPort(config, log);
  log.info({ url: appliance.url, desktops: appliance.desktops.all.length }, "Appliance serves");
  if (!isLoopbackHost(config.server.host) && config.server.tls_cert === undefined) {
    log.warn({ host: config.server.host }, "Listening beyond loopback without TLS: put a TLS proxy in front");
  }
  const isInteractive = process.stderr.isTTY === true && !config.isStdio;
  process.stderr.write(
    startMessage({
      url: appliance.url,
      code: isInteractive ? appliance.signInCode() : null,
      agentToken: isInteractive ? appliance.agentToken : null,
      adminTokenFile: config.auth.token === undefined ? join(config.data_dir, "admin-token") : null,
      agentTokenFile: join(config.data_dir, "agent-token"),
    }),
  );
  const stop = closer(appliance, log);
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (!config.isStdio) return;
  const conversation = appliance.mcp.serveStdio(process.stdin, process.stdout, STDIO_PRINCIPAL);
  await conversation.closed;
  stop();
}

/** Beside an MCP client over stdio a taken port is no reason to fail: people find the page in the log. */
async function openWithPort(config: Config, log: Logger): Promise<Appliance> {
  try {
    return await openAppliance(config, log);
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    const { host, port } = config.server;
    if (!config.isStdio) {
      throw new RefusedError(
        "invalid_parameters",
        `server.port: ${host}:${port} is in use already: stop what listens there, or choose another with --port (0 takes a free one)`,
        { cause: error },
      );
    }
    log.warn({ host, port }, "Port in use, taking a free one");
    return openAppliance({ ...config, server: { ...config.server, port: 0 } }, log);
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function closer(appliance: Appliance, log: Logger): () => void {
  let isClosing = false;
  return () => {
    if (isClosing) return;
    isClosing = true;
    const limit = setTimeout(() => process.exit(1), CLOSE_MS);
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

main().catch((error: unknown) => {
  const isExpected = isCallersFault(error) || error instanceof RefusedError;
  process.stderr.write(`overlay-companion: ${isExpected ? error.message : stackOf(error)}\n`);
  process.exitCode = 1;
});

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAppliance } from "../../../../src/appliance/appliance.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { openLog } from "../../../../src/platform/log.ts";
import type { Owner } from "../../../support/program.ts";
import { FixtureServer } from "./fixture-server.ts";

/**
 * The whole appliance with its demo desktop and the suite's fixtures, behind a front that adds the token, for the
 * suite has no way to send one. Gives the address of the front's /mcp.
 */
export async function openFixtureHouse(owner: Owner): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-conformance-"));
  const token = randomBytes(24).toString("base64url");
  const env = { OC_TOKEN: token, OC_DATA_DIR: dataDir, OC_PORT: "0", OC_RATE_LIMITS: "off" };
  const sources = { env, flags: {}, file: undefined, connect: [], isDemo: true, isStdio: false };
  const appliance = await openAppliance(
    loadConfig(sources),
    openLog("silent"),
    (info, options) => new FixtureServer(info, options),
  );
  const front = createServer((req, res) => pass(req, res, appliance.url, token));
  // Neither here nor onward is a connection used again in the moment in which its silence ends it: machines are busy.
  front.keepAliveTimeout = 0;
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  owner.teardown(async () => {
    front.closeAllConnections();
    front.close();
    await appliance.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const address = front.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return `http://127.0.0.1:${address.port}/mcp`;
}

/** Everything as it came, Host and Origin too. */
function pass(req: IncomingMessage, res: ServerResponse, target: string, token: string): void {
  const { method, url = "/", headers } = req;
  const options = {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    agent: false,
  } as const;
  const onward = request(new URL(url, target), options, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    res.flushHeaders();
    answer.pipe(res);
  });
  onward.once("error", () => res.destroy());
  res.once("close", () => onward.destroy());
  req.pipe(onward);
}

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { judgeServer, outage, SINKS, temporaryFolder } from "./outage-house.ts";
import { fillDisk, mountSmallDisk } from "./outage-server.ts";

t.test(
  "a full disk, on which receivers come back and the server is killed",
  { timeout: 900_000 },
  async (t) => {
    if (!requirePeers(t, ["rsyslogd"])) return;
    const disk = temporaryFolder(t);
    if (!mountSmallDisk(t, disk)) return;
    const dataDir = join(disk, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const { receivers, server, setAll, settle } = await outage(t, SINKS, dataDir);
    await server.act(5);
    await settle();

    // Receivers take what waits while no cursor can be written.
    await setAll("refuse");
    await server.act(10);
    const empty = fillDisk(disk);
    await server.act(30);
    t.ok(server.refused > 0, `${server.refused} changes were refused`);
    const health = z.object({ reason: z.string() }).parse(await (await server.fetch("/health")).json());
    t.equal(health.reason, "audit_down");
    await setAll("pass");
    await settle();

    await server.kill();
    empty();
    await server.restart();
    const { refused } = server;
    await server.act(5);
    t.equal(server.refused, refused, "changes are done again once there is room");
    await settle();

    // And room that comes back while it runs.
    const emptyAgain = fillDisk(disk);
    await server.act(30);
    t.ok(server.refused > refused);
    emptyAgain();
    await until("changes to be done again", async () => {
      const { done } = server;
      await server.act(1);
      return server.done > done;
    });
    judgeServer(t, server, await settle(), receivers);
  },
);

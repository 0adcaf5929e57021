import { createServer, type Server } from "node:http";
import t from "tap";
import { serveFleet } from "../../../src/appliance/fleet/serve-fleet.ts";
import { ConfigError } from "../../../src/config/config-schema.ts";
import type { OwnListener } from "../../../src/desktop/connections/target-guard.ts";
import { CallingNodes } from "../../cluster/calls/calling-nodes.ts";
import { requirePeers } from "../../e2e/harness/peers.ts";
import { freePort } from "../../support/free-port.ts";

if (requirePeers(t, ["openssl"])) {
  t.test(
    "where calls are taken is no target, and a port that cannot be had is said by its key",
    async (t) => {
      const nodes = await CallingNodes.open(t);
      const app = createServer();
      const serve = async (calls: string, own: OwnListener[]): Promise<void> => {
        const port = Number(calls.slice(calls.lastIndexOf(":") + 1));
        const node = await nodes.node("a", "a", port);
        const fleet = {
          calls: node.calls,
          serve: async (_: unknown, _url: string, to: Server) => void (await node.listen(to)),
        };
        const desktops = { take: () => undefined, release: () => undefined };
        await serveFleet(
          fleet,
          { calls, address: undefined },
          { desktops, url: "http://127.0.0.1:1", app, own },
        );
      };
      const own: OwnListener[] = [];
      await serve("127.0.0.1:0", own);
      t.match(own, [{ port: /^[1-9]\d+$/ }]);
      const port = await freePort();
      const taken = createServer().listen(port, "127.0.0.1");
      t.teardown(() => taken.close());
      await new Promise((resolve) => taken.once("listening", resolve));
      const error = await serve(`127.0.0.1:${port}`, own).catch((cause: unknown) => cause);
      t.ok(error instanceof ConfigError);
      t.match(error, { message: new RegExp(`^cluster\\.calls: 127\\.0\\.0\\.1:${port} is in use already`) });
      t.match(own[1], { port });
    },
  );
}

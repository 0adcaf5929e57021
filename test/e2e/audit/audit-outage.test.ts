import t from "tap";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { judgeServer, outage, SETTLE_MS, SINKS, temporaryFolder } from "./outage-house.ts";

// The log is sent to receivers behind proxies that fail, and the server is killed: no line is lost, and a line that comes
// again comes with the number and text of the first.

for (const sink of SINKS) {
  t.test(`${sink.name}: outages and kill -9`, { timeout: 900_000 }, async (t) => {
    if (!requirePeers(t, sink.peers)) return;
    const { receivers, server, setAll, settle, meet } = await outage(t, [sink], temporaryFolder(t));
    const countHad = (): number => receivers.reduce((sum, { lines }) => sum + lines().length, 0);
    await server.act(5);
    await settle();

    // Killed while the receiver is down.
    await setAll("refuse");
    await server.act(20);
    await server.kill();
    await server.restart();
    await server.act(20);
    await setAll("pass");
    await settle();

    for (const fault of ["request", "answer", "silent"] as const) {
      await meet(fault);
      await setAll("pass");
      await settle();
    }

    // Killed when the receiver has lines whose receipt did not come.
    const before = countHad();
    await meet("answer");
    await until("lines without a receipt", () => countHad() > before, SETTLE_MS);
    await server.kill();
    await setAll("pass");
    await server.restart();
    await settle();
    t.ok(countHad() > server.log().length, "some lines came twice");
    judgeServer(t, server, receivers);
  });
}

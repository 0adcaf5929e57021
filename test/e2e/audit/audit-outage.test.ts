import t from "tap";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { judgeServer, outage, SETTLE_MS, SINKS, temporaryFolder } from "./outage-house.ts";
import { seqOf } from "./outage-server.ts";

// The log is sent to receivers behind proxies that fail, and the server is killed: no line is lost, and a line that comes
// again comes with the number and text of the first.

t.test("outages of HTTP, OTLP and syslog receivers, and kill -9", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["rsyslogd"])) return;
  const { receivers, server, setAll, settle, meet } = await outage(t, SINKS, temporaryFolder(t));
  const had = (): number[] => receivers.map(({ lines }) => lines().length);
  await server.act(5);
  await settle();

  // Killed while the receivers are down.
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

  // Killed when each has lines whose receipt did not come.
  const before = had();
  await meet("answer");
  await until(
    "lines without a receipt",
    () => had().every((count, nth) => count > (before[nth] ?? 0)),
    SETTLE_MS,
  );
  await server.kill();
  await setAll("pass");
  await server.restart();
  const log = await settle();
  for (const { name, lines } of receivers) {
    const had = lines();
    t.ok(had.length > new Set(had.map(seqOf)).size, `${name}: some lines came twice`);
  }
  judgeServer(t, server, log, receivers);
});

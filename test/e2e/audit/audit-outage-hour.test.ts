import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { HttpReceiver } from "../../../src/audit/forward/http-receiver.ts";
import { OtlpReceiver } from "../../../src/audit/forward/otlp-receiver.ts";
import { SyslogReceiver } from "../../../src/audit/forward/syslog-receiver.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { forwarded, sendAnywhere } from "../../audit/forward-house.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { type Fault, FaultProxy } from "./fault-proxy.ts";
import { hasAll, judge, SETTLE_MS, SINKS, temporaryFolder } from "./outage-house.ts";
import type { SinkReceiver } from "./sink-receivers.ts";

t.test("an hour in which each receiver fails in every way", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["rsyslogd"])) return;
  const dir = temporaryFolder(t);
  const lines = (): string[] => readFileSync(join(dir, "audit.ndjson"), "utf8").trimEnd().split("\n");
  const receivers: SinkReceiver[] = [];
  const proxies: FaultProxy[] = [];
  for (const sink of SINKS) {
    const receiver = await sink.open(t);
    receivers.push(receiver);
    proxies.push(await FaultProxy.open(t, receiver.port));
  }
  const [http, otlp, syslog] = proxies.map(({ port }) => port);
  const endpoint = `http://127.0.0.1:${http}/`;
  // Their connections take real time; when they are tried again a clock says that the test moves.
  const [first, ...others] = [
    await forwarded(t, dir, new HttpReceiver({ endpoint, apiKey: null, send: sendAnywhere })),
    await forwarded(t, dir, new OtlpReceiver(`http://127.0.0.1:${otlp}`, null, "1", sendAnywhere)),
    await forwarded(
      t,
      dir,
      new SyslogReceiver({
        ...{ host: "127.0.0.1", port: syslog ?? 0, tls: null, clock: systemClock },
        judge: async (address) => ({ address }),
      }),
    ),
  ];
  if (first === undefined) throw new Error("no forwarder");
  const all = [first, ...others];
  const minute = async (): Promise<void> => {
    for (const { forwarder } of all) forwarder.written();
    await Promise.all(all.map(({ pass }) => pass(60_000, 60_000)));
  };
  await first.write(10);
  await minute();
  for (let nth = 0; nth < 60; nth++) {
    const fault: Fault =
      nth === 30 ? "silent" : ((["refuse", "request", "answer"] as const)[nth % 3] ?? "refuse");
    for (const proxy of proxies) await proxy.set(fault);
    await first.write(20);
    await minute();
  }
  for (const { counts } of proxies)
    for (const fault of ["request", "answer", "silent"] as const) t.ok(counts.get(fault), fault);
  for (const { forwarder } of all) t.notOk(forwarder.state.isWorking, "nothing was had in that hour");
  for (const proxy of proxies) await proxy.set("pass");
  await until(
    "every receiver to have all lines",
    async () => {
      await minute();
      return receivers.every((receiver) => hasAll(receiver, lines()));
    },
    SETTLE_MS,
  );
  t.equal(lines().length, 1210);
  judge(t, lines(), receivers);
  for (const { told } of all) t.same(told, [false, true], "told once that it fails, and once that it works");
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { type Fault, FaultProxy } from "./fault-proxy.ts";
import { lineSchema, OutageServer, seqOf } from "./outage-server.ts";
import { openPostReceiver, openRsyslog, type SinkReceiver } from "./sink-receivers.ts";

// The built server sends its log to a receiver behind a proxy that fails, is killed, and has no room on its disk: no line
// is lost, and a line that comes twice comes with the same number and text.

const SETTLE_MS = 180_000;

const SINKS = [
  {
    name: "http",
    peers: [],
    open: (t: Test) => openPostReceiver(t, "http"),
    env: (port: number) => ({ AUDIT_HTTP_ENDPOINT: `http://127.0.0.1:${port}/ingest` }),
  },
  {
    name: "otlp",
    peers: [],
    open: (t: Test) => openPostReceiver(t, "otlp"),
    env: (port: number) => ({ AUDIT_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }),
  },
  {
    name: "syslog",
    peers: ["rsyslogd"],
    open: (t: Test) => openRsyslog(t, t.testdir(), null),
    env: (port: number) => ({ AUDIT_SYSLOG_ENDPOINT: `tcp://127.0.0.1:${port}` }),
  },
] as const;

/** A server whose log goes to one receiver behind a proxy. */
async function outage(t: Test, sink: (typeof SINKS)[number], dataDir: string) {
  const receiver: SinkReceiver = await sink.open(t);
  const proxy = await FaultProxy.open(t, receiver.port);
  const server = await OutageServer.start(t, dataDir, sink.env(proxy.port));
  const settle = (): Promise<boolean> =>
    until(
      `${sink.name} to have all lines`,
      () => {
        const had = new Set(receiver.lines().map(seqOf));
        return server.log().every((line) => had.has(seqOf(line)));
      },
      SETTLE_MS,
    );
  /** The next connections meet this fault: resolves when one has. */
  const meet = async (fault: Fault): Promise<void> => {
    const before = proxy.counts.get(fault) ?? 0;
    await proxy.set(fault);
    await server.act(3);
    await until(`a connection that meets ${fault}`, () => (proxy.counts.get(fault) ?? 0) > before, SETTLE_MS);
  };
  return { receiver, proxy, server, settle, meet };
}

/** Every line of the log was received, each time with the text that stands in the log. */
function judge(t: Test, server: OutageServer, { lines, name }: SinkReceiver): void {
  const log = server.log();
  const events = log.map((line) => lineSchema.parse(JSON.parse(line)));
  t.doesNotThrow(() => server.verify(), "audit verify finds no fault");
  t.same(
    events.map(({ chain }) => chain.seq),
    log.map((_, nth) => nth + 1),
    "no number is missing in the log",
  );
  t.notOk(
    events.some(({ event_type }) => event_type === "audit.gap"),
    "nothing was dropped",
  );
  const asked = events.filter(({ event_type }) => event_type === "change.requested").length;
  t.ok(asked >= server.done, `${server.done} changes were answered with 200, ${asked} are in the log`);
  const had = lines();
  const bySeq = new Map(log.map((line) => [seqOf(line), line]));
  t.equal(new Set(had.map(seqOf)).size, log.length, `${name}: 0 lost of ${log.length}`);
  t.equal(
    had.filter((line) => bySeq.get(seqOf(line)) !== line).length,
    0,
    `${name}: ${had.length - log.length} came twice, each with the number and text of the first`,
  );
  t.equal(new Set(events.map(({ event_id }) => event_id)).size, log.length, "no two lines share an id");
}

for (const sink of SINKS) {
  t.test(`${sink.name}: outages and kill -9`, { timeout: 900_000 }, async (t) => {
    if (!requirePeers(t, sink.peers)) return;
    const dataDir = mkdtempSync(join(tmpdir(), "oc-outage-"));
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    const { receiver, proxy, server, settle, meet } = await outage(t, sink, dataDir);
    await server.act(5);
    await settle();

    // Killed while the receiver is down.
    await proxy.set("refuse");
    await server.act(20);
    await server.kill();
    await server.restart();
    await server.act(20);
    await proxy.set("pass");
    await settle();

    for (const fault of ["request", "answer", "silent"] as const) {
      await meet(fault);
      await proxy.set("pass");
      await settle();
    }

    // Killed when the receiver has lines whose receipt did not come.
    const before = receiver.lines().length;
    await meet("answer");
    await until("lines without a receipt", () => receiver.lines().length > before, SETTLE_MS);
    await server.kill();
    await proxy.set("pass");
    await server.restart();
    await settle();
    t.ok(receiver.lines().length > server.log().length, "some lines came twice");
    judge(t, server, receiver);
  });
}

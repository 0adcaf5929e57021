import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { until } from "../../support/until.ts";
import { type Fault, FaultProxy } from "./fault-proxy.ts";
import { lineSchema, OutageServer, seqOf } from "./outage-server.ts";
import { openPostReceiver, openRsyslog, type SinkReceiver } from "./sink-receivers.ts";

export const SETTLE_MS = 180_000;

export const SINKS = [
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
    open: (t: Test) => openRsyslog(t, t.testdir()),
    env: (port: number) => ({ AUDIT_SYSLOG_ENDPOINT: `tcp://127.0.0.1:${port}` }),
  },
] as const;

type Sink = (typeof SINKS)[number];

/** Whether it has every line of a log. */
export function hasAll({ lines }: SinkReceiver, log: readonly string[]): boolean {
  const had = new Set(lines().map(seqOf));
  return log.every((line) => had.has(seqOf(line)));
}

/** A server whose log goes to receivers, each behind a proxy of its own. */
export async function outage(t: Test, sinks: readonly Sink[], dataDir: string) {
  const receivers: SinkReceiver[] = [];
  const proxies: FaultProxy[] = [];
  const env: Record<string, string> = {};
  for (const sink of sinks) {
    const receiver = await sink.open(t);
    const proxy = await FaultProxy.open(t, receiver.port);
    receivers.push(receiver);
    proxies.push(proxy);
    Object.assign(env, sink.env(proxy.port));
  }
  const server = await OutageServer.start(t, dataDir, env);
  const setAll = (fault: Fault) => Promise.all(proxies.map((proxy) => proxy.set(fault)));
  /** Resolves with the log once every receiver has all of it; the server may write more at any time. */
  const settle = (): Promise<string[]> =>
    until(
      "every receiver to have all lines",
      () => {
        const log = server.log();
        return receivers.every((receiver) => hasAll(receiver, log)) ? log : null;
      },
      SETTLE_MS,
    );
  /** Resolves when connections to all of them have met this fault. */
  const meet = async (fault: Fault): Promise<void> => {
    const before = proxies.map(({ counts }) => counts.get(fault) ?? 0);
    await setAll(fault);
    await server.act(3);
    const hasMet = ({ counts }: FaultProxy, nth: number): boolean =>
      (counts.get(fault) ?? 0) > (before[nth] ?? 0);
    await until(`connections that meet ${fault}`, () => proxies.every(hasMet), SETTLE_MS);
  };
  return { receivers, server, setAll, settle, meet };
}

/**
 * Every line of the log was received, each time with the text that stands in the log. `later` reads the log after the
 * receivers were looked at: a server that runs may have written and sent more by then.
 */
export function judge(
  t: Test,
  log: readonly string[],
  receivers: readonly SinkReceiver[],
  later: () => readonly string[] = () => log,
): void {
  const events = log.map((line) => lineSchema.parse(JSON.parse(line)));
  t.same(
    events.map(({ chain }) => chain.seq),
    log.map((_, nth) => nth + 1),
    "no number is missing in the log",
  );
  t.equal(new Set(events.map(({ event_id }) => event_id)).size, log.length, "no two lines share an id");
  t.notOk(
    events.some(({ event_type }) => event_type === "audit.gap"),
    "nothing was dropped",
  );
  for (const { name, lines } of receivers) {
    const had = lines();
    const numbers = new Set(had.map(seqOf));
    const lost = log.filter((line) => !numbers.has(seqOf(line)));
    t.same(lost, [], `${name}: 0 lost of ${log.length}`);
    const bySeq = new Map(later().map((line) => [seqOf(line), line]));
    const others = had.filter((line) => bySeq.get(seqOf(line)) !== line);
    const twice = had.length - numbers.size;
    t.equal(others.length, 0, `${name}: ${twice} came again, each with the number and text of the first`);
  }
}

/** What `judge` says of this log, and that every change that was answered with 200 is in a log that holds. */
export function judgeServer(
  t: Test,
  server: OutageServer,
  log: readonly string[],
  receivers: readonly SinkReceiver[],
): void {
  judge(t, log, receivers, () => server.log());
  t.doesNotThrow(() => server.verify(), "audit verify finds no fault");
  const asked = log.filter((line) => line.includes('"event_type":"change.requested"')).length;
  t.ok(asked >= server.done, `${server.done} changes were answered with 200, ${asked} are in the log`);
}

export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "oc-outage-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

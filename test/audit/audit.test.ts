import { execFile } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { Audit, openAuditSink } from "../../src/audit/audit.ts";
import type { AuditEvent } from "../../src/audit/audit-event.ts";
import { auditEventSchema } from "../../src/audit/audit-event.ts";
import { ChainedFile } from "../../src/audit/chained-file.ts";
import type { AuditSink } from "../../src/audit/sink.ts";
import { StreamSink } from "../../src/audit/sink.ts";
import { FakeClock } from "../fake-clock.ts";
import { fileSink, NEVER, verified } from "./file-sink.ts";

const lines = z.array(auditEventSchema);

function eventsOf(text: string): AuditEvent[] {
  t.match(text, /\n$/);
  return lines.parse(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

/** Keeps what it is given, and fails while told to. */
class FakeSink implements AuditSink {
  text = "";
  isBroken = false;
  writes = 0;

  async write(events: readonly AuditEvent[]): Promise<void> {
    this.writes += 1;
    if (this.isBroken) throw new Error("no space left on device");
    for (const event of events) this.text += `${JSON.stringify(event)}\n`;
  }

  async close(): Promise<void> {}
}

t.test("events become lines of the model, with nothing unnamed in them", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const audit = new Audit({ sink: await fileSink(dirname(path)), clock: new FakeClock(), version: "1" });
  const actor = { id: "1", name: "Ann", kind: "human", role: "admin", ip: "127.0.0.1", token: "SECRET" };
  audit.record({ type: "auth.login", actor });
  audit.record({
    type: "input.performed",
    action: "type",
    resource: { kind: "desktop", id: "d" },
    errorCode: "stopped",
    durationMs: 12.345,
    request: { method: "POST", path: "/x/:id", id: "r1" },
    mcp: { transport: "http", tool: "type_text" },
    counts: { characters: 5 },
  });
  await audit.close();
  const text = readFileSync(path, "utf8");
  t.notOk(text.includes("SECRET"));
  t.match(eventsOf(text), [
    {
      timestamp: "2026-11-21T00:00:00.000Z",
      event_type: "auth.login",
      severity: "info",
      actor: { user_id: "1", name: "Ann", kind: "human", roles: ["admin"], ip: "127.0.0.1" },
      outcome: "success",
      error_code: null,
    },
    {
      severity: "warning",
      outcome: "failure",
      error_code: "stopped",
      latency_ms: 12.3,
      request: { method: "POST", path: "/x/:id", query_redacted: true, request_id: "r1" },
      mcp: { server: "node", transport: "http", tool: "type_text" },
      counts: { characters: 5 },
    },
  ]);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test("a name with line ends cannot forge a line, and a long one is cut", async (t) => {
  const sink = new FakeSink();
  const audit = new Audit({ sink, clock: new FakeClock(), version: "1" });
  audit.record({
    type: "auth.login",
    actor: { id: "1", name: `a\n{"x":1}\u2028${"y".repeat(9999)}`, kind: "human" },
  });
  await audit.flush();
  const [event, ...others] = eventsOf(sink.text);
  t.strictSame(others, []);
  t.equal(event?.actor?.name.length, 512);
});

t.test("what a full queue could not keep is told with its exact number", async (t) => {
  const clock = new FakeClock();
  const sink = new FakeSink();
  const changes: boolean[] = [];
  const onSinkChange = (isWorking: boolean): number => changes.push(isWorking);
  const audit = new Audit({ sink, clock, version: "1", maxWaiting: 3, onSinkChange });
  sink.isBroken = true;
  for (let n = 0; n < 10; n++) audit.record({ type: "auth.failed" });
  await audit.flush();
  sink.isBroken = false;
  clock.advance(500);
  await audit.flush();
  t.match(
    eventsOf(sink.text).map(({ event_type, counts }) => [event_type, counts?.["dropped"]]),
    [["auth.failed"], ["auth.failed"], ["auth.failed"], ["audit.gap", 7]],
  );
  t.strictSame(changes, [false, true]);
});

t.test("a failing sink is tried again with growing waits, not at each event", async (t) => {
  const clock = new FakeClock();
  const sink = new FakeSink();
  sink.isBroken = true;
  const audit = new Audit({ sink, clock, version: "1" });
  audit.record({ type: "auth.failed" });
  await audit.flush();
  for (let n = 0; n < 50; n++) audit.record({ type: "auth.failed" });
  t.equal(sink.writes, 1);
  clock.advance(499);
  t.equal(sink.writes, 1);
  clock.advance(1);
  await audit.flush();
  t.equal(sink.writes, 2);
  clock.advance(999);
  t.equal(sink.writes, 2);
});

t.test("a burst is written in few writes", async (t) => {
  const sink = new FakeSink();
  const audit = new Audit({ sink, clock: new FakeClock(), version: "1" });
  for (let n = 0; n < 1000; n++) audit.record({ type: "viewer.joined" });
  await audit.close();
  t.equal(eventsOf(sink.text).length, 1000);
  t.ok(sink.writes <= 3, `${sink.writes} writes`);
});

t.test(
  "closing waits for a stuck sink no longer than five seconds, and nothing is recorded after",
  async (t) => {
    const clock = new FakeClock();
    const written: string[] = [];
    const stuck = new Writable({ write: (chunk) => written.push(String(chunk)) });
    const audit = new Audit({ sink: new StreamSink(stuck), clock, version: "1" });
    audit.record({ type: "audit.started" });
    let isClosed = false;
    const closing = audit.close().then(() => {
      isClosed = true;
    });
    clock.advance(4999);
    await Promise.resolve();
    t.equal(isClosed, false);
    clock.advance(1);
    await closing;
    audit.record({ type: "auth.login" });
    await audit.close();
    t.equal(written.length, 1);
  },
);

t.test("each event says of which installation it is, whose, and where in the caller's trace", async (t) => {
  const sink = new FakeSink();
  const labels = { version: "1", deployment: "production", tenant: "acme" };
  const audit = new Audit({ sink, clock: new FakeClock(), ...labels });
  const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true };
  audit.record({ type: "auth.login", request: { method: "POST", path: "/x", id: "r1", trace } });
  audit.record({ type: "auth.logout", request: { method: "POST", path: "/x", id: "r2", trace: null } });
  await audit.close();
  t.same(
    eventsOf(sink.text).map(({ meta }) => meta),
    [{ ...labels, trace_id: trace.traceId, span_id: trace.spanId }, labels],
  );
  const dir = t.testdir();
  const place = { dataDir: dir, isStdoutTaken: true, key: null, rotation: NEVER, clock: new FakeClock() };
  const file = await openAuditSink("file", { ...place, labels });
  const checked = new Audit({ sink: file, clock: new FakeClock(), hasCheckpoints: true, ...labels });
  checked.record({ type: "auth.login" });
  await checked.close();
  const kept = eventsOf(readFileSync(join(dir, "audit.ndjson"), "utf8"));
  t.match(
    kept.map(({ event_type, meta: { tenant } }) => `${event_type} ${tenant}`),
    ["auth.login acme", "audit.checkpoint acme"],
    "what the file itself tells, too",
  );
});

t.test("stdout means stderr where stdout belongs to MCP, and off means nothing", async (t) => {
  const place = {
    ...{ dataDir: t.testdir(), isStdoutTaken: true, key: null, rotation: NEVER },
    ...{ clock: new FakeClock(), labels: { version: "1" } },
  };
  t.strictSame(await openAuditSink("stdout", place), new StreamSink(process.stderr));
  t.ok((await openAuditSink("file", place)) instanceof ChainedFile);
  t.equal(await openAuditSink("off", place), null);
  const audit = new Audit({ sink: null, clock: new FakeClock(), version: "1" });
  audit.record({ type: "audit.started" });
  await audit.close();
});

t.test("after the file was removed or rotated away, lines go to a new one of that name", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const audit = new Audit({ sink: await fileSink(dirname(path)), clock: new FakeClock(), version: "1" });
  const types = (file: string): string[] =>
    eventsOf(readFileSync(file, "utf8")).map(({ event_type }) => event_type);
  audit.record({ type: "audit.started" });
  await audit.flush();
  renameSync(path, `${path}.1`);
  audit.record({ type: "auth.login" });
  await audit.flush();
  t.strictSame([types(`${path}.1`), types(path)], [["audit.started"], ["auth.login"]]);
  rmSync(path);
  audit.record({ type: "auth.logout" });
  await audit.flush();
  t.strictSame(types(path), ["auth.logout"]);
  t.equal(statSync(path).mode & 0o777, 0o600);
  await audit.close();
});

t.test("who must be written down first is told when it is, and when it cannot be", async (t) => {
  const sink = new FakeSink();
  const clock = new FakeClock();
  const audit = new Audit({ sink, clock, version: "1" });
  await audit.secured();
  t.equal(sink.writes, 0, "nothing was recorded");
  audit.record({ type: "mcp.tool_call" });
  await audit.secured();
  t.equal(eventsOf(sink.text).length, 1);
  t.equal(audit.isWorking, true);
  sink.isBroken = true;
  audit.record({ type: "mcp.tool_call" });
  await t.rejects(audit.secured(), { code: "audit_down" });
  t.equal(audit.isWorking, false);
  await t.rejects(audit.secured(), { code: "audit_down" }, "what was recorded before is not written either");
  sink.isBroken = false;
  await audit.secured();
  t.equal(eventsOf(sink.text).length, 2, "tried again at once, not after the wait");
  t.equal(audit.isWorking, true);
});

t.test("what a full queue did not take is not secured", async (t) => {
  const sink = new FakeSink();
  sink.isBroken = true;
  const audit = new Audit({ sink, clock: new FakeClock(), version: "1", maxWaiting: 1 });
  audit.record({ type: "auth.failed" });
  await t.rejects(audit.secured(), { code: "audit_down" });
  sink.isBroken = false;
  audit.record({ type: "mcp.tool_call" });
  await t.rejects(audit.secured(), { code: "audit_down" }, "it was dropped");
  await audit.flush();
  audit.record({ type: "mcp.tool_call" });
  await audit.secured();
  t.strictSame(
    eventsOf(sink.text).map(({ event_type }) => event_type),
    ["auth.failed", "audit.gap", "mcp.tool_call"],
  );
});

t.test("a sink that never answers secures nothing", async (t) => {
  const clock = new FakeClock();
  const stuck = new Writable({ write: () => undefined });
  const audit = new Audit({ sink: new StreamSink(stuck), clock, version: "1" });
  audit.record({ type: "mcp.tool_call" });
  const secured = t.rejects(audit.secured(), { code: "audit_down" });
  clock.advance(5000);
  await secured;
});

t.test(
  "a full disk is told to who must be written down first",
  { skip: existsSync("/dev/full") ? false : "no /dev/full here" },
  async (t) => {
    const dir = t.testdir();
    symlinkSync("/dev/full", join(dir, "audit.ndjson"));
    const audit = new Audit({ sink: await fileSink(dir), clock: new FakeClock(), version: "1" });
    audit.record({ type: "mcp.tool_call" });
    await t.rejects(audit.secured(), { code: "audit_down" });
    t.equal(audit.isWorking, false);
    await audit.close();
  },
);

t.test("a line that the disk takes half of is cut off again, and what it tells of is refused", async (t) => {
  const path = join(t.testdir(), "audit.ndjson");
  const scenario = fileURLToPath(new URL("short-write-scenario.ts", import.meta.url));
  // Of 8 KiB a file may have here the kernel takes what fits of a write, and refuses the rest.
  const shell = 'ulimit -f 8; exec "$@"';
  const { stdout } = await promisify(execFile)(
    "/bin/bash",
    ["-c", shell, "bash", process.execPath, "--import=tsx", scenario, path],
    { env: { ...process.env, TSX_DISABLE_CACHE: "1" } },
  );
  const told = shortWriteSchema.parse(JSON.parse(stdout));
  t.match(told, { code: "audit_down", isWorking: false });
  t.ok(told.secured > 5, `${told.secured} events fit`);
  t.ok(told.size < 8192, "what was begun is gone");
  t.ok(told.size > 8192 - 2 * (told.size / told.secured), "the limit was reached within a line");
  t.ok(told.text.endsWith("\n"));
  const lines = told.text.trimEnd().split("\n");
  t.equal(lines.length, told.secured, "each that was secured, and no other");
  t.doesNotThrow(() => lines.map((line): unknown => JSON.parse(line)));

  const audit = new Audit({ sink: await fileSink(dirname(path)), clock: new FakeClock(), version: "1" });
  audit.record({ type: "mcp.tool_call" });
  await audit.secured();
  await audit.close();
  t.equal(readFileSync(path, "utf8").trimEnd().split("\n").length, told.secured + 1, "and it goes on");
  t.match(await verified(dirname(path)), { fault: null, lines: told.secured + 1, notes: [] });
});

const shortWriteSchema = z.object({
  ...{ secured: z.int(), code: z.string(), size: z.int(), text: z.string(), isWorking: z.boolean() },
});

t.test("checkpoints come a minute after the first event, after a thousand, and at the end", async (t) => {
  const sink = new FakeSink();
  const clock = new FakeClock();
  const audit = new Audit({ sink, clock, version: "1", hasCheckpoints: true });
  const checkpoints = () =>
    eventsOf(sink.text).flatMap(({ event_type, counts }) =>
      event_type === "audit.checkpoint" ? [counts?.["events"]] : [],
    );
  t.equal(clock.waiting, 0, "nothing is timed while nothing happens");
  audit.record({ type: "auth.login" });
  clock.advance(30_000);
  audit.record({ type: "auth.login" });
  await audit.flush();
  t.strictSame(checkpoints(), []);
  clock.advance(30_000);
  await audit.flush();
  t.strictSame(checkpoints(), [2]);
  t.equal(clock.waiting, 0);
  for (let n = 0; n < 2001; n++) audit.record({ type: "viewer.joined" });
  await audit.close();
  t.strictSame(checkpoints(), [2, 1000, 1000, 1]);
  t.equal(clock.waiting, 0);
});

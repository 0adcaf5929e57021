import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import type { AuditType } from "../../src/audit/audit-event.ts";
import { auditEventSchema } from "../../src/audit/audit-event.ts";
import type { ChainedFile } from "../../src/audit/chained-file.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { FakeClock } from "../fake-clock.ts";
import { eventOf, fileSink, verified } from "./file-sink.ts";

async function write(sink: ChainedFile, ...types: readonly AuditType[]): Promise<void> {
  await sink.write(types.map((type) => eventOf({ type })));
}

/** Types of the lines of a file with their numbers: "3 auth.login". */
function told(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes('"mac"'))
    .map((line) => {
      const { chain, event_type, action } = auditEventSchema.parse(JSON.parse(line));
      return `${chain?.seq} ${event_type}${action === null ? "" : ` ${action}`}`;
    });
}

t.test("lines are numbered and chained through restarts", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  for (const type of ["audit.started", "auth.login"] as const) {
    const sink = await fileSink(dir);
    await write(sink, type, "viewer.joined");
    await sink.close();
  }
  t.strictSame(told(path), ["1 audit.started", "2 viewer.joined", "3 auth.login", "4 viewer.joined"]);
  t.match(await verified(dir), { fault: null, lines: 4, lastSeq: 4, notes: [] });
  for (const name of ["audit.ndjson", "audit.head", "audit.key"]) {
    t.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
  }
  t.notOk(existsSync(join(dir, "audit.lock")));
});

t.test("checkpoints are signed", async (t) => {
  const dir = t.testdir();
  const sink = await fileSink(dir);
  await write(sink, "auth.login", "audit.checkpoint", "auth.logout");
  await sink.close();
  t.match(await verified(dir), { fault: null, checkpoints: 1 });
});

t.test("half a line of a killed process stays, is told, and cannot be changed either", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const sink = await fileSink(dir);
  await write(sink, "auth.login");
  await sink.close();
  appendFileSync(path, '{"event_id":"cut');
  t.match(await verified(dir), { fault: { kind: "half", line: 2 } });
  const next = await fileSink(dir);
  await write(next, "auth.logout");
  await next.close();
  t.strictSame(told(path), ["1 auth.login", "2 audit.break half_line", "3 auth.logout"]);
  t.match(await verified(dir), { fault: null, lines: 3, notes: [/:3: half a line before it/] });
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("cut", "put"));
  t.match(await verified(dir), { fault: { line: 2 } });
  writeFileSync(path, text.replace('{"event_id":"cut\n', ""));
  t.match(await verified(dir), { fault: { kind: "missing", line: 2 } });
});

t.test("a line whose writer was killed before it wrote the head is gone on from", async (t) => {
  const dir = t.testdir();
  const head = join(dir, "audit.head");
  const first = await fileSink(dir);
  await write(first, "auth.login");
  await first.close();
  const old = readFileSync(head);
  const sink = await fileSink(dir);
  await write(sink, "auth.logout");
  await sink.close();
  writeFileSync(head, old);
  t.match(await verified(dir), { fault: null, lines: 2 });
  const next = await fileSink(dir);
  await write(next, "audit.started");
  await next.close();
  t.match(await verified(dir), { fault: null, lines: 3, notes: [] });
});

t.test("lines cut off the end are missed, and the chain goes on and tells of it", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const sink = await fileSink(dir);
  await write(sink, "auth.login");
  const { size } = statSync(path);
  await write(sink, "mcp.tool_call", "mcp.tool_result");
  await sink.close();
  truncateSync(path, size);
  t.match(await verified(dir), {
    fault: { kind: "missing", line: 1, message: "lines 2 to 3 are missing after this one" },
  });
  await write(sink, "auth.logout");
  await sink.close();
  t.strictSame(told(path), ["1 auth.login", "4 audit.break lines_missing", "5 auth.logout"]);
  t.match(await verified(dir), {
    fault: { kind: "missing", line: 2, message: "lines 2 to 3 are missing before this one" },
  });
});

t.test("without its head a log proves nothing of its end, before and after it goes on", async (t) => {
  const dir = t.testdir();
  const head = join(dir, "audit.head");
  const sink = await fileSink(dir);
  await write(sink, "auth.login", "auth.logout");
  await sink.close();
  const old = readFileSync(head, "utf8");
  writeFileSync(head, old.replace("2 ", "1 "));
  t.match(await verified(dir), { fault: { kind: "unproven", message: /not as it was written/ } });
  rmSync(head);
  t.match(await verified(dir), { fault: { kind: "unproven", message: /audit\.head is missing/ } });
  const next = await fileSink(dir);
  await write(next, "auth.login");
  await next.close();
  t.match(await verified(dir), { fault: { kind: "unproven", line: 3 } });
});

t.test("what others rotate is found again; what they deleted is missed", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const sink = await fileSink(dir);
  await write(sink, "audit.started");
  renameSync(path, `${path}.1`);
  await write(sink, "auth.login");
  await sink.close();
  t.strictSame([told(`${path}.1`), told(path)], [["1 audit.started"], ["2 auth.login"]]);
  t.match(await verified(dir), { fault: null, lines: 2 });
  rmSync(`${path}.1`);
  t.match(await verified(dir), { fault: { kind: "missing", message: "line 1 is missing before this one" } });
  rmSync(path);
  await write(sink, "auth.logout");
  await sink.close();
  t.strictSame(told(path), ["3 auth.logout"]);
  t.match(await verified(dir), { fault: { kind: "missing" } });
});

t.test("a file is put aside by size and by age, and the oldest go as they should, told before", async (t) => {
  const dir = t.testdir();
  const path = join(dir, "audit.ndjson");
  const clock = new FakeClock();
  const aside = (): string[] => readdirSync(dir).filter((name) => /^audit\.\d/.test(name));
  const sink = await fileSink(dir, { clock, rotation: { bytes: 1200, afterMs: 86_400_000 } });
  const login = () => sink.write([eventOf({ type: "auth.login" }, clock)]);
  for (let n = 0; n < 6; n++) await login();
  t.strictSame(aside(), ["audit.20261121T000000000Z.000000000000003.ndjson"]);
  t.strictSame(told(path), ["4 auth.login", "5 auth.login", "6 auth.login"]);
  clock.advance(86_400_000);
  await login();
  t.strictSame(told(path), ["7 auth.login"], "full as well");
  clock.advance(86_400_000);
  await login();
  t.strictSame(told(path), ["8 auth.login"], "a day old");
  await sink.close();
  t.equal(aside().length, 3);
  t.match(await verified(dir), { fault: null, lines: 8 });

  for (const name of aside()) utimesSync(join(dir, name), clock.date(), clock.date());
  utimesSync(join(dir, aside()[0] ?? ""), 0, 0);
  const old = await fileSink(dir, { clock, rotation: { keepMs: 86_400_000 } });
  await write(old, "auth.logout");
  await old.close();
  t.equal(aside().length, 2);
  const full = await fileSink(dir, { clock, rotation: { keepBytes: 1000 } });
  await write(full, "auth.logout");
  await full.close();
  t.equal(aside().length, 1);
  t.strictSame(told(path), [
    "8 auth.login",
    "9 audit.pruned",
    "10 auth.logout",
    "11 audit.pruned",
    "12 auth.logout",
  ]);
  t.match(await verified(dir), { fault: null, lines: 6, firstSeq: 7 });
  rmSync(join(dir, aside()[0] ?? ""));
  t.match(await verified(dir), { fault: { kind: "missing" } }, "of which nothing was told");
});

t.test("a log from before there was a chain is put aside, and the chain begins", async (t) => {
  const dir = t.testdir({ "audit.ndjson": `${JSON.stringify(eventOf({ type: "auth.login" }))}\n` });
  const sink = await fileSink(dir);
  await write(sink, "audit.started");
  await sink.close();
  t.strictSame(told(join(dir, "audit.ndjson")), ["1 audit.started"]);
  t.ok(existsSync(join(dir, "audit.20261121T000000000Z.000000000000000.ndjson")));
  t.match(await verified(dir), { fault: null, lines: 1 });
});

t.test("several writers at once make one chain", async (t) => {
  const dir = t.testdir();
  const sinks = await Promise.all([1, 2, 3].map(() => fileSink(dir, { clock: systemClock })));
  await Promise.all(
    sinks.map(async (sink) => {
      for (let n = 0; n < 20; n++) await write(sink, "auth.login", "auth.logout");
      await sink.close();
    }),
  );
  t.match(await verified(dir), { fault: null, lines: 120, notes: [] });
});

t.test("the lock of a process that is gone is taken, that of one that lives is waited for", async (t) => {
  const dir = t.testdir({ "audit.lock": "4194305\n" });
  const sink = await fileSink(dir, { clock: systemClock });
  await write(sink, "audit.started");
  await sink.close();
  writeFileSync(join(dir, "audit.lock"), `${process.ppid}\n`);
  await t.rejects(write(sink, "auth.login"), { name: "LockError", message: /another process/ });
  utimesSync(join(dir, "audit.lock"), 0, 0);
  await write(sink, "auth.login");
  await sink.close();
  t.match(await verified(dir), { fault: null, lines: 2 });
});

/** Starts a process that writes events until it is ended; gives it and the ids it was told are written. */
function startWriter(dir: string): { readonly child: ChildProcess; readonly written: string[] } {
  const scenario = fileURLToPath(new URL("writer-scenario.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import=tsx", scenario, dir], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  const written: string[] = [];
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    written.push(...lines);
  });
  return { child, written };
}

t.test("two processes that are killed while they write lose nothing that was written", async (t) => {
  const dir = t.testdir();
  const written: string[] = [];
  const writers = [startWriter(dir), startWriter(dir)];
  for (const { child } of writers) t.teardown(() => child.kill("SIGKILL"));
  for (const { child, written: ids } of writers) {
    while (ids.length < 40) await once(child.stdout ?? child, "data");
  }
  for (const { child, written: ids } of writers) {
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
    written.push(...ids);
  }
  const last = await fileSink(dir, { clock: systemClock });
  await write(last, "audit.started");
  await last.close();
  const report = await verified(dir);
  t.equal(report.fault, null);
  const text = readFileSync(join(dir, "audit.ndjson"), "utf8");
  for (const id of written) if (!text.includes(id)) t.fail(`${id} is lost`);
  t.ok(report.lines > written.length);
});

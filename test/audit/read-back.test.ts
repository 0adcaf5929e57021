import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { AuditLog, type AuditPage, type AuditQuery } from "../../src/audit/read-back.ts";
import { loopTurns } from "../../src/platform/loop-turns.ts";
import { FakeClock } from "../fake-clock.ts";
import { eventOf, fileSink } from "./file-sink.ts";

const seqs = ({ events }: AuditPage): number[] => events.map(({ seq }) => seq);

/** Writes events a minute apart, and gives the log they are in. */
async function openLog(dir: string, entries: readonly AuditEntry[], rotateBytes = 0) {
  const clock = new FakeClock();
  const sink = await fileSink(dir, { clock, rotation: { bytes: rotateBytes } });
  for (let at = 0; at < entries.length; at += 100) {
    const batch = entries.slice(at, at + 100).map((entry) => {
      clock.advance(60_000);
      return eventOf(entry, clock);
    });
    await sink.write(batch);
  }
  await sink.close();
  const log = await AuditLog.open(dir, null);
  return { clock, log, read: (query: Partial<AuditQuery> = {}) => log.read({ most: 50, ...query }) };
}

const LOGIN: AuditEntry = { type: "auth.login", actor: { id: "u1", name: "Änn \u2028", kind: "human" } };
const CLICK: AuditEntry = {
  type: "input.performed",
  actor: { id: "a1", name: "claude", kind: "agent" },
  resource: { kind: "desktop", id: "d1" },
};

t.test("the newest come first, page by page, through files that were put aside", async (t) => {
  const dir = t.testdir();
  const { read } = await openLog(dir, Array<AuditEntry>(950).fill(CLICK), 100_000);
  const found: number[] = [];
  let before: number | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const page = await read({ most: 60, ...(before === undefined ? {} : { before }) });
    t.match(page, { changedLines: 0, missingLines: 0 });
    found.push(...seqs(page));
    if (page.next === null) break;
    before = page.next;
  }
  t.strictSame(
    found,
    Array.from({ length: 950 }, (_none, nth) => 950 - nth),
  );
});

t.test("an event comes back as it was told", async (t) => {
  const { read } = await openLog(t.testdir(), [LOGIN]);
  const { events, next, lookedBackTo } = await read();
  t.equal(next, null);
  t.equal(lookedBackTo, events[0]?.event.timestamp);
  t.match(events, [
    { seq: 1, isIntact: true, event: { event_type: "auth.login", actor: { name: "Änn \u2028" } } },
  ]);
  t.notOk(events[0] !== undefined && "chain" in events[0].event);
});

t.test("what is asked for is found, and nothing else", async (t) => {
  const other: AuditEntry = {
    ...CLICK,
    type: "approval.granted",
    resource: { kind: "connection", id: "d2" },
  };
  const secret: AuditEntry = {
    type: "secret.used",
    action: "secret on d2",
    resource: { kind: "secret", id: "bank" },
  };
  const alike: AuditEntry = { type: "recording.started", resource: { kind: "recording", id: "d2" } };
  const { read, clock } = await openLog(t.testdir(), [LOGIN, CLICK, other, secret, alike]);
  const endMs = clock.date().getTime();
  const minutesAgo = (minutes: number): Date => new Date(endMs - minutes * 60_000);
  for (const [query, found] of [
    [{ types: ["auth.login"] }, [1]],
    [{ types: ["approval.*", "auth.login"] }, [3, 1]],
    [{ types: ["auth"] }, []],
    [{ actor: "CLAU" }, [3, 2]],
    [{ actor: "u1" }, [1]],
    [{ actor: "änn" }, [1]],
    [{ desktop: "d1" }, [2]],
    [{ desktop: "d2" }, [4, 3]],
    [{ from: minutesAgo(1) }, [5, 4]],
    [{ until: minutesAgo(3) }, [2, 1]],
    [{ from: minutesAgo(3), until: minutesAgo(3), actor: "claude" }, [2]],
  ] as const) {
    t.strictSame(seqs(await read(query)), found, JSON.stringify(query));
  }
});

t.test("lines that are not as they were written are told, and so are those that are gone", async (t) => {
  const dir = t.testdir();
  const { read } = await openLog(dir, [LOGIN, CLICK, LOGIN, CLICK, LOGIN, CLICK]);
  const path = join(dir, "audit.ndjson");
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const write = (changed: readonly (string | undefined)[]): void =>
    writeFileSync(path, changed.map((line) => `${line}\n`).join(""));

  write(lines.toSpliced(1, 1, (lines[1] ?? "").replace("claude", "nobody")));
  t.match(await read({ actor: "nobody" }), {
    ...{ changedLines: 1, missingLines: 0, lines: 6 },
    events: [{ seq: 2, isIntact: false }],
  });
  write(lines.toSpliced(2, 2));
  t.match(await read(), { changedLines: 0, missingLines: 2 }, "between others");
  write(lines.slice(0, -1));
  t.match(await read(), { changedLines: 0, missingLines: 1 }, "at the end, as the head says");
  t.match(await read({ before: 6 }), { changedLines: 0, missingLines: 0 }, "before them all is well");
  write([...lines.slice(0, 3), "no line of ours", ...lines.slice(3)]);
  t.match(await read(), { changedLines: 1, missingLines: 0, events: { length: 6 } });
});

t.test("under another key every line is told, and pages go on all the same", async (t) => {
  const dir = t.testdir();
  await openLog(dir, Array<AuditEntry>(5).fill(LOGIN));
  const log = await AuditLog.open(dir, "another secret of 32 characters or more");
  const first = await log.read({ most: 3 });
  t.match(first, { next: 3, changedLines: 3, events: [{ isIntact: false, seq: 5 }, {}, {}] });
  t.match(await log.read({ most: 3, before: 3 }), { next: null, events: { length: 2 } });
});

t.test("half a line of a killed process is no fault, and one that is being written is left", async (t) => {
  const dir = t.testdir();
  await openLog(dir, [LOGIN]);
  appendFileSync(join(dir, "audit.ndjson"), '{"event_id":"cut');
  const { read } = await openLog(dir, [CLICK]);
  appendFileSync(join(dir, "audit.ndjson"), '{"event_id":"not yet');
  const page = await read();
  t.match(page, { changedLines: 0, missingLines: 0 });
  t.strictSame(
    page.events.map(({ event }) => event.event_type),
    ["input.performed", "audit.break", "auth.login"],
  );
});

t.test("a large log is looked through in bounded parts, each in many turns", async (t) => {
  const { read } = await openLog(t.testdir(), Array<AuditEntry>(12_000).fill(CLICK));
  const turn = loopTurns.number;
  const first = await read({ types: ["auth.login"] });
  t.ok(loopTurns.number - turn > 10, `${loopTurns.number - turn} turns`);
  t.match(first, { events: { length: 0 }, changedLines: 0 });
  t.ok(first.next !== null && first.lines < 12_000, "it ends before the log does, and says where");
  let left = first.next;
  for (let pages = 0; left !== null && pages < 10; pages++) {
    left = (await read({ types: ["auth.login"], before: left })).next;
  }
  t.equal(left, null, "and comes to its beginning");
});

t.test("a log without a chain, and none at all, have no page", async (t) => {
  const dir = t.testdir({ old: { "audit.ndjson": '{"event_type":"auth.login"}\n' }, empty: {} });
  const old = await AuditLog.open(join(dir, "old"), null);
  t.match(await old.read({ most: 5 }), { events: { length: 0 }, next: null, lookedBackTo: null });
  const empty = await AuditLog.open(join(dir, "empty"), null);
  t.match(await empty.read({ most: 5 }), { events: { length: 0 }, next: null, lines: 0 });
});

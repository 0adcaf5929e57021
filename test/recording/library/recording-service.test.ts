import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { AGENT, CLICK, HUMAN } from "../../desktop/house.ts";
import { until } from "../../support/until.ts";
import { Studio } from "../studio.ts";

const BY = { by: HUMAN } as const;

t.test(
  "always: where the disk has no room at first it is tried again, and strict holds agents",
  async (t) => {
    for (const onFull of ["best_effort", "strict"] as const) {
      const dataDir = mkdtempSync(join(tmpdir(), "oc-recording-"));
      const studio = await Studio.open(
        t,
        { policy: "always", floorBytes: 1000, onFull },
        dataDir,
        undefined,
        10,
      );
      const { clock } = studio.house;
      await until("that it was told", () => studio.bugs.length > 0);
      const isStrict = onFull === "strict";
      t.equal(studio.desktop.isStopped, isStrict, onFull);
      studio.desktop.resume(HUMAN);
      t.equal(studio.desktop.isStopped, isStrict, `${onFull}: also when somebody resumes them`);
      await clock.live(20_000, 500);
      t.equal(studio.recordings.runningOn("d1"), null);
      t.equal(studio.bugs.length, 1, "told once");
      studio.disk.freeBytes = 5000;
      await until("its beginning", async () => {
        await clock.live(500, 50);
        return studio.recordings.runningOn("d1")?.reason === "always";
      });
      studio.desktop.resume(HUMAN);
      t.equal(studio.desktop.isStopped, false);
    }
  },
);

t.test("always: what gets too long goes on in another one, with nothing missed between", async (t) => {
  const studio = await Studio.open(t, { policy: "always", longestMs: 3_000_000 });
  const { clock, link } = studio.house;
  const first = await until("its beginning", () => studio.recordings.runningOn("d1"));
  await clock.live(3_590_000, 10_000);
  t.equal(studio.recordings.runningOn("d1")?.id, first.id);
  // The disk takes its own time, the clock none.
  let colour = 0;
  await until("the end of the first", async () => {
    link.paint({ x: 5, y: 5, width: 60, height: 60 }, colour++);
    await clock.live(100, 10);
    return studio.events.length >= 3;
  });
  t.same(
    studio.events.map(({ type }) => type),
    ["started", "started", "stopped"],
  );
  const second = studio.recordings.runningOn("d1");
  t.notSame(second?.id, first.id);
  const [, old] = await studio.recordings.list();
  t.match(old, { id: first.id, state: "sealed" });
  const endedMs = Date.parse(old?.startedAt ?? "") + (old?.durationMs ?? 0);
  t.ok(endedMs >= Date.parse(second?.startedAt ?? ""), "it ended when the next one ran");
  t.same(studio.bugs, []);
});

t.test("a recording that is asked for while another one ends is a new one", async (t) => {
  const studio = await Studio.open(t);
  const { clock, link } = studio.house;
  const { id } = await studio.recordings.start("d1", BY);
  await clock.live(1000, 50);
  const ending = studio.recordings.stop(id);
  const next = await studio.recordings.start("d1", BY);
  t.not(next.id, id);
  t.equal((await ending).state, "sealed");
  t.equal(studio.recordings.runningOn("d1")?.id, next.id);
  link.paint({ x: 5, y: 5, width: 60, height: 60 }, 0x123456);
  await clock.live(1000, 50);
  await studio.recordings.stop(next.id);
  const reader = await studio.recordings.open(next.id);
  t.ok(Buffer.from(studio.shot()).equals((await reader.frameAt(9999)).rgba));
  await reader.close();
});

t.test(
  "a recording whose head cannot be read is as old as its name says, and others are listed beside it",
  async (t) => {
    const studio = await Studio.open(t);
    const { id } = await studio.recordings.start("d1", BY);
    await studio.house.clock.live(1000, 50);
    await studio.recordings.stop(id);
    const folder = join(studio.dataDir, "recordings");
    const path = join(folder, id, "000000.blocks");
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
    writeFileSync(path, bytes);
    writeFileSync(join(folder, id, "seal.json"), "{}");
    mkdirSync(join(folder, "stray", "000000.blocks"), { recursive: true });
    const { startedAt, state } = await studio.recordings.get(id);
    t.same([startedAt, state], ["2026-11-21T00:00:00.000Z", "tampered"]);
    const later = await Studio.open(t, { keepMs: 30 * 86_400_000 }, studio.dataDir);
    await later.house.clock.live(3_700_000, 100_000);
    t.same(
      (await later.recordings.list()).map((one) => one.id),
      [id],
      "what may be evidence is not deleted for its age",
    );
  },
);

t.test("a person who asks for what an agent or a policy began keeps it", async (t) => {
  const studio = await Studio.open(t, { policy: "on_agent_activity" });
  const { clock } = studio.house;
  const [begun, joined] = await Promise.all([
    studio.recordings.start("d1", { by: AGENT }),
    studio.recordings.start("d1", BY),
  ]);
  t.equal(joined.id, begun.id, "also while it begins");
  t.match(studio.recordings.runningOn("d1"), { startedById: AGENT.id, keptBy: HUMAN.name });
  await studio.recordings.start("d1", BY);
  await studio.recordings.start("d1", { by: AGENT });
  t.match(
    studio.events,
    [
      { type: "started", by: AGENT },
      { type: "kept", by: HUMAN },
    ],
    "told once",
  );
  t.equal(studio.events.length, 2);
  await studio.recordings.stop(begun.id, HUMAN);

  const own = await studio.recordings.start("d1", BY);
  t.same((await studio.recordings.start("d1", BY)).keptBy, undefined, "one's own is one's own");
  await studio.recordings.stop(own.id, HUMAN);

  await studio.house.act(studio.desktop.perform(CLICK, AGENT));
  const automatic = await until("the policy's", () => studio.recordings.runningOn("d1"));
  t.equal(automatic.reason, "agent_activity");
  t.match(await studio.recordings.start("d1", BY), { id: automatic.id, keptBy: HUMAN.name });
  await clock.live(600_000, 10_000);
  t.match(
    studio.recordings.runningOn("d1"),
    { id: automatic.id, state: "recording" },
    "the policy ends it not",
  );
  t.match(await studio.recordings.stop(automatic.id, HUMAN), { state: "sealed" });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Desktop } from "../../../src/desktop/desktop.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { NO_COUNTS, type RecordingSummary } from "../../../src/recording/format/summary.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { expired } from "../../../src/recording/library/retention.ts";
import { PIXELS_A_TURN } from "../../../src/recording/write/copy-scheduler.ts";
import { AGENT, CLICK, HUMAN } from "../../desktop/house.ts";
import { settle } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";
import { OPTIONS, randomOf, SEALER, Studio } from "../studio.ts";

const BY = { by: HUMAN } as const;

/** Fills an area with noise, which nothing makes smaller. */
function noise(
  studio: Studio,
  random: () => number,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const { link } = studio.house;
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) {
      link.framebuffer.fill({ x: column, y: row, width: 1, height: 1 }, Math.floor(random() * 0xffffff));
    }
  }
  link.events.update({ painted: Region.of({ x, y, width, height }), copies: [], missing: 0 });
}

t.test("a screen that changes all the time is recorded ten times a second at most", async (t) => {
  const studio = await Studio.open(t);
  const { clock, link } = studio.house;
  const { id } = await studio.recordings.start("d1", BY);
  for (let i = 0; i < 200; i++) {
    await clock.live(20, 20);
    link.paint({ x: i % 100, y: 3, width: 5, height: 5 }, i * 977);
  }
  const { counts, durationMs } = await studio.recordings.stop(id);
  t.ok(counts.frames > 30 && counts.frames <= durationMs / 100 + 2, `${counts.frames} in ${durationMs} ms`);
  const reader = await studio.recordings.open(id);
  t.ok(Buffer.from(studio.shot()).equals((await reader.frameAt(durationMs)).rgba), "the last one is there");
  await reader.close();
});

t.test(
  "video keeps to the byte budget, what else changes is still recorded, and rest makes it exact",
  async (t) => {
    const bytesPerMinute = 600_000;
    const studio = await Studio.open(t, { bytesPerMinute });
    const { clock, link } = studio.house;
    const random = randomOf(2);
    const { id } = await studio.recordings.start("d1", BY);
    const typedMs: number[] = [];
    const startMs = clock.nowMs();
    for (let i = 0; i < 600; i++) {
      await clock.live(100, 100);
      noise(studio, random, 64, 0, 128, 64);
      if (i % 20 === 10) {
        link.paint({ x: 4, y: 80, width: 6, height: 10 }, i * 977);
        typedMs.push(clock.nowMs() - startMs);
      }
    }
    await clock.live(8_000, 100);
    const { bytes, durationMs } = await studio.recordings.stop(id);
    const budget = (bytesPerMinute * durationMs) / 60_000;
    t.ok(bytes <= budget, `${bytes} bytes within ${budget}`);
    const reader = await studio.recordings.open(id);
    const chunks = await reader.chunks(0, durationMs);
    const dearest = Math.max(
      ...chunks.map(({ fromMs }) =>
        chunks
          .filter((chunk) => chunk.fromMs >= fromMs && chunk.fromMs < fromMs + 60_000)
          .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      ),
    );
    t.ok(dearest <= bytesPerMinute, `${dearest} bytes in the dearest minute`);
    const last = await reader.frameAt(durationMs);
    t.ok(last.isExact && Buffer.from(studio.shot()).equals(last.rgba), "exact at rest");
    const times = await reader.frameTimes(0, durationMs);
    const late = typedMs.map((ms) => (times.find((atMs) => atMs >= ms) ?? durationMs) - ms);
    const inTime = late.filter((ms) => ms <= 300).length;
    t.ok(inTime > late.length * 0.7, `${inTime} of ${late.length} small changes were recorded at once`);
    await reader.close();
  },
);

t.test("a recording that is stopped in the middle of a video is whole, and within its budget", async (t) => {
  // A picture of the video takes about a tenth of a minute's budget.
  const bytesPerMinute = 250_000;
  const studio = await Studio.open(t, { bytesPerMinute });
  const { clock } = studio.house;
  const random = randomOf(3);
  const { id } = await studio.recordings.start("d1", BY);
  for (let i = 0; i < 599; i++) {
    await clock.live(100, 100);
    noise(studio, random, 0, 0, 128, 64);
  }
  const { bytes, durationMs } = await studio.recordings.stop(id);
  t.ok(bytes <= (bytesPerMinute * durationMs) / 60_000, `${bytes} bytes in ${durationMs} ms`);
  const reader = await studio.recordings.open(id);
  const last = await reader.frameAt(durationMs);
  t.ok(last.isExact && Buffer.from(studio.shot()).equals(last.rgba), "exact at the end");
  await reader.close();
});

t.test(
  "below the disk's floor nothing starts, and what runs has a gap until there is room again",
  async (t) => {
    const studio = await Studio.open(t, { floorBytes: 1000 });
    const { clock, link } = studio.house;
    studio.disk.freeBytes = 999;
    await t.rejects(studio.recordings.start("d1", BY), { code: "too_many", message: /MiB free/ });
    studio.disk.freeBytes = 5000;
    const { id } = await studio.recordings.start("d1", BY);
    await clock.live(2000, 50);
    studio.disk.freeBytes = 10;
    await clock.live(11_000, 50);
    t.same(
      studio.events.map(({ type }) => type),
      ["started", "failed"],
    );
    t.equal(studio.desktop.isStopped, false, "best_effort: agents go on");
    link.paint({ x: 0, y: 0, width: 50, height: 50 }, 0x334455);
    await clock.live(6000, 50);
    studio.disk.freeBytes = 5000;
    await clock.live(7000, 50);
    const { counts, durationMs } = await studio.recordings.stop(id);
    t.equal(counts.gaps, 1);
    const reader = await studio.recordings.open(id);
    const [gap] = (await reader.events()).flatMap((entry) => (entry.type === "gap" ? [entry] : []));
    t.ok(gap !== undefined && gap.atMs - gap.fromMs > 5000 && gap.reason === "disk full");
    t.ok(Buffer.from(studio.shot()).equals((await reader.frameAt(durationMs)).rgba), "whole again after it");
    t.equal((await studio.recordings.verify(id)).state, "sealed");
    await reader.close();
  },
);

t.test(
  "strict: where nothing can be written agents are stopped, and stay so when somebody resumes",
  async (t) => {
    const studio = await Studio.open(t, { floorBytes: 1000, onFull: "strict" });
    await studio.recordings.start("d1", BY);
    studio.disk.freeBytes = 10;
    await studio.house.clock.live(11_000, 50);
    t.equal(studio.desktop.isStopped, true);
    await t.rejects(studio.desktop.perform(CLICK, AGENT), { code: "stopped" });
    studio.desktop.resume(HUMAN);
    t.equal(studio.desktop.isStopped, true);
    studio.disk.freeBytes = 5000;
    // The clock jumps, the disk does not.
    await until("room again", async () => {
      await studio.house.clock.live(500, 50);
      studio.desktop.resume(HUMAN);
      return !studio.desktop.isStopped;
    });
    t.match(studio.events[1], { type: "failed", isStrict: true });
  },
);

t.test(
  "an encrypted recording opens with our key only, and has no plain byte of what happened",
  async (t) => {
    const studio = await Studio.open(t, { isEncrypted: true });
    const { id } = await studio.recordings.start("d1", BY);
    studio.recordings.bookmark(id, "the canary sings", HUMAN);
    studio.house.link.paint({ x: 1, y: 1, width: 9, height: 9 }, 0xfedcba);
    await studio.house.clock.live(1500, 50);
    const { isEncrypted } = await studio.recordings.stop(id);
    t.equal(isEncrypted, true);
    t.equal((await studio.recordings.verify(id)).state, "sealed");
    const reader = await studio.recordings.open(id);
    t.equal((await reader.search("canary")).length, 1);
    t.ok(Buffer.from(studio.shot()).equals((await reader.frameAt(9999)).rgba));
    await reader.close();
    const bytes = readFileSync(join(studio.dataDir, "recordings", id, "000000.blocks"));
    t.notOk(bytes.includes("canary"));
    const other = await RecordingArchive.open(studio.dataDir, {
      seal: SEALER.seal,
      open() {
        throw new Error("sealed under another key");
      },
    });
    await t.rejects(other.read(id), { name: "RecordingError", code: "locked" });
    t.equal((await other.list())[0]?.state, "sealed");
    t.equal((await other.verify(id)).state, "sealed", "no key is needed to verify");
  },
);

t.test("a recording begins before an agent's first act, and ends a minute after its last", async (t) => {
  const studio = await Studio.open(t, { policy: "on_agent_activity" });
  const { house, desktop } = studio;
  await house.act(desktop.perform(CLICK, HUMAN));
  await house.clock.live(31_000, 1000);
  t.equal(studio.recordings.runningOn("d1"), null);
  await house.act(desktop.perform(CLICK, AGENT));
  const running = await until("its beginning", () => studio.recordings.runningOn("d1"));
  t.equal(running.reason, "agent_activity");
  await house.clock.live(50_000, 1000);
  await house.act(desktop.perform(CLICK, { ...AGENT, client: "claude-code" }));
  await house.clock.live(50_000, 1000);
  t.equal(studio.recordings.runningOn("d1")?.id, running.id);
  await house.clock.live(15_000, 1000);
  await until("its end", () => studio.recordings.runningOn("d1") === null);
  const reader = await studio.recordings.open(running.id);
  const actors = (await reader.actions()).map(({ actor }) => actor).filter(({ kind }) => kind === "agent");
  t.equal(actors.at(-1)?.client, "claude-code", "and it is known by its program");
  t.notOk(actors.some(({ name }) => name === "claude-code"));
  await reader.close();
});

t.test(
  "a desktop that was edited is still recorded when an agent acts, and the recording ends",
  async (t) => {
    const studio = await Studio.open(t, { policy: "on_agent_activity" });
    const { house, desktop } = studio;
    studio.changeDesktop();
    await house.act(desktop.perform(CLICK, AGENT));
    await until("its beginning", () => studio.recordings.runningOn("d1"));
    studio.changeDesktop();
    await house.clock.live(65_000, 1000);
    await until("its end", () => studio.recordings.runningOn("d1") === null);
  },
);

t.test("always: every live desktop is recorded until it is removed", async (t) => {
  const studio = await Studio.open(t, { policy: "always" });
  await until("its beginning", () => studio.recordings.runningOn("d1")?.reason === "always");
  studio.removeDesktop();
  await until("its end", () => studio.recordings.runningOn("d1") === null);
  t.equal((await studio.recordings.list())[0]?.state, "sealed");
});

t.test("recordings that are too old or too much go, the oldest first, and never one that runs", async (t) => {
  const one = (
    day: number,
    bytes: number,
    state: RecordingSummary["state"] = "sealed",
  ): RecordingSummary => ({
    ...{ id: `r${day}`, desktopId: "d1", title: "", durationMs: 0, bytes, width: 1, height: 1, state },
    startedAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
    ...{ reason: "manual", startedBy: "", startedById: null, isEncrypted: false, counts: NO_COUNTS },
  });
  const all = [one(1, 10), one(9, 10), one(2, 10, "recording"), one(5, 10), one(7, 10, "unsealed")];
  const now = new Date(Date.UTC(2026, 0, 10));
  const ids = (keepMs: number | null, keepBytes: number | null): string[] =>
    expired(all, { keepMs, keepBytes }, now).map(({ id }) => id);
  t.same(ids(4 * 86_400_000, null), ["r5", "r1"]);
  t.same(ids(null, 25), ["r5", "r1"]);
  t.same(ids(null, null), []);
  const studio = await Studio.open(t);
  const { id } = await studio.recordings.start("d1", BY);
  await studio.recordings.stop(id);
  const later = await Studio.open(t, { keepBytes: 1 }, studio.dataDir);
  await until("the one to go", async () => (await later.recordings.list()).length === 0);
  await t.rejects(later.recordings.get(id), { code: "not_found" });
});

t.test("a new size is a new key, and both replay", async (t) => {
  const studio = await Studio.open(t, OPTIONS);
  const { clock, link } = studio.house;
  const { id } = await studio.recordings.start("d1", BY);
  link.paint({ x: 0, y: 0, width: 20, height: 20 }, 0x123456);
  await clock.live(1500, 50);
  const before = studio.shot();
  link.framebuffer.resize(333, 77);
  link.events.resize([{ id: 1, rect: link.framebuffer.rect, flags: 0 }]);
  link.paint(link.framebuffer.rect, 0x654321);
  await clock.live(1500, 50);
  const { durationMs, width, height } = await studio.recordings.stop(id);
  t.same([width, height], [333, 77]);
  const reader = await studio.recordings.open(id);
  t.ok(Buffer.from(before).equals((await reader.frameAt(1000)).rgba));
  const last = await reader.frameAt(durationMs);
  t.same([last.width, last.height], [333, 77]);
  t.ok(Buffer.from(studio.shot()).equals(last.rgba));
  t.equal((await reader.keyframes()).length, 2);
  await reader.close();
  t.same(studio.bugs, []);
});

t.test(
  "no turn of the loop takes more of a large screen than its share, and it is exact in the end",
  async (t) => {
    const studio = await Studio.open(t);
    const { desktop, house } = studio;
    const { clock, link } = house;
    const read = countReads(desktop);
    link.framebuffer.resize(4000, 2500);
    link.events.resize([{ id: 1, rect: link.framebuffer.rect, flags: 0 }]);
    link.paint(link.framebuffer.rect, 0x654321);
    // So large a picture is shown over some turns.
    const { generation } = desktop;
    await until("the picture", () => desktop.generation > generation);
    const { id } = await studio.recordings.start("d1", BY);
    let turns = 0;
    for (let i = 0; i < 40; i++) {
      // While the picture is copied other ones come, for a while.
      if (i < 3) link.paint({ x: 0, y: 2400, width: 4000, height: 100 }, i * 977);
      if (i === 1) {
        const to = { x: 0, y: 0, width: 900, height: 50 };
        link.framebuffer.copy(0, 2400, to);
        link.events.update({ painted: Region.empty, copies: [{ fromX: 0, fromY: 2400, to }], missing: 0 });
      }
      await settle();
      const { pixels, most } = read();
      if (pixels > 0) turns++;
      t.ok(most <= PIXELS_A_TURN, `${most} pixels at once`);
      t.ok(pixels <= 2 * PIXELS_A_TURN, `${pixels} pixels between two looks`);
      clock.advance(20);
    }
    t.ok(turns >= 4, `${turns} turns for what is more than four shares`);
    await clock.live(1500, 50);
    const { durationMs } = await studio.recordings.stop(id);
    const reader = await studio.recordings.open(id);
    const times = await reader.frameTimes(0, durationMs);
    const first = await reader.frameAt(times[0] ?? 0);
    t.equal(first.isExact, false, "it says that it is of several moments");
    const last = await reader.frameAt(durationMs);
    t.ok(last.isExact && Buffer.from(studio.shot()).equals(last.rgba));
    await reader.close();
    t.same(studio.bugs, []);
  },
);

/** Counts the pixels that are read of a desktop for its recorder: gives how many since the last look, and at once. */
function countReads(desktop: Desktop): () => { readonly pixels: number; readonly most: number } {
  let pixels = 0;
  let most = 0;
  const view = desktop.view.bind(desktop);
  desktop.view = (audience) => {
    const real = view(audience);
    if (audience !== "recording") return real;
    const picture = real.picture.bind(real);
    real.picture = (withOverlays) => {
      const whole = picture(withOverlays);
      return {
        width: whole.width,
        height: whole.height,
        pixels(area) {
          pixels += area.width * area.height;
          most = Math.max(most, area.width * area.height);
          return whole.pixels(area);
        },
      };
    };
    return real;
  };
  return () => {
    const seen = { pixels, most };
    pixels = 0;
    most = 0;
    return seen;
  };
}

import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { makeConnection } from "../../../src/desktop/connections/connection.ts";
import { testLink } from "../../../src/desktop/connections/connection-test.ts";
import { Desktop } from "../../../src/desktop/desktop.ts";
import { IGNORE_EVENTS } from "../../../src/desktop/link.ts";
import { rectOfSize } from "../../../src/framebuffer/rect.ts";
import { PlayerLink } from "../../../src/recording/read/player-link.ts";
import { Replays } from "../../../src/recording/read/replays.ts";
import { AGENT, CLICK, HUMAN } from "../../desktop/house.ts";
import { settle } from "../../fake-clock.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { threeParts } from "../join/moved.ts";
import { Studio } from "../studio.ts";

const COLOURS = [0x112233, 0x445566, 0x778899, 0xaabbcc, 0x102030];

/** A recording of five colours, a second each, and a desktop that replays it. */
async function replay(owner: Owner, startMs = 0) {
  const studio = await Studio.open(owner);
  const { clock, link } = studio.house;
  link.paint(link.framebuffer.rect, COLOURS[0] ?? 0);
  const { id } = await studio.recordings.start("d1", { by: HUMAN });
  for (const colour of COLOURS.slice(1)) {
    await clock.live(1000, 100);
    link.paint(link.framebuffer.rect, colour);
  }
  await clock.live(1000, 100);
  await studio.recordings.stop(id);
  const replays = new Replays();
  const desktops: Desktop[] = [];
  replays.attach({
    clock,
    get: (id) => studio.recordings.get(id),
    open: (id) => studio.recordings.open(id),
    on: () => () => undefined,
    show(input) {
      const desktop = new Desktop(
        makeConnection(input, clock.date()),
        { mode: "assist", approvalExpiryMs: 45_000 },
        {
          ...PLATFORM,
          clock,
          random: () => 0.5,
          onBug: (error) => studio.bugs.push(error),
          openLink: (connection) => replays.link(connection),
        },
      );
      desktops.push(desktop);
      desktop.open();
      return desktop;
    },
  });
  owner.teardown(() => {
    for (const desktop of desktops) desktop.close();
  });
  const desktop = await replays.open(id, startMs);
  await desktop.whenReady(1000);
  return { studio, desktop, player: replays.player(desktop.id), clock, id, replays };
}

function colourOf(desktop: Desktop): number {
  const view = desktop.view("agent");
  const { bytes, offset } = view.picture(false).pixels(rectOfSize(view));
  return ((bytes[offset] ?? 0) << 16) | ((bytes[offset + 1] ?? 0) << 8) | (bytes[offset + 2] ?? 0);
}

/** As FakeLink.paint writes it: a word is 0xAABBGGRR. */
const shown = (index: number): number => {
  const colour = COLOURS[index] ?? 0;
  return ((colour & 255) << 16) | (colour & 0xff00) | (colour >>> 16);
};

t.test("a replay is a desktop: it stands still, seeks, and its screenshots are of that moment", async (t) => {
  const { desktop, player } = await replay(t, 1500);
  t.equal(desktop.state.kind, "live");
  t.same(desktop.size, { width: 200, height: 100 });
  t.equal(colourOf(desktop), shown(1));
  const snapshot = await desktop.view("agent").snapshot({ format: "png" });
  t.same([...snapshot.bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
  for (const [ms, index] of [
    [4500, 4],
    [0, 0],
    [2999, 2],
    [99_999, 4],
    [-5, 0],
  ] as const) {
    const { generation } = desktop;
    await player.seek(ms);
    t.equal(colourOf(desktop), shown(index), `${ms} ms`);
    t.ok(desktop.generation >= generation);
  }
  t.equal(player.state.isPlaying, false);
});

t.test("it plays at a speed, pauses where it is, and stops at the end", async (t) => {
  const { desktop, player, clock } = await replay(t);
  player.play();
  player.play();
  await clock.live(1200, 10);
  t.equal(colourOf(desktop), shown(1));
  player.setSpeed(2);
  await clock.live(1000, 10);
  t.equal(colourOf(desktop), shown(3));
  player.pause();
  const { positionMs } = player.state;
  await clock.live(2000, 50);
  t.equal(player.state.positionMs, positionMs);
  t.equal(colourOf(desktop), shown(3));
  player.setSpeed(1000);
  t.equal(player.state.speed, 16);
  player.play();
  await clock.live(1000, 10);
  t.equal(colourOf(desktop), shown(4));
  t.equal(player.state.isPlaying, false, "over");
});

t.test("input is refused before anybody is asked", async (t) => {
  const { desktop } = await replay(t);
  await t.rejects(desktop.perform(CLICK, AGENT), { code: "not_supported", message: /replay/ });
  await t.rejects(desktop.perform({ kind: "pointer", x: 1, y: 1, buttons: 1 }, HUMAN), {
    code: "not_supported",
  });
  await t.rejects(desktop.perform({ kind: "resize", width: 10, height: 10 }, HUMAN), {
    code: "not_supported",
  });
  t.same(desktop.approvals.pending, []);
  t.equal(desktop.holder, null);
});

t.test("a replay follows a recording that still runs", async (t) => {
  const studio = await Studio.open(t);
  const { clock, link } = studio.house;
  const { id } = await studio.recordings.start("d1", { by: HUMAN });
  link.paint(link.framebuffer.rect, 0x010203);
  await clock.live(1100, 50);
  const player = new PlayerLink(() => studio.recordings.open(id), 0, clock);
  const painted: number[] = [];
  player.open({
    ...IGNORE_EVENTS,
    update: () => {
      painted.push((player.framebuffer.words[0] ?? 0) & 0xffffff);
    },
    closed: (error) => studio.bugs.push(error),
  });
  await until("its first picture", async () => {
    await clock.live(50);
    return painted.length > 0;
  });
  player.play();
  await clock.live(500, 20);
  link.paint(link.framebuffer.rect, 0x0a0b0c);
  await until("what was recorded meanwhile", async () => {
    await clock.live(500, 20);
    return painted.includes(0x0a0b0c);
  });
  t.ok(painted.includes(0x010203));
  t.ok(player.state.isPlaying);
  player.close();
  await studio.recordings.stop(id);
  await settle();
  t.same(studio.bugs, []);
});

t.test("a replay is black where a part cannot be read, and goes on after it", async (t) => {
  const { moved, first } = await threeParts(t);
  const { recordings, house } = moved.a;
  const player = new PlayerLink(() => recordings.wholes.open(first), 0, house.clock);
  const ended: unknown[] = [];
  let painted = false;
  const update = () => {
    painted = true;
    return undefined;
  };
  player.open({ ...IGNORE_EVENTS, update, closed: (error) => ended.push(error) });
  await until("its first picture", async () => {
    await house.clock.live(50);
    return painted;
  });
  const shown = () => (player.framebuffer.words[0] ?? 0) >>> 0;
  await player.seek(4500);
  t.equal(shown(), 0xff334455);
  moved.away.add("b");
  await t.rejects(player.seek(5500), { code: "node_unreachable", message: /what node b recorded/ });
  t.equal(shown(), 0xff000000);
  player.play();
  await until("the part after it", async () => {
    await house.clock.live(500, 50);
    return shown() === 0xff667788;
  });
  t.same(ended, []);
  player.close();
});

t.test("a recording that is not there, or has no picture, ends the link with its reason", async (t) => {
  const { replays, studio, clock, id } = await replay(t);
  await t.rejects(replays.open("20260101T000000Z-00000000"), { code: "not_found" });
  t.throws(() => replays.player("d1"), { code: "not_found" });
  const errors: string[] = [];
  const player = new PlayerLink(() => Promise.reject(new Error("it was deleted")), 0, clock);
  player.open({
    ...IGNORE_EVENTS,
    closed: (error) => errors.push(`${error.code} ${error.isFinal} ${error.message}`),
  });
  await settle();
  t.same(errors, ["protocol_error true it was deleted"]);
  await studio.recordings.remove(id);
});

t.test("a test of a replay's connection plays nothing, and leaves the player to its desktop", async (t) => {
  const { desktop, player, replays, clock } = await replay(t, 1500);
  const report = await testLink(replays.link(desktop.connection), clock);
  t.ok(report.success, report.message);
  t.equal(replays.player(desktop.id), player, "who plays is still the desktop's own");
  await replays.player(desktop.id).seek(4500);
  t.equal(colourOf(desktop), shown(4), "and moves it");
});

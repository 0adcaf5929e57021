import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { OVERLAY_LIMIT, OWNER_OVERLAY_LIMIT } from "../../../src/compositor/scene-budget.ts";
import { LABEL_LIMIT } from "../../../src/compositor/shape.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { AGENT, CLICK, HUMAN, typing } from "../../desktop/house.ts";
import { settle } from "../../fake-clock.ts";
import { randomOf, Studio } from "../studio.ts";

const BY = { by: HUMAN } as const;

t.test("a recording shows every picture as it was, at its time", async (t) => {
  const studio = await Studio.open(t);
  const { link, clock } = studio.house;
  const { id } = await studio.recordings.start("d1", BY);
  const random = randomOf(7);
  const shown: { atMs: number; rgba: Uint8Array }[] = [];
  const startMs = clock.nowMs();
  for (let i = 0; i < 60; i++) {
    await clock.live(100 + Math.floor(random() * 200));
    const x = Math.floor(random() * 150);
    const y = Math.floor(random() * 70);
    const area = { x, y, width: 1 + Math.floor(random() * 50), height: 1 + Math.floor(random() * 30) };
    if (i % 5 === 4) {
      link.framebuffer.copy(0, 0, area);
      link.events.update({ painted: Region.empty, copies: [{ fromX: 0, fromY: 0, to: area }], missing: 0 });
    } else {
      for (let n = 0; n < (i % 3 === 0 ? 400 : 1); n++) {
        const at = { x: x + Math.floor(random() * area.width), y, width: 1, height: 1 };
        link.framebuffer.fill(n === 0 ? area : at, Math.floor(random() * 0xffffff));
      }
      link.events.update({ painted: Region.of(area), copies: [], missing: 0 });
    }
    await settle();
    shown.push({ atMs: clock.nowMs() - startMs, rgba: studio.shot() });
  }
  const running = await studio.recordings.open(id);
  await clock.live(1100);
  const stopped = await studio.recordings.stop(id);
  t.equal(stopped.state, "sealed");
  t.ok(stopped.counts.frames > 50, "a change that changes nothing is no picture");
  const sealed = await studio.recordings.open(id);
  for (const reader of [running, sealed]) {
    for (const index of shown.keys()) {
      const at = Math.floor(random() * shown.length);
      for (const wanted of [shown[index], shown[at]]) {
        const got = await reader.frameAt(wanted?.atMs ?? 0);
        t.ok(Buffer.from(wanted?.rgba ?? []).equals(got.rgba), `the picture of ${wanted?.atMs} ms`);
      }
    }
    await reader.close();
  }
  t.same(await studio.recordings.verify(id), {
    id,
    state: "sealed",
    problem: null,
    intactBytes: stopped.bytes,
    bytes: stopped.bytes,
    blocks: (await studio.recordings.verify(id)).blocks,
  });
  t.same(studio.bugs, []);
});

t.test("files are private, and the list tells them the newest first", async (t) => {
  const studio = await Studio.open(t);
  const first = await studio.recordings.start("d1", BY);
  t.equal((await studio.recordings.start("d1", BY)).id, first.id, "one at a time");
  t.equal(studio.recordings.runningOn("d1")?.id, first.id);
  t.equal((await studio.recordings.list())[0]?.state, "recording");
  await studio.house.clock.live(1500);
  await studio.recordings.stop(first.id);
  t.equal(studio.recordings.runningOn("d1"), null);
  const second = await studio.recordings.start("d1", BY);
  await studio.recordings.stop(second.id);
  t.same(
    (await studio.recordings.list()).map(({ id }) => id),
    [second.id, first.id],
  );
  const folder = join(studio.dataDir, "recordings", first.id);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  t.equal(statSync(join(studio.dataDir, "recording-key.pem")).mode & 0o777, 0o600);
  await studio.recordings.remove(first.id);
  await t.rejects(studio.recordings.get(first.id), { code: "not_found" });
  await t.rejects(studio.recordings.open(first.id), { code: "not_found" });
  await t.rejects(studio.recordings.stop(first.id), { code: "not_found" });
  await t.rejects(studio.recordings.get("../../etc"), { code: "not_found" });
  t.same(
    studio.events.map(({ type }) => type),
    ["started", "stopped", "started", "stopped", "removed"],
  );
});

t.test("what happened stands beside the pixels, without any typed text", async (t) => {
  const studio = await Studio.open(t);
  const { house, desktop } = studio;
  const { id } = await studio.recordings.start("d1", BY);
  await house.act(desktop.perform(CLICK, AGENT, { intent: "open the menu" }));
  await house.act(desktop.perform(typing("my secret words"), AGENT));
  const asked = desktop.perform(typing("hidden words"), AGENT, { requireConfirmation: true });
  await house.clock.live(50);
  const [approval] = desktop.approvals.pending;
  desktop.approvals.decide(approval?.id ?? "", true, HUMAN);
  await house.act(asked);
  desktop.setMode("passive", HUMAN);
  const overlay = desktop.scene.add(
    {
      ...{ kind: "box", x: 10, y: 10, width: 30, height: 20, color: "#ff0000", opacity: 1 },
      ...{ label: "here", temporaryMs: null, clickThrough: true, monitorIndex: 0 },
    },
    "a",
    { x: 0, y: 0, width: 200, height: 100 },
  );
  desktop.scene.remove(overlay.id);
  house.link.events.clipboard("copied secret");
  const leave = desktop.attachViewer({ id: "ann" });
  leave();
  await house.act(desktop.perform({ kind: "pointer", x: 5, y: 6, buttons: 1 }, HUMAN));
  await house.act(desktop.perform({ kind: "key", keysym: 0x61, isDown: true, scancode: null }, HUMAN));
  studio.recordings.bookmark(id, "look here", HUMAN);
  await house.clock.live(1100);
  const { counts } = await studio.recordings.stop(id);
  const reader = await studio.recordings.open(id);
  const entries = await reader.events();
  const types = new Set(entries.map(({ type }) => type));
  for (const type of [
    ...["action", "approval", "mode", "overlays_shown", "overlays_gone", "clipboard", "viewers", "click"],
    ...["keys", "bookmark", "resize", "state", "pointer", "holder"],
  ]) {
    t.ok(types.has(entries.find((entry) => entry.type === type)?.type ?? "gap"), type);
  }
  const text = JSON.stringify(entries);
  for (const secret of ["secret", "hidden", "words"]) t.notMatch(text, secret);
  t.equal(entries.find((entry) => entry.type === "clipboard")?.characters, 13);
  t.same(
    (await reader.actions()).map(({ kind, intent }) => [kind, intent]),
    [
      ["click", "open the menu"],
      ["type", null],
      ["type", null],
    ],
  );
  t.same(
    entries.flatMap((entry) => (entry.type === "approval" ? [[entry.state, entry.decidedBy?.name]] : [])),
    [
      ["pending", undefined],
      ["granted", "Ann"],
    ],
  );
  t.match(counts, { actions: 3, approvals: 1, overlays: 1, humanInputs: 2, bookmarks: 1, gaps: 0 });
  t.equal((await reader.search("OPEN menu")).length, 1);
  t.equal((await reader.search("look here"))[0]?.entry.type, "bookmark");
  t.same(await reader.search("nothing like it"), []);
  t.same(await reader.search(" "), []);
  const sorted = [...entries].sort((a, b) => a.atMs - b.atMs);
  t.same(sorted, entries, "in the order of time");
  await reader.close();
});

t.test("however much is drawn when it begins, what happened can be read", async (t) => {
  const studio = await Studio.open(t);
  const { scene } = studio.desktop;
  const label = '"'.repeat(LABEL_LIMIT);
  for (let i = 0; i < OVERLAY_LIMIT; i++) {
    scene.add(
      {
        ...{ kind: "box", x: 10, y: 10, width: 50, height: 50, color: "#ff0000", opacity: 1, label },
        ...{ temporaryMs: null, clickThrough: true, monitorIndex: 0 },
      },
      `owner ${Math.floor(i / OWNER_OVERLAY_LIMIT)}`,
      { x: 0, y: 0, width: 200, height: 100 },
    );
  }
  const { id } = await studio.recordings.start("d1", BY);
  await studio.house.clock.live(1100, 50);
  const { counts } = await studio.recordings.stop(id);
  t.equal(counts.overlays, OVERLAY_LIMIT);
  const reader = await studio.recordings.open(id);
  const shown = (await reader.events()).flatMap((entry) =>
    entry.type === "overlays_shown" ? entry.overlays : [],
  );
  t.same(
    shown.map((overlay) => overlay.id),
    scene.overlays.map((overlay) => overlay.id),
  );
  await reader.close();
});

t.test("where the pointer is and how it looks is said again every minute", async (t) => {
  const studio = await Studio.open(t);
  const { house, desktop } = studio;
  const { id } = await studio.recordings.start("d1", BY);
  await house.act(desktop.perform({ kind: "pointer", x: 5, y: 6, buttons: 0 }, HUMAN));
  await house.clock.live(200_000, 500);
  await studio.recordings.stop(id);
  const reader = await studio.recordings.open(id);
  for (const untilMs of [70_000, 130_000, 190_000]) {
    const types = (await reader.events(untilMs - 65_000, untilMs)).map(({ type }) => type);
    t.ok(types.includes("pointer") && types.includes("cursor"), `${untilMs}`);
  }
  await reader.close();
});

t.test("a running recording is read up to now, not to the last second that was written", async (t) => {
  const studio = await Studio.open(t);
  const { link, clock } = studio.house;
  const { id } = await studio.recordings.start("d1", BY);
  const reader = await studio.recordings.open(id);
  await clock.live(300);
  for (const colour of [0x111111, 0x222222, 0x333333]) {
    link.paint({ x: 5, y: 5, width: 60, height: 60 }, colour);
    studio.recordings.bookmark(id, `${colour}`, HUMAN);
    await clock.live(30);
    const { durationMs } = await studio.recordings.get(id);
    const frame = await reader.frameAt(durationMs);
    t.ok(Buffer.from(studio.shot()).equals(frame.rgba), `${colour}`);
    t.equal((await reader.search(`${colour}`)).length, 1);
  }
  await reader.close();
});

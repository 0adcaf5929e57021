import { rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { InterruptedRecording, RecordingParts } from "../../../src/recording/library/recording-types.ts";
import { HUMAN } from "../../desktop/house.ts";
import { until } from "../../support/until.ts";
import { Studio } from "../studio.ts";

const EARLIER: InterruptedRecording = {
  ...{ id: "20261127T100000Z-0a0b0c0d", node: "a", reason: "manual" },
  owner: { id: "ann", name: "Ann" },
};

/** What another node recorded, until something is recorded here. */
function partsOf(earlier: InterruptedRecording): RecordingParts & { isOver: boolean } {
  return {
    isOver: false,
    name: "b",
    interrupted() {
      return this.isOver ? null : earlier;
    },
    around: () => ({ earlierEndedAt: null, next: null }),
    chain: () => null,
    ask: () => Promise.reject(new Error("no node answers")),
  };
}

function studioOf(policy: "manual" | "on_agent_activity", parts: RecordingParts): Promise<Studio> {
  return Studio.open(t, { policy }, undefined, undefined, undefined, undefined, parts);
}

t.test("what a person asked for at another node goes on here for them, and says from what", async (t) => {
  const parts = partsOf(EARLIER);
  const studio = await studioOf("manual", parts);
  const { clock } = studio.house;
  const running = await until("its beginning", () => studio.recordings.runningOn("d1"));
  parts.isOver = true;
  const continues = { id: EARLIER.id, node: "a" };
  t.match(running, { reason: "manual", startedBy: "Ann", startedById: "ann", continues });
  t.match(studio.events, [{ type: "started", by: { kind: "extension", id: "recorder" } }]);
  await clock.live(2000, 50);
  studio.removeDesktop();
  await until("its end", () => studio.events.length === 2);
  t.match(studio.events[1], { type: "stopped", by: null, isInterrupted: true });
  const sealed = await studio.recordings.get(running.id);
  t.match(sealed, { state: "sealed", continues }, "its seal says it");
  t.match(await studio.recordings.verify(running.id), { state: "sealed", problem: null });
  // As a crash leaves it.
  const folder = join(studio.dataDir, "recordings");
  rmSync(join(folder, running.id, "seal.json"));
  rmSync(join(folder, "seals.log"));
  t.match(await studio.recordings.get(running.id), { continues }, "its first block says it");
});

t.test("what a person ends is over, and what is begun then goes on from nothing", async (t) => {
  const parts = partsOf(EARLIER);
  const studio = await studioOf("manual", parts);
  const running = await until("its beginning", () => studio.recordings.runningOn("d1"));
  parts.isOver = true;
  await studio.recordings.stop(running.id, HUMAN);
  t.match(studio.events[1], { type: "stopped", by: HUMAN, isInterrupted: false });
  const next = await studio.recordings.start("d1", { by: HUMAN });
  t.equal(next.continues, undefined);
  t.equal(next.startedById, HUMAN.id);
});

t.test("what an agent's work began goes on, and ends once agents do nothing", async (t) => {
  const parts = partsOf({ ...EARLIER, reason: "agent_activity" });
  const studio = await studioOf("on_agent_activity", parts);
  const { clock } = studio.house;
  const running = await until("its beginning", () => studio.recordings.runningOn("d1"));
  parts.isOver = true;
  t.match(running, { reason: "agent_activity", continues: { id: EARLIER.id } });
  await clock.live(59_000, 1000);
  t.equal(studio.recordings.runningOn("d1")?.id, running.id);
  await clock.live(2000, 100);
  await until("its end", () => studio.recordings.runningOn("d1") === null);
  t.match(studio.events.at(-1), { type: "stopped", isInterrupted: false });
});

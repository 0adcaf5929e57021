// A process that records a desktop until it is killed. Says on stdout what it showed when: "shown MS GENERATION SHA1",
// the time since the recording began.
import { systemClock } from "../../../src/platform/clock.ts";
import { FakeLink } from "../../desktop/fake-link.ts";
import { BY, RecordingDesk, sha1 } from "../../support/recording-desk.ts";

const [dataDir = ""] = process.argv.slice(2);
const link = new FakeLink(400, 300);
const opening = RecordingDesk.open({ teardown: () => undefined }, { link: () => link }, dataDir);
setImmediate(() => link.goLive());
const desk = await opening;
const { id } = await desk.recordings.start("d1", BY);
process.stdout.write(`recording ${id}\n`);
const startMs = systemClock.nowMs();

desk.desktop.on((event) => {
  if (event.type !== "update") return;
  const atMs = Math.round(systemClock.nowMs() - startMs);
  process.stdout.write(`shown ${atMs} ${event.generation} ${sha1(desk.pixels())}\n`);
});

function paint(): void {
  const random = (most: number): number => Math.floor(Math.random() * most);
  link.paint({ x: random(300), y: random(200), width: 100, height: 100 }, random(0xffffff));
  desk.recordings.bookmark(id, `${desk.desktop.generation}`, BY.by);
  systemClock.after(15, paint);
}
paint();

import { setTimeout as pause } from "node:timers/promises";
import { newTokenSchema } from "../src/web/api/tokens-api.ts";
import { EtcdCluster } from "../test/e2e/harness/etcd.ts";
import { FleetNodes } from "../test/e2e/harness/fleet-nodes.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";
import { WebViewer } from "./web-viewer.ts";

const VIEWERS = 200;
const SHORT_VIEWERS = 6;
const OPENED_AT_ONCE = 10;
const SETTLE_MS = 4000;
const WATCHED_MS = 8000;
const SHORT_MS = 500;
/** Of so many parts of that time the least CPU counts: what disturbs only adds. */
const PARTS = 4;
const CHANGES = 60;
const SHORT_CHANGES = 3;
const CHANGE_WITHIN_MS = 30_000;

/**
 * CASCADE: viewers at two nodes of a desktop that a third one has, each of another person: CPU of that one with 200 of them beside 2, and how much later than a
 * viewer at the owner one of them shows a change.
 */
export async function benchCascade(owner: Owner, isShort: boolean): Promise<Line[]> {
  const etcd = await EtcdCluster.start(owner, 1);
  const fleet = await FleetNodes.start(owner, etcd, ["a", "b", "c"]);
  const screen = await XDisplay.start(owner, { geometry: "1280x800" });
  const { id, owner: has } = await fleet.add(screen.vncPort);
  const far = fleet.names.filter((name) => name !== has);
  let people = 0;
  // Each is a person of their own, and so has a seat of their own at the owner.
  const open = async (name: string): Promise<WebViewer> => {
    const node = fleet.node(name);
    const made = await node.fetch("/api/v1/tokens", { name: `looker ${++people}`, role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const viewer = await WebViewer.open(`${node.url.replace("http", "ws")}/ws/desktops/${id}`, {
      authorization: `Bearer ${token}`,
    });
    owner.teardown(() => viewer.close());
    return viewer;
  };
  const near = await open(has);
  const late = await lateness(screen, near, await open(far[0] ?? ""), isShort);
  near.close();
  await screen.openTerminal(
    "scrolls",
    "100x40+20+20",
    "i=0; while :; do i=$((i+1)); echo $i $((i*7919)) lorem ipsum; sleep 0.05; done",
  );
  const cpuOf = async (): Promise<number> => {
    await pause(isShort ? SHORT_MS : SETTLE_MS);
    const { pid } = fleet.node(has).program;
    let least = Number.POSITIVE_INFINITY;
    for (let part = 0; part < PARTS; part++) {
      const [before, beganMs] = [cpuMs(pid), performance.now()];
      await pause((isShort ? SHORT_MS : WATCHED_MS) / PARTS);
      least = Math.min(least, ((cpuMs(pid) - before) * 1000) / (performance.now() - beganMs));
    }
    return least;
  };
  const all = [await open(far[1] ?? "")];
  const few = await cpuOf();
  const count = isShort ? SHORT_VIEWERS : VIEWERS;
  while (all.length < count - 1) {
    const some = Math.min(OPENED_AT_ONCE, count - 1 - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, (_, i) => open(far[i % 2] ?? "")))));
  }
  const before = all.map(({ updates }) => updates);
  const many = await cpuOf();
  const unfed = all.filter(({ updates }, i) => updates === before[i]).length;
  if (unfed > 0) throw new Error(`CASCADE: ${unfed} of ${count} viewers got nothing`);
  return [
    judged({
      ...{
        id: "CASCADE",
        metric: `CPU a second of who has the desktop, ${count} viewers on two other nodes`,
      },
      ...{ unit: "ms", ours: many, peer: "two viewers there", theirs: few, goal: { atMost: 1.2 } },
    }),
    judged({
      ...{ id: "CASCADE", metric: "a change in the picture of a viewer at another node, later by, p95" },
      ...{ unit: "ms", ours: late, peer: "the limit", theirs: 10, goal: { within: 10 } },
    }),
  ];
}

/** By how many milliseconds `far` shows changes after `near`, p95. */
async function lateness(
  screen: XDisplay,
  near: WebViewer,
  far: WebViewer,
  isShort: boolean,
): Promise<number> {
  const times: number[] = [];
  for (let change = 0; change < (isShort ? SHORT_CHANGES : CHANGES); change++) {
    const level = 1 + ((change * 37) % 250);
    const shows = (viewer: WebViewer): Promise<number> =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error("CASCADE: a change is not shown")), CHANGE_WITHIN_MS);
        const look = (): void => {
          // Red, as it was asked for: JPEG never errs so far.
          if (Math.abs((viewer.picture[0] ?? 0) - level) > 8) return;
          clearTimeout(limit);
          viewer.onUpdate = () => undefined;
          resolve(performance.now());
        };
        viewer.onUpdate = look;
      });
    const shown = Promise.all([shows(near), shows(far)]);
    await screen.command("xsetroot", "-solid", `#${level.toString(16).padStart(2, "0")}2040`);
    const [nearMs = 0, farMs = 0] = await shown;
    times.push(Math.max(0, farMs - nearMs));
  }
  return summary(times).p95;
}

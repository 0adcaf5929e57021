import t from "tap";
import * as z from "zod";
import { SHAPES } from "../../../src/compositor/shapes/list.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { CrowdTarget } from "../targets/crowd-target.ts";
import {
  annotationFlood,
  type End,
  type Flood,
  freehandFlood,
  onlyDesktopId,
  overlayFlood,
  PlainAgent,
  screenshotFlood,
} from "./floods.ts";

/** What all floods together may add: four times what they take, a twentieth of what they took. */
const MOST_GROWTH = 512 * 1024 * 1024;

t.test(
  "whatever one agent asks for at once, a stop is done before it has its answers",
  { timeout: 300_000 },
  async (t) => {
    const target = await CrowdTarget.start(t, 120, 67);
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${target.port}`] });
    target.rest();
    const agent = new PlainAgent(appliance);
    const id = await onlyDesktopId(appliance);
    await until("a picture", async () => (await agent.call("take_screenshot", {})) === "done", 30_000);
    const before = appliance.residentBytes;
    let mostBytes = before;
    const watch = setInterval(() => {
      mostBytes = Math.max(mostBytes, appliance.residentBytes);
    }, 50);
    t.teardown(() => clearInterval(watch));
    const floods: readonly (() => Promise<Flood>)[] = [
      async () => freehandFlood(),
      async () => overlayFlood(SHAPES.map(({ kind }) => kind)),
      async () => annotationFlood(await agent.look()),
      async () => screenshotFlood("png", 60),
      async () => screenshotFlood("jpeg", 60),
      async () => screenshotFlood("webp", 60),
    ];
    for (const make of floods) {
      const flood = await make();
      const ends: End[] = [];
      const over = agent.flood(flood, (end) => ends.push(end));
      await until("the first answer or a moment", () => ends.length > 0 || flood.calls.length < 10, 60_000);
      const stop = await appliance.fetch(`/api/v1/desktops/${id}/stop`, {});
      t.equal(stop.status, 200);
      const answered = ends.length;
      t.equal(await agent.call("click_at", { x: 5, y: 5 }), "stopped", "and it holds");
      await over;
      t.ok(
        answered < flood.calls.length,
        `${flood.name}: ${answered} of ${flood.calls.length} before the stop`,
      );
      t.notOk(ends.includes("internal_error"), `${flood.name}: ${[...new Set(ends)].join(", ")}`);
      await appliance.fetch(`/api/v1/desktops/${id}/resume`, {});
      t.equal(await agent.call("clear_overlays", {}), "done");
    }
    const growth = mostBytes - before;
    t.ok(growth < MOST_GROWTH, `the server grew by ${Math.round(growth / 2 ** 20)} MiB`);
  },
);

t.test("what an agent draws beyond its share is refused, and others still draw", async (t) => {
  const appliance = await Appliance.start(t);
  const flood = new PlainAgent(appliance);
  const other = new PlainAgent(appliance, appliance.adminToken);
  await until("a picture", async () => (await flood.call("take_screenshot", {})) === "done", 30_000);
  await flood.flood(overlayFlood(["box"]));
  const drawn = await (
    await appliance.fetch(`/api/v1/desktops/${await onlyDesktopId(appliance)}/overlays`)
  ).json();
  t.equal(z.array(z.unknown()).parse(drawn).length, 100, "of five batches of 100");
  t.equal(await flood.call("draw_overlay", { x: 1, y: 1, width: 9, height: 9 }), "too_many");
  t.equal(await other.call("draw_overlay", { x: 1, y: 1, width: 9, height: 9 }), "done");
  t.equal(await flood.call("take_screenshot", { include_overlays: true }), "done");
});

import t, { type Test } from "tap";
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
  jsonFlood,
  onlyDesktopId,
  overlayFlood,
  PlainAgent,
  plainAgents,
  removalFlood,
  restFlood,
  screenshotFlood,
} from "./floods.ts";

/** What all floods together may add: four times what they take, a twentieth of what they took. */
const MOST_GROWTH = 512 * 1024 * 1024;

const EVERY_KIND = overlayFlood(SHAPES.map(({ kind }) => kind));

/** A server with a full HD desktop that is flooded, and how much it grew. */
class FloodedHouse {
  readonly appliance: Appliance;
  readonly agent: PlainAgent;
  readonly id: string;
  readonly #before: number;
  #mostBytes: number;

  private constructor(appliance: Appliance, agent: PlainAgent, id: string) {
    this.appliance = appliance;
    this.agent = agent;
    this.id = id;
    this.#before = appliance.residentBytes;
    this.#mostBytes = this.#before;
  }

  static async open(t: Test): Promise<FloodedHouse> {
    const target = await CrowdTarget.start(t, 120, 67);
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${target.port}`] });
    target.rest();
    const agent = new PlainAgent(appliance);
    const id = await onlyDesktopId(appliance);
    await until("a picture", async () => (await agent.call("take_screenshot", {})) === "done", 30_000);
    const house = new FloodedHouse(appliance, agent, id);
    const watch = setInterval(() => {
      house.#mostBytes = Math.max(house.#mostBytes, appliance.residentBytes);
    }, 50);
    t.teardown(() => clearInterval(watch));
    return house;
  }

  get growth(): number {
    return this.#mostBytes - this.#before;
  }

  /** What each call of each agent came to: the desktop is stopped before all have their answers, and goes on after. */
  async stopDuring(
    t: Test,
    flood: Flood,
    agents: readonly PlainAgent[] = [this.agent],
  ): Promise<readonly End[]> {
    const ends: End[] = [];
    const count = agents.length * flood.calls.length;
    const over = Promise.all(agents.map((agent) => agent.flood(flood, (end) => ends.push(end))));
    await until("the first answer or a moment", () => ends.length > 0 || count < 10, 60_000);
    const stop = await this.appliance.fetch(`/api/v1/desktops/${this.id}/stop`, {});
    t.equal(stop.status, 200);
    const answered = ends.length;
    t.equal(await this.agent.call("click_at", { x: 5, y: 5 }), "stopped", "and it holds");
    await over;
    t.ok(answered < count, `${flood.name}: ${answered} of ${count} before the stop`);
    const isBroken = ends.includes("internal_error") || ends.includes("http 500");
    t.notOk(isBroken, `${flood.name}: ${[...new Set(ends)].join(", ")}`);
    await this.appliance.fetch(`/api/v1/desktops/${this.id}/resume`, {});
    return ends;
  }

  async overlays(): Promise<readonly { readonly id: string }[]> {
    const answer = await this.appliance.fetch(`/api/v1/desktops/${this.id}/overlays`);
    return z.array(z.object({ id: z.string() })).parse(await answer.json());
  }

  checkGrowth(t: Test): void {
    t.ok(this.growth < MOST_GROWTH, `the server grew by ${Math.round(this.growth / 2 ** 20)} MiB`);
  }
}

t.test(
  "whatever one agent asks for at once, a stop is done before it has its answers",
  { timeout: 300_000 },
  async (t) => {
    const house = await FloodedHouse.open(t);
    const { agent } = house;
    const floods: readonly (() => Promise<Flood>)[] = [
      async () => freehandFlood(),
      async () => EVERY_KIND,
      async () => annotationFlood(await agent.look()),
      async () => screenshotFlood("png", 60),
      async () => screenshotFlood("jpeg", 60),
      async () => screenshotFlood("webp", 60),
    ];
    for (const make of floods) {
      await house.stopDuring(t, await make());
      t.equal(await agent.call("clear_overlays", {}), "done");
    }
    house.checkGrowth(t);
  },
);

t.test(
  "and so where five agents draw all that they may at once, and ask for it by REST",
  { timeout: 300_000 },
  async (t) => {
    const house = await FloodedHouse.open(t);
    const agents = await plainAgents(house.appliance, 5);
    await house.stopDuring(t, EVERY_KIND, agents);
    for (const agent of agents) t.equal(await agent.call("clear_overlays", {}), "done");
    t.same(await house.overlays(), [], "what was drawn before the stop is gone");
    // Of every kind they would reach over too many pixels together.
    const boxes = overlayFlood(["box"]);
    await Promise.all(agents.map((agent) => agent.flood(boxes)));
    const drawn = await house.overlays();
    t.equal(drawn.length, 500, "each asks for five times its share, and has it");
    t.equal(await house.agent.call("draw_overlay", { x: 1, y: 1, width: 9, height: 9 }), "too_many");

    const asked = await house.stopDuring(t, restFlood(house.id, 120));
    t.same([...new Set(asked)].sort(), ["done", "http 429"], "more pictures than may wait are refused");
    t.ok(asked.filter((end) => end === "done").length > 120, "the others are answered, and so are all lists");
    const [first] = agents;
    if (first === undefined) throw new Error("there is no agent");
    const taken = await first.flood(removalFlood(house.id, await house.overlays()));
    t.equal(taken.filter((end) => end === "done").length, 100, "of all, each takes away its own");
    t.equal(taken.filter((end) => end === "http 404").length, 400);
    t.equal((await house.overlays()).length, 400);
    house.checkGrowth(t);
  },
);

t.test("and where it posts JSON that is as dear to read as it gets", { timeout: 120_000 }, async (t) => {
  const house = await FloodedHouse.open(t);
  const ends = await house.stopDuring(t, jsonFlood(1));
  t.same([...new Set(ends)].sort(), ["done", "http 400"]);
  house.checkGrowth(t);
});

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

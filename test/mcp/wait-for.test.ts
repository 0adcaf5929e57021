import t from "tap";
import { LinkError } from "../../src/desktop/error.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { FakeClock } from "../fake-clock.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

function desk() {
  const clock = new FakeClock();
  const house = fakeHouse({ clock });
  return { clock, desktop: house.desktops.get("one"), call: callsTo(house) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const LIVE = { kind: "live", sinceMs: 0, description: "" } as const;
const DOWN = {
  kind: "reconnecting",
  attempt: 1,
  nextAtMs: 0,
  error: new LinkError("target_closed", "gone"),
} as const;

t.test("a target that is down is not at rest: nothing is known of it", async (t) => {
  const { clock, desktop, call } = desk();
  const enter = (state: typeof LIVE | typeof DOWN): void => {
    desktop.state = state;
    desktop.emit({ type: "state", state });
  };
  const waiting = call("wait_for", { condition: "stable", stable_ms: 500, timeout_ms: 5000 });
  await turn();
  clock.advance(100);
  enter(DOWN);
  await turn();
  clock.advance(2000);
  await turn();
  enter(LIVE);
  await turn();
  clock.advance(499);
  await turn();
  clock.advance(1);
  t.match((await waiting).structured, { met: true, waited_ms: 2600, stale: false });
  enter(DOWN);
  const late = call("wait_for", { condition: "stable", stable_ms: 1, timeout_ms: 300 });
  await turn();
  clock.advance(300);
  const { structured, text } = await late;
  t.match(structured, { met: false, stale: true });
  t.match(text, /target is down/);
});

t.test("waiting ends with the desktop", async (t) => {
  const { desktop, call } = desk();
  const waiting = call("wait_for", { condition: "change" });
  await turn();
  desktop.state = { kind: "closed" };
  desktop.emit({ type: "state", state: desktop.state });
  t.match((await waiting).error, { code: "not_found", message: /removed/ });
});

t.test("a place that is no more on the screen has no colour", async (t) => {
  const { desktop, call } = desk();
  const waiting = call("wait_for", { condition: "color", x: 1900, y: 700, color: "black" });
  await turn();
  desktop.resize(800, 600);
  desktop.paint(rect(0, 0, 800, 600), 0);
  t.match((await waiting).error, { code: "stale_screenshot", message: /1920x800.*800x600/ });
});

t.test("an anchor is waited for where it is asked for, and with the tolerance asked for", async (t) => {
  const { call } = desk();
  const { anchor_id } = (await call("add_anchor", { x: 300, y: 300, width: 60, height: 40 })).structured;
  const elsewhere = { x: 900, y: 100, width: 300, height: 300 };
  const args = { condition: "anchor", anchor_id, timeout_ms: 0 };
  t.match((await call("wait_for", args)).structured, { met: true });
  t.match((await call("wait_for", { ...args, region: elsewhere })).structured, { met: false });
});

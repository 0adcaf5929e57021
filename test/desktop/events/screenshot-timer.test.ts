import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import {
  type Captured,
  type Frequency,
  ScreenshotTimer,
} from "../../../src/desktop/events/screenshot-timer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeDesktop } from "../../mcp/fake-desktop.ts";

const ON_CHANGE: Frequency = { mode: "on_change", intervalMs: 1000, onlyOnChange: true };

/** A desktop whose pictures are ready when `ready` is called. */
function setUp(frequency: Frequency) {
  const clock = new FakeClock();
  const desktop = new FakeDesktop({ id: "one", name: "One", protocol: "vnc", host: "h" });
  const captures: ((captured: Captured | null) => void)[] = [];
  const timer = new ScreenshotTimer(desktop, frequency, clock, {
    onDue: () => {},
    capture: () => new Promise((resolve) => captures.push(resolve)),
  });
  const ready = async (captured: Captured | null): Promise<void> => {
    captures.at(-1)?.(captured);
    await turn();
  };
  const told = () => timer.queue.take(10).events;
  return { clock, desktop, captures, timer, ready, told };
}

for (const frequency of [ON_CHANGE, { ...ON_CHANGE, mode: "periodic" }] as const) {
  t.test(`${frequency.mode}: what changed during a picture is in the next one`, async (t) => {
    const { clock, desktop, captures, timer, ready, told } = setUp(frequency);
    desktop.paint(rect(0, 0, 1, 1));
    clock.advance(1000);
    t.equal(captures.length, 1);
    const shown = desktop.generation;
    desktop.paint(rect(1, 0, 1, 1));
    clock.advance(5000);
    t.equal(captures.length, 1, "one is taken at a time");
    await ready({ id: "first", generation: shown });
    t.match(told(), [{ type: "screenshot_due", screenshotId: "first", generation: shown }]);
    t.equal(captures.length, 2, "the change is still to be shown");
    await ready({ id: "second", generation: desktop.generation });
    t.match(told(), [{ screenshotId: "second", generation: desktop.generation }]);
    clock.advance(5000);
    t.equal(captures.length, 2, "nothing changed since");
    timer.close();
  });
}

t.test("what is owed is not taken after the end", async (t) => {
  const { clock, desktop, captures, timer, ready, told } = setUp(ON_CHANGE);
  desktop.paint(rect(0, 0, 1, 1));
  desktop.paint(rect(1, 0, 1, 1));
  clock.advance(5000);
  timer.close();
  await ready({ id: "first", generation: desktop.generation });
  t.equal(captures.length, 1);
  t.same(told(), []);
});

t.test("where no picture could be taken it is told of the screen that asked for it", async (t) => {
  const { desktop, timer, ready, told } = setUp(ON_CHANGE);
  desktop.paint(rect(0, 0, 1, 1));
  const asked = desktop.generation;
  await ready(null);
  t.match(told(), [{ screenshotId: null, generation: asked }]);
  timer.close();
});

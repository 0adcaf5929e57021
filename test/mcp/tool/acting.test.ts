import t from "tap";
import { unseenEffect } from "../../../src/desktop/control/action.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { FakeClock } from "../../fake-clock.ts";
import { callsTo } from "../call.ts";
import { fakeHouse } from "../fake-house.ts";

function desk(options: Parameters<typeof fakeHouse>[0] = {}) {
  const house = fakeHouse(options);
  return { desktop: house.desktops.get("one"), call: callsTo(house) };
}

const UNCHANGED = { effect: { ...unseenEffect(1), changed: false } };
const UNKNOWN = { effect: { ...UNCHANGED.effect, changed: null } };

t.test("what was done is told as done, though its picture was one too many", async (t) => {
  const click = { x: 1, y: 1 };
  const cases = [
    ["click_at", click],
    ["batch_actions", { actions: [{ tool: "click_at", arguments: click }] }],
    ["computer", { action: "left_click", coordinate: [1, 1] }],
  ] as const;
  for (const [tool, args] of cases) {
    const { desktop, call } = desk({ clock: new FakeClock(), isRateLimited: true });
    for (let i = 0; i < 10; i++) await call("take_screenshot");
    t.match((await call("take_screenshot")).error, { code: "rate_limited" });
    const { isError, structured, text, images } = await call(tool, {
      ...args,
      return_screenshot: "after_stable",
    });
    t.equal(desktop.performed.length, 1);
    t.notOk(isError, `${tool}: who reads an error clicks again`);
    t.match(structured, { success: true, screenshot_error: { code: "rate_limited" } });
    t.match(text, /The image is missing: rate_limited: /);
    t.same(images, []);
  }
});

t.test("a picture after an action is of the screen as large as it is by then", async (t) => {
  const { desktop, call } = desk();
  // The first one is a look at one pixel before the wait.
  desktop.onSnapshot = () => {
    if (desktop.size.width !== 800) desktop.resize(800, 600);
  };
  const { structured } = await call("click_at", { x: 1, y: 1, return_screenshot: "after_stable" });
  t.match(structured["screenshot"], { region: { width: 800, height: 600 } });
});

t.test("the text names the picture and where it lies", async (t) => {
  const { call } = desk();
  const { text, structured } = await call("click_at", { x: 1, y: 1, return_screenshot: "diff" });
  t.match(structured["screenshot"], { region: { x: 1, y: 2, width: 3, height: 4 } });
  t.match(text, /The image shows 3x4 at 1,2, screenshot_id [-0-9a-f]{36}\./);
});

t.test("a difference that nobody knows is shown as the whole screen, not as nothing", async (t) => {
  const { desktop, call } = desk();
  desktop.onPerform = async () => UNKNOWN;
  const { structured } = await call("click_at", { x: 1, y: 1, return_screenshot: "diff" });
  t.match(structured["screenshot"], { region: { width: 1920, height: 800 } });
});

t.test("a difference in several places comes as several images, each with its place", async (t) => {
  const { desktop, call } = desk();
  const changedRects = [rect(0, 0, 9, 9), rect(500, 400, 20, 20)];
  desktop.onPerform = async () => ({
    effect: { ...unseenEffect(7), changed: true, changedRects, repaintedRects: changedRects },
  });
  desktop.parts = changedRects.map((shown) => ({ rect: shown, place: shown, bytes: desktop.png }));
  const { structured, images, text } = await call("click_at", { x: 1, y: 1, return_screenshot: "diff" });
  t.equal(images.length, 2);
  const parts = changedRects.map((region) => ({ region, place: region }));
  t.match(structured["screenshot"], { region: { x: 0, y: 0, width: 520, height: 420 }, parts });
  t.match(text, /2 images are parts of 520x420 at 0,0/);
});

t.test("what only moved is told and left out of the image", async (t) => {
  const { desktop, call } = desk();
  const effect = {
    ...{ ...unseenEffect(7), changed: true, changedRects: [rect(0, 0, 400, 300)] },
    ...{
      moves: [{ fromX: 0, fromY: 60, to: rect(0, 0, 400, 240) }],
      repaintedRects: [rect(0, 240, 400, 60)],
    },
  };
  desktop.onPerform = async () => ({ effect });
  const { structured, text } = await call("scroll", { x: 9, y: 9, dy: 3, return_screenshot: "diff" });
  t.match(structured, {
    changed_rects: [{ x: 0, y: 0, width: 400, height: 300 }],
    moves: [{ from: { x: 0, y: 60 }, to: { x: 0, y: 0, width: 400, height: 240 } }],
    screenshot: { region: { x: 0, y: 240, width: 400, height: 60 } },
  });
  t.match(text, /what is now 400x240 at 0,0 moved up by 60/);
});

t.test("a picture waits for the effect's area alone, and not for what moves for ever", async (t) => {
  for (const [returned, moving, isStill] of [
    ["diff", rect(900, 500, 50, 50), true],
    ["diff", rect(0, 0, 5, 5), false],
    ["after_stable", rect(900, 500, 50, 50), true],
    ["after_stable", rect(20, 20, 5, 5), false],
  ] as const) {
    const { desktop, call } = desk();
    const restlessRects = [rect(900, 500, 50, 50)];
    const changedRects = [rect(1, 2, 3, 4)];
    desktop.onPerform = async () => ({
      effect: {
        ...unseenEffect(7),
        changed: true,
        changedRects,
        repaintedRects: changedRects,
        restlessRects,
      },
    });
    const timer = setInterval(() => desktop.paint(moving), 20);
    t.teardown(() => clearInterval(timer));
    const { structured, text } = await call("click_at", { x: 1, y: 1, return_screenshot: returned });
    clearInterval(timer);
    t.ok(structured["screenshot"]);
    t.equal(/It still changes/.test(text), !isStill, `${returned} at ${moving.x}`);
  }
});

t.test("the difference of several actions is of all of them", async (t) => {
  const click = { type: "click", button: "left", x: 1, y: 1 };
  const batched = { tool: "click_at", arguments: { x: 1, y: 1 } };
  const cases = [
    ["computer", { actions: [click, click] }, "screenshots"],
    ["batch_actions", { actions: [batched, batched] }, "screenshot"],
  ] as const;
  for (const [tool, args, name] of cases) {
    const { desktop, call } = desk();
    desktop.onPerform = async () => {
      const changedRects = [rect(desktop.performed.length * 10, 0, 5, 5)];
      return { effect: { ...UNCHANGED.effect, changed: true, changedRects, repaintedRects: changedRects } };
    };
    const { structured } = await call(tool, { ...args, return_screenshot: "diff" });
    t.match([structured[name]].flat()[0], { region: { x: 10, y: 0, width: 15, height: 5 } }, tool);
  }
});

t.test("the difference of a batch holds what changed between actions that changed nothing", async (t) => {
  const { desktop, call } = desk();
  desktop.onPerform = async () => {
    if (desktop.performed.length === 2) desktop.paint(rect(30, 40, 5, 6));
    return { effect: { ...unseenEffect(desktop.generation), changed: false, changedRects: [] } };
  };
  const actions = [1, 2].map((x) => ({ tool: "click_at", arguments: { x, y: 1 } }));
  const told = await call("batch_actions", { actions, return_screenshot: "diff" });
  t.match(told.structured["screenshot"], { region: { x: 30, y: 40, width: 5, height: 6 } });
  const quiet = await call("batch_actions", { actions, return_screenshot: "diff" });
  t.equal(quiet.structured["screenshot"], null, "nothing changed at all");
});

t.test("characters that no key makes are no success, in a batch and in a vendor's list either", async (t) => {
  const { desktop, call } = desk();
  desktop.onPerform = async () => ({ notTyped: ["€", "ß"] });
  const batch = await call("batch_actions", { actions: [{ tool: "type_text", arguments: { text: "a€ß" } }] });
  t.match(batch.structured, { success: false, completed: 1, failed: null });
  t.match(batch.text, /actions\.0 \(type_text\) was not done in full/);
  const vendor = await call("computer", { type: "type", text: "a€ß" });
  t.match(vendor.structured, { success: false, done: [{ not_typed: ["€", "ß"] }] });
  t.match(vendor.text, /2 characters could not be typed/);
});

import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";
import { ManualClock } from "./manual-clock.ts";

function desk(options: Parameters<typeof fakeHouse>[0] = {}) {
  const house = fakeHouse(options);
  return { desktop: house.desktops.get("one"), call: callsTo(house) };
}

const UNCHANGED = {
  effect: { changed: false, changedRects: [], settleMs: 1, generationBefore: 1, generationAfter: 1 },
};
const UNKNOWN = { effect: { ...UNCHANGED.effect, changed: null } };

t.test("what was done is told as done, though its picture was one too many", async (t) => {
  const click = { x: 1, y: 1 };
  const cases = [
    ["click_at", click],
    ["batch_actions", { actions: [{ tool: "click_at", arguments: click }] }],
    ["computer", { action: "left_click", coordinate: [1, 1] }],
  ] as const;
  for (const [tool, args] of cases) {
    const { desktop, call } = desk({ clock: new ManualClock(), isRateLimited: true });
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
  desktop.onSnapshot = ({ stableMs }) => {
    if (stableMs !== undefined && desktop.size.width !== 800) desktop.resize(800, 600);
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
      const x = desktop.performed.length * 10;
      return { effect: { ...UNCHANGED.effect, changed: true, changedRects: [rect(x, 0, 5, 5)] } };
    };
    const { structured } = await call(tool, { ...args, return_screenshot: "diff" });
    t.match([structured[name]].flat()[0], { region: { x: 10, y: 0, width: 15, height: 5 } }, tool);
  }
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

import t from "tap";
import { LinkError, RefusedError } from "../../src/desktop/error.ts";
import { FakeClock } from "../fake-clock.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

function desk(options: Parameters<typeof fakeHouse>[0] = {}) {
  const house = fakeHouse(options);
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  return { house, desktop, call, kinds: () => desktop.performed.map(({ action }) => action.kind) };
}

const failedOf = (structured: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(structured["failed"])));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test("a tool_use block of Anthropic's older tools, whose name is the tool's, is done", async (t) => {
  const { desktop, call } = desk();
  const input = { action: "left_click", coordinate: [10, 20] };
  const { structured, text } = await call("computer", {
    type: "tool_use",
    id: "toolu_1",
    name: "computer",
    input,
  });
  t.match(structured, { success: true, vendor: "anthropic", done: [{ action: "left_click" }] }, text);
  t.match(desktop.performed[0]?.action, { kind: "click", x: 10, y: 20 });
  const nested = await call("computer", { name: "computer", input: { name: "computer", input: {} } });
  t.match(nested.error, { code: "invalid_parameters" }, "and what is nested in itself is not");
});

t.test("why it is done is told to the human, whoever's words the action is in", async (t) => {
  const { desktop, call } = desk();
  await call("computer", { action: "left_click", coordinate: [1, 1], intent: "open the menu" });
  await call("computer", { name: "click", args: { x: 1, y: 1, intent: "buy" }, intent: "shop" });
  t.same(
    desktop.performed.map(({ options }) => options.intent),
    ["open the menu", "buy"],
    "a model's own reason goes before the caller's",
  );
});

t.test("a list says where it stopped when the screen has another size half way", async (t) => {
  const { desktop, call } = desk();
  await call("take_screenshot");
  desktop.onPerform = async () => {
    desktop.resize(800, 600);
    return {};
  };
  const click = { type: "click", button: "left", x: 1, y: 1 };
  const { isError, structured, text } = await call("computer", { actions: [click, click] });
  t.notOk(isError, "one click was done");
  t.match(text, /Stopped at actions\.1 \(click\): stale_screenshot/, "and nothing of the other");
  t.match(structured, {
    success: false,
    done: [{ action: "click" }],
    failed: { index: 1, code: "stale_screenshot" },
  });
});

t.test("an action of several steps that stops half way says what was done", async (t) => {
  const { desktop, call } = desk();
  let part: { done?: Record<string, number> } = {};
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new RefusedError("denied_by_human", "no: ask for it again", part);
    return {};
  };
  const typeAt = { name: "type_text_at", args: { x: 1, y: 1, text: "hello" } };
  const { isError, structured, text } = await call("computer", typeAt);
  t.notOk(isError, "the click was done");
  t.match(structured, {
    success: false,
    done: [],
    failed: {
      index: 0,
      code: "denied_by_human",
      message: "no; by then 1 of 2 steps were done",
      hint: /do only what is missing/,
      steps: [{ step: "click", position: { native: { x: 1, y: 0 } } }],
    },
  });
  t.same(failedOf(structured)["done"], { steps: 1, of: 2 });
  t.match(
    text,
    /\(type_text_at\) after click at 1,0: denied_by_human: no; by then 1 of 2 steps were done\. /,
  );
  t.match(text, /do only what is missing/);
  part = { done: { typed: 2, of: 5 } };
  const begun = await call("computer", typeAt);
  t.same(failedOf(begun.structured)["done"], { typed: 2, of: 5, steps: 1, of_steps: 2 });
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new LinkError("target_closed", "gone");
    return {};
  };
  const lost = await call("computer", typeAt);
  t.match(lost.structured, { failed: { code: "target_closed", hint: /do only what is missing/ } });
  t.same(failedOf(lost.structured)["done"], { steps: 1, of: 2 }, "whatever ended it");
});

t.test("what was done of an action at which a list stops is told, and only of that one", async (t) => {
  const { desktop, call } = desk();
  let part: { done?: Record<string, number> } = {};
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new RefusedError("human_in_control", "busy", part);
    return {};
  };
  const actions = [
    { type: "click", button: "left", x: 1, y: 1 },
    { type: "type", text: "hello" },
  ];
  const whole = await call("computer", { actions });
  t.match(whole.structured, { done: [{ action: "click" }], failed: { index: 1, steps: [] } });
  t.notOk("done" in failedOf(whole.structured), "nothing of the text was typed");
  part = { done: { typed: 3, of: 5 } };
  const begun = await call("computer", { actions });
  t.same(failedOf(begun.structured)["done"], { typed: 3, of: 5 });
  t.match(begun.text, /do only what is missing/);
  const alone = await call("computer", { type: "type", text: "hello" });
  t.match(alone.error, { code: "human_in_control", done: { typed: 3, of: 5 } });
});

t.test("a move whose keys went down in vain says so", async (t) => {
  const { desktop, call } = desk();
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "move") throw new RefusedError("denied_by_human", "no");
    return {};
  };
  const { error } = await call("computer", { type: "move", x: 1, y: 1, keys: ["SUPER"] });
  t.match(error, { code: "denied_by_human", done: { steps: 1, of: 3 } });
  desktop.onPerform = async () => {
    throw new RefusedError("denied_by_human", "no");
  };
  const refused = await call("computer", { type: "move", x: 1, y: 1, keys: ["SUPER"] });
  t.match(refused.error, { code: "denied_by_human" });
  t.notOk(Object.hasOwn(Object(refused.error), "done"), "where the keys were denied nothing was done");
});

t.test("what an action pressed by itself is let go when it ends before it let go", async (t) => {
  const clock = new FakeClock();
  const { call, kinds, desktop } = desk({ clock });
  const abort = new AbortController();
  const pressing = call("computer", { name: "long_press", args: { x: 1, y: 1 } }, { signal: abort.signal });
  await turn();
  abort.abort();
  await pressing;
  t.same(kinds(), ["button", "release"], "a long press that was cancelled");
  desktop.performed.length = 0;
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "move") throw new RefusedError("denied_by_human", "no");
    return {};
  };
  await call("computer", { type: "move", x: 1, y: 1, keys: ["SHIFT"] });
  t.same(kinds().at(-1), "release", "a move with keys held that was denied");
  t.notOk(desktop.performed.at(-1)?.options.signal, "whatever became of the call");
});

t.test("the text says places as the model counts them, and as the desktop does", async (t) => {
  const { desktop, call } = desk();
  await call("take_screenshot", { scale: 0.5 });
  desktop.pointer = { x: 700, y: 400 };
  const both = /at 350,200 of your screenshot \(desktop pixel 700,400\)/;
  t.match((await call("computer", { action: "cursor_position" })).text, both);
  t.match((await call("cursor_position")).text, both);
  t.match(
    (await call("computer", { action: "left_click", coordinate: [350, 200] })).text,
    /350,200 of your scr/,
  );
});

t.test("waiting shows the screen afterwards too, where that is asked for", async (t) => {
  const { call } = desk();
  const { images } = await call("computer", {
    action: "wait",
    duration: 0,
    return_screenshot: "after_stable",
  });
  t.equal(images.length, 1);
});

t.test(
  "Anthropic's models get images that their API does not shrink, and others what they ask for",
  async (t) => {
    const { desktop, call } = desk();
    const fits: unknown[] = [];
    desktop.onSnapshot = ({ fit }) => fits.push(fit);
    await call("computer", { action: "screenshot" });
    await call("computer", { action: "screenshot", fit: "none" });
    await call("computer", { type: "screenshot" });
    await call("computer", { type: "screenshot", fit: "openai" });
    t.same(fits, ["claude", "none", "none", "openai"]);
  },
);

t.test("who has only this tool gets on after the screen has another size", async (t) => {
  const { desktop, call, kinds } = desk();
  await call("computer", { action: "screenshot" });
  desktop.resize(800, 600);
  const click = { action: "left_click", coordinate: [1, 1] };
  t.match((await call("computer", click)).error, { code: "stale_screenshot", hint: /take a new screenshot/ });
  for (const action of [{ action: "cursor_position" }, { action: "key", text: "ctrl+c" }]) {
    t.match((await call("computer", action)).structured, { success: true });
  }
  t.match((await call("cursor_position")).structured, { position: { image: { x: 5 }, screenshot_id: null } });
  t.match((await call("computer", { action: "screenshot" })).structured, { screenshots: [{ width: 800 }] });
  t.match((await call("computer", click)).structured, { success: true });
  t.same(kinds(), ["chords", "click"]);
});

t.test("the last picture of a target that is down is told as that", async (t) => {
  const { desktop, call } = desk();
  desktop.isStale = true;
  const down = /target is down: this is the last picture/;
  t.match((await call("computer", { action: "screenshot" })).text, down);
  const zoomed = await call("zoom", { region: { x: 1, y: 1, width: 5, height: 5 } });
  t.match(zoomed.text, down);
  t.match(zoomed.structured, { stale: true });
});

t.test("a look by another tool does not change what coordinates mean that name no screenshot", async (t) => {
  const { desktop, call } = desk();
  const clicked = (): unknown => desktop.performed.at(-1)?.action;
  await call("computer", { type: "screenshot", fit: "none" });
  await call("take_screenshot", { scale: 0.5 });
  await call("computer", { type: "click", button: "left", x: 100, y: 50 });
  t.match(clicked(), { x: 100, y: 50 }, "pixels of what computer gave");
  const { structured } = await call("take_screenshot", { scale: 0.5 });
  const { screenshot_id } = Object(structured);
  await call("computer", { type: "click", button: "left", x: 100, y: 50, screenshot_id });
  t.match(clicked(), { x: 201, y: 101 }, "unless they name it");
  const { screenshots } = Object((await call("computer", { type: "screenshot", fit: "none" })).structured);
  const told = await call("computer", { type: "click", button: "left", x: 1, y: 1 });
  t.match(
    told.structured,
    { done: [{ position: { screenshot_id: screenshots[0].screenshot_id } }] },
    "the answer names the screenshot they belong to",
  );
});

t.test("before computer gave a picture, coordinates are of the latest look", async (t) => {
  const { desktop, call } = desk();
  await call("take_screenshot", { scale: 0.5 });
  await call("computer", { type: "click", button: "left", x: 100, y: 50 });
  t.match(desktop.performed.at(-1)?.action, { x: 201, y: 101 });
});

import t from "tap";
import { RefusedError } from "../../src/desktop/error.ts";
import { callsTo } from "./call.ts";
import { ADMIN, fakeHouse } from "./fake-house.ts";

t.test("click_at clicks as an agent and reports the effect", async (t) => {
  const house = fakeHouse();
  const { structured, text } = await callsTo(house)("click_at", { x: 640, y: 300 }, { principal: ADMIN });
  t.match(house.desktops.get("one").performed, [
    {
      action: { kind: "click", x: 640, y: 300, button: "left", clicks: 1, holdKeysyms: [] },
      actor: { kind: "agent", id: "admin" },
      options: { requireConfirmation: false, effectTimeoutMs: undefined },
    },
  ]);
  t.match(structured, {
    ...{ success: true, was_confirmed: false, actual_position: { x: 640, y: 300 } },
    ...{ changed: true, changed_rects: [{ x: 1, y: 2, width: 3, height: 4 }], settle_ms: 12 },
    ...{ generation_before: 7, generation_after: 8 },
  });
  t.match(text, /Clicked at 640,300. The screen changed in 1 place/);
});

t.test("click_at hands over every option", async (t) => {
  const house = fakeHouse();
  const args = {
    ...{
      x: 2,
      y: 3,
      button: "back",
      clicks: 3,
      hold_keys: ["ctrl", "shift"],
      monitor_index: 1,
      intent: "open it",
    },
    ...{ require_user_confirmation: true, effect_timeout_ms: 0 },
    action_timing_hint: { minDelayMs: 1, maxDelayMs: 2 },
  };
  await callsTo(house)("click_at", args);
  const [done] = house.desktops.get("one").performed;
  t.match(done?.action, { x: 1282, y: 3, button: "back", clicks: 3, holdKeysyms: [0xffe3, 0xffe1] });
  t.match(done?.options, {
    ...{ requireConfirmation: true, intent: "open it", effectTimeoutMs: 0 },
    timing: { minDelayMs: 1, maxDelayMs: 2 },
  });
});

t.test("click_at takes what lies between pixels for the pixel next to it", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const clicked = async (args: object): Promise<unknown> => {
    await call("click_at", { ...args, effect_timeout_ms: 0 });
    const action = house.desktops.get("one").performed.at(-1)?.action;
    return action?.kind === "click" ? [action.x, action.y] : null;
  };
  t.same(await clicked({ x: 10.5, y: 20.4 }), [11, 20]);
  t.same(await clicked({ x: 1919.9, y: 799.6 }), [1919, 799], "the last pixel has no next one");
  t.same(await clicked({ x: 0.4, y: 0.6, monitor_index: 1 }), [1280, 1]);
  const { structured } = await call("take_screenshot", { scale: 0.5 });
  const { screenshot_id } = structured;
  t.same(await clicked({ x: 10.25, y: 10, screenshot_id }), [21, 21], "as exactly as it was given");
  t.same(await clicked({ x: 959.9, y: 399.9, screenshot_id }), [1919, 799]);
  t.match((await call("click_at", { x: 1920, y: 1 })).error, { code: "out_of_bounds" });
  t.match(
    (
      await call("drag", {
        path: [
          { x: 1.2, y: 1 },
          { x: 5.5, y: 9.9 },
        ],
      })
    ).structured,
    {
      from: { native: { x: 1, y: 1 } },
      to: { native: { x: 6, y: 10 } },
    },
  );
});

t.test("click_at without coordinates clicks where the pointer is", async (t) => {
  const house = fakeHouse();
  const { structured } = await callsTo(house)("click_at", { button: "right" });
  t.match(house.desktops.get("one").performed[0]?.action, { x: null, y: null, button: "right" });
  t.same(structured["actual_position"], { x: 5, y: 6 });
});

t.test("a click outside the screen is refused with the bounds, and nothing is sent", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const outside = await call("click_at", { x: 1920, y: 10 });
  t.match(outside.error, {
    code: "out_of_bounds",
    message: /got 1920,10.*1920x800 \(x 0 to 1919, y 0 to 799\)/,
  });
  const monitor = await call("click_at", { x: 10, y: 480, monitor_index: 1 });
  t.match(monitor.error, { message: /monitor 1 of 640x480/ });
  t.same(house.desktops.get("one").performed, []);
});

t.test("type_text counts characters, not code units, and lists what no key makes", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => ({ notTyped: ["\u{1F600}"], wasConfirmed: true });
  const args = { text: "ab\u{1F600}", clear_existing: true, typing_speed_wpm: 300 };
  const { structured, text } = await callsTo(house)("type_text", args);
  t.match(structured, { success: false, typed_length: 2, not_typed: ["\u{1F600}"], was_confirmed: true });
  t.match(house.desktops.get("one").performed[0]?.action, { clearExisting: true, wordsPerMinute: 300 });
  t.match(text, /Typed 2 characters, 1 could not be typed/);
  t.notMatch(text, "ab", "the text is not repeated");
});

t.test("the clipboard is read and written through the one door for actions", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  t.same((await call("get_clipboard")).structured, {
    untrusted: true,
    text: "",
    available: false,
    length: 0,
    origin: null,
  });
  house.desktops.get("one").clipboard = "x".repeat(100_001);
  const { structured } = await call("get_clipboard");
  t.match(structured, { available: true, length: 100_001, origin: "desktop" });
  t.equal(String(structured["text"]).length, 100_000);
  t.same((await call("set_clipboard", { text: "hello" })).structured, {
    ok: true,
    was_confirmed: false,
    edited: null,
  });
  t.same(
    house.desktops.get("one").performed.map(({ action }) => action.kind),
    ["read_clipboard", "read_clipboard", "write_clipboard"],
  );
});

t.test("a refusal of the heart reaches the agent with its code and the next step", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => {
    throw new RefusedError("denied_by_human", "the human said no");
  };
  const { isError, text, error } = await callsTo(house)("click_at", { x: 1, y: 1 });
  t.ok(isError);
  t.match(text, /^denied_by_human: the human said no. do not repeat it/);
  t.match(error, { code: "denied_by_human", hint: /ask what to do/ });
});

t.test("a cancelled call aborts the action", async (t) => {
  const house = fakeHouse();
  const abort = new AbortController();
  house.desktops.get("one").onPerform = ({ options: { signal } }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      abort.abort();
    });
  const { error } = await callsTo(house)("click_at", { x: 1, y: 1 }, { signal: abort.signal });
  t.match(error, { code: "cancelled" });
});

t.test("a clipboard that is cut says so, and is cut between characters", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").clipboard = "🙂".repeat(100_001);
  const { structured, text } = await callsTo(house)("get_clipboard");
  t.equal(structured["length"], 100_001);
  t.equal(structured["text"], "🙂".repeat(100_000));
  t.match(text, /the first 100000 of 100001 characters/);
});

t.test("what may be one thing or another says what either is", async (t) => {
  const call = callsTo(fakeHouse());
  for (const keys of [5, {}]) {
    const { error } = await call("press_keys", { keys });
    t.match(error, { code: "invalid_parameters", message: /^keys: .*expected string.*, or .*array.*, got / });
  }
  const absent = await call("wait_for", {});
  t.match(absent.error, { message: /^condition: required but absent, .*expected one of "stable"/ });
  t.match((await call("type_text", {})).error, { message: "text: required but absent" });
});

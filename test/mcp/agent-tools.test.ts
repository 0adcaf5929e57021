import t from "tap";
import * as z from "zod";
import { unseenEffect } from "../../src/desktop/control/action.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { FakeClock } from "../fake-clock.ts";
import { callsTo } from "./call.ts";
import { ADMIN, fakeHouse, OTHER } from "./fake-house.ts";

function desk(options: Parameters<typeof fakeHouse>[0] = {}) {
  const house = fakeHouse(options);
  return { house, desktop: house.desktops.get("one"), call: callsTo(house) };
}

/** Lets everything that is ready run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test("coordinates of an image lead to the pixels it shows, and both are echoed", async (t) => {
  const { desktop, call } = desk();
  const shot = await call("take_screenshot", {
    region: { x: 100, y: 50, width: 400, height: 200 },
    scale: 0.5,
  });
  const { screenshot_id } = shot.structured;
  const { structured } = await call("click_at", { x: 10, y: 20, screenshot_id });
  t.match(desktop.performed[0]?.action, { kind: "click", x: 121, y: 91 });
  t.match(structured, {
    actual_position: { x: 121, y: 91 },
    position: { native: { x: 121, y: 91 }, image: { x: 10, y: 20 }, screenshot_id },
  });
  const share = { x: 500, y: 999, space: "normalized_1000", screenshot_id };
  await call("move_mouse", share);
  t.match(desktop.performed[1]?.action, { kind: "move", x: 300, y: 249 });
  t.match((await call("click_at", { x: 200, y: 0, screenshot_id })).error, { code: "out_of_bounds" });
});

t.test("without an id image coordinates are of the latest screenshot, zooms apart", async (t) => {
  const { desktop, call } = desk();
  await call("take_screenshot", { scale: 0.5 });
  await call("zoom", { region: { x: 5, y: 5, width: 20, height: 20 } });
  await call("click_at", { x: 100, y: 100, space: "image" });
  t.match(desktop.performed[0]?.action, { x: 201, y: 201 });
  await call("click_at", { x: 100, y: 100 });
  t.match(desktop.performed[1]?.action, { x: 100, y: 100 }, "native is the default");
});

t.test("after a resize an image's coordinates are refused, and nothing is sent", async (t) => {
  const { desktop, call } = desk();
  const { screenshot_id } = (await call("take_screenshot")).structured;
  desktop.resize(1280, 800);
  const { error } = await call("click_at", { x: 1, y: 1, screenshot_id });
  t.match(error, { code: "stale_screenshot", message: /was 1920x800.*is 1280x800/, hint: /new screenshot/ });
  t.match((await call("computer", { action: "left_click", coordinate: [1, 1] })).error, {
    code: "stale_screenshot",
  });
  desktop.resize(1920, 800);
  const back = await call("click_at", { x: 1, y: 1, screenshot_id });
  t.match(back.error, { code: "stale_screenshot", message: /another size since/ });
  t.same(desktop.performed, []);
});

t.test("another principal's screenshot, and another desktop's, are no place to click", async (t) => {
  const { call } = desk();
  const { screenshot_id } = (await call("take_screenshot")).structured;
  const theirs = await call("click_at", { x: 1, y: 1, screenshot_id }, { principal: OTHER });
  t.match(theirs.error, { code: "not_found" });
  const elsewhere = await call("click_at", { x: 1, y: 1, screenshot_id, connection_id: "two" });
  t.match(elsewhere.error, { code: "invalid_parameters", message: /Build VM/ });
});

t.test("the mouse tools hand over what they were asked", async (t) => {
  const { desktop, call } = desk();
  await call("mouse_down", { x: 3, y: 4, button: "right" });
  await call("mouse_up", {});
  const path = [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
    { x: 5, y: 6 },
  ];
  await call("drag", { path, hold_keys: ["shift"], duration_ms: 200 });
  await call("scroll", { x: 7, y: 8, dy: -250, unit: "pixels", hold_keys: ["ctrl"] });
  await call("scroll", { dx: 2 });
  t.match(
    desktop.performed.map(({ action }) => action),
    [
      { kind: "button", x: 3, y: 4, button: "right", isDown: true },
      { kind: "button", x: null, y: null, button: "left", isDown: false },
      { kind: "drag", path, holdKeysyms: [0xffe1], durationMs: 200 },
      { kind: "scroll", x: 7, y: 8, notchesX: 0, notchesY: -3, holdKeysyms: [0xffe3] },
      { kind: "scroll", x: null, notchesX: 2, notchesY: 0 },
    ],
  );
  t.match((await call("scroll", { x: 1, y: 1 })).error, {
    code: "invalid_parameters",
    message: /dx 0 and dy 0/,
  });
  t.match((await call("scroll", { dy: 101 })).error, { message: /at most 100 notches/ });
});

t.test("keys are chords; characters alone are text, which people see and no log keeps", async (t) => {
  const { desktop, call } = desk();
  await call("press_keys", { keys: "ctrl+shift+t", repeat: 2, hold_ms: 30 });
  await call("press_keys", { keys: ["p", "w"] });
  await call("press_keys", { keys: ["p", "enter"] });
  t.match(
    desktop.performed.map(({ action }) => action),
    [
      { kind: "chords", chords: [[0xffe3, 0xffe1, 0x54]], repeat: 2, holdMs: 30, names: ["Ctrl+Shift+T"] },
      { kind: "type", text: "pw" },
      { kind: "chords", chords: [[0x70], [0xff0d]] },
    ],
  );
  t.match((await call("press_keys", { keys: "ctrl+nope" })).error, { message: /"nope"/ });
});

t.test("pasting is one action: the clipboard and the keys, asked about once", async (t) => {
  const { desktop, call } = desk();
  const { structured } = await call("paste_text", { text: "日本", paste_keys: "ctrl+shift+v" });
  t.match(structured, { success: true, pasted_length: 2 });
  t.match(
    desktop.performed.map(({ action }) => action),
    [{ kind: "paste", text: "日本", keysyms: [0xffe3, 0xffe1, 0x56], name: "Ctrl+Shift+V" }],
  );
});

t.test("an action shows the screen afterwards, whole or only what changed", async (t) => {
  const { desktop, call } = desk();
  const whole = await call("click_at", { x: 1, y: 1, return_screenshot: "after_stable" });
  t.equal(whole.images.length, 1);
  t.match(whole.structured["screenshot"], { width: 1920, region: { x: 0, y: 0, width: 1920 } });
  const diff = await call("click_at", { x: 1, y: 1, return_screenshot: "diff" });
  t.match(diff.structured["screenshot"], { region: { x: 1, y: 2, width: 3, height: 4 } });
  desktop.onPerform = async () => ({
    effect: { ...unseenEffect(1), changed: false },
  });
  const same = await call("click_at", { x: 1, y: 1, return_screenshot: "diff" });
  t.same(same.images, []);
  t.equal(same.structured["screenshot"], null);
  t.equal((await call("click_at", { x: 1, y: 1 })).images.length, 0, "none is the default");
});

t.test("a batch is checked whole, done in order, and stops at the first failure", async (t) => {
  const { desktop, call } = desk();
  const click = { tool: "click_at", arguments: { x: 1, y: 1 } };
  const bad = await call("batch_actions", {
    actions: [click, { tool: "press_keys", arguments: { keyz: "a" } }],
  });
  t.match(bad.error, { code: "invalid_parameters", message: /^actions.1: .*unknown field "keyz"/ });
  t.same(desktop.performed, [], "nothing was done");
  const done = await call("batch_actions", {
    intent: "log in",
    actions: [
      click,
      { tool: "type_text", arguments: { text: "ann" } },
      { tool: "press_keys", arguments: { keys: "enter" } },
    ],
    return_screenshot: "after_stable",
  });
  t.match(done.structured, { success: true, completed: 3, failed: null, screenshot: { width: 1920 } });
  t.same(
    desktop.performed.map(({ action, options }) => [action.kind, options.intent]),
    [
      ["click", "log in"],
      ["type", "log in"],
      ["chords", "log in"],
    ],
  );
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new RefusedError("denied_by_human", "no");
    return {};
  };
  const stopped = await call("batch_actions", {
    actions: [click, { tool: "type_text", arguments: { text: "x" } }, click],
  });
  t.match(stopped.structured, {
    success: false,
    completed: 1,
    failed: { index: 1, tool: "type_text", code: "denied_by_human" },
  });
  t.notOk(stopped.isError, "what was done is told");
  t.notOk("done" in Object(stopped.structured["failed"]), "and nothing of what failed whole");
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new RefusedError("cancelled", "no", { done: { typed: 1, of: 3 } });
    return {};
  };
  const begun = await call("batch_actions", {
    actions: [click, { tool: "type_text", arguments: { text: "abc" } }],
  });
  t.match(begun.structured, { completed: 1, failed: { index: 1, hint: /do only what is missing/ } });
  t.same(Object(begun.structured["failed"]).done, { typed: 1, of: 3 });
  t.match(begun.text, /Stopped at actions\.1 .*do only what is missing/);
});

t.test("a batch counts as its actions", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock, isRateLimited: true });
  desktop.mode = "assist";
  const actions = Array.from({ length: 10 }, () => ({ tool: "click_at", arguments: { x: 1, y: 1 } }));
  t.match((await call("batch_actions", { actions })).structured, { completed: 10 });
  t.match((await call("click_at", { x: 1, y: 1 })).error, { code: "rate_limited" });
});

t.test("waiting ends when it happened, and says when it did not", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock });
  const change = call("wait_for", { condition: "change", region: { x: 0, y: 0, width: 50, height: 50 } });
  await turn();
  desktop.paint(rect(100, 100, 5, 5));
  await turn();
  clock.advance(1000);
  desktop.paint(rect(10, 10, 5, 5));
  t.match((await change).structured, {
    met: true,
    waited_ms: 1000,
    changed_rects: [{ x: 10, y: 10, width: 5, height: 5 }],
  });
  const late = call("wait_for", { condition: "change", timeout_ms: 300 });
  await turn();
  clock.advance(300);
  t.match((await late).structured, { met: false, waited_ms: 300, changed_rects: [] });
  const stable = call("wait_for", { condition: "stable", stable_ms: 200 });
  await turn();
  clock.advance(150);
  desktop.paint(rect(0, 0, 1, 1));
  await turn();
  clock.advance(150);
  await turn();
  clock.advance(50);
  t.match((await stable).structured, { met: true, waited_ms: 350 });
});

t.test("a colour is waited for, and text is refused by name", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock });
  const args = { condition: "color", x: 5, y: 5, color: "tomato" };
  const waiting = call("wait_for", args);
  await turn();
  desktop.paint(rect(0, 0, 50, 50), 0xff6346);
  await turn();
  desktop.paint(rect(0, 0, 50, 50), 0xff6347);
  t.match((await waiting).structured, { met: true });
  desktop.paint(rect(0, 0, 50, 50), 0xff6340);
  t.match((await call("wait_for", { ...args, timeout_ms: 0 })).structured, { met: false });
  t.match((await call("wait_for", { ...args, timeout_ms: 0, tolerance: 8 })).structured, { met: true });
  t.match((await call("wait_for", { condition: "color" })).error, { message: /expected x, y and color/ });
});

t.test("a cancelled wait ends at once", async (t) => {
  const { call } = desk({ clock: new FakeClock() });
  for (const [name, args] of [
    ["wait", { duration_ms: 50_000 }],
    ["wait_for", { condition: "change" }],
  ] as const) {
    const abort = new AbortController();
    const waiting = call(name, args, { signal: abort.signal });
    await turn();
    abort.abort();
    t.match((await waiting).error, { code: "cancelled" }, name);
  }
});

t.test("an agent may stop a desktop, and never resume it, whatever its token", async (t) => {
  const { call } = desk();
  t.match((await call("session_resume")).structured, { is_stopped: false });
  t.match((await call("session_stop")).structured, { ok: true, is_stopped: true });
  const { error } = await call("session_resume", {}, { principal: ADMIN });
  t.match(error, { code: "permission_denied", message: /only a human/ });
});

t.test("events are seen by their subscriber: keys as numbers, changes as rectangles", async (t) => {
  const { desktop, call } = desk();
  const { structured } = await call("subscribe_events", {
    events: ["mouse_click", "key_press", "screen_change", "window_focus"],
    filter: { region: { x: 0, y: 0, width: 100, height: 100 }, min_pixels: 10 },
  });
  t.match(structured, {
    subscribed: ["mouse_click", "key_press", "screen_change"],
    not_available: [{ event: "window_focus", reason: /does not say/ }],
  });
  const { subscription_id } = structured;
  desktop.emit({ type: "input", input: { kind: "mouse_move", x: 1, y: 1 } });
  desktop.emit({ type: "input", input: { kind: "mouse_click", x: 5, y: 6, button: "left" } });
  desktop.emit({ type: "input", input: { kind: "mouse_click", x: 500, y: 6, button: "left" } });
  for (let i = 0; i < 3; i++) desktop.emit({ type: "input", input: { kind: "key_press" } });
  desktop.paint(rect(90, 90, 20, 20));
  desktop.paint(rect(0, 0, 3, 3));
  const { events } = (await call("poll_events", { subscription_id })).structured;
  t.match(events, [
    { type: "mouse_click", x: 5, y: 6, button: "left" },
    { type: "key_press", count: 3 },
    { type: "screen_change", rects: [{ x: 90, y: 90, width: 10, height: 10 }] },
  ]);
  const theirs = await call("poll_events", { subscription_id }, { principal: OTHER });
  t.match(theirs.error, { code: "not_found" });
  t.match((await call("unsubscribe_events", { subscription_id })).structured, { ok: true });
  t.match((await call("poll_events", { subscription_id })).error, { code: "not_found" });
});

t.test("polling waits for the next event; what is debounced comes as one", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock });
  const { subscription_id } = (
    await call("subscribe_events", { events: ["screen_change", "mouse_move"], debounce_ms: 100 })
  ).structured;
  const polling = call("poll_events", { subscription_id, wait_ms: 5000 });
  await turn();
  desktop.paint(rect(0, 0, 5, 5));
  desktop.paint(rect(20, 0, 5, 5));
  clock.advance(100);
  t.match((await polling).structured["events"], [{ type: "screen_change", rects: [{ x: 0 }, { x: 20 }] }]);
  for (let x = 1; x < 9; x++) desktop.emit({ type: "input", input: { kind: "mouse_move", x, y: 0 } });
  clock.advance(100);
  t.match((await call("poll_events", { subscription_id })).structured["events"], [
    { type: "mouse_move", x: 8 },
  ]);
  const idle = call("poll_events", { subscription_id, wait_ms: 300 });
  await turn();
  clock.advance(300);
  t.match((await idle).structured, { events: [], dropped: 0 });
  clock.advance(31 * 60_000);
  t.match((await call("poll_events", { subscription_id })).error, { code: "not_found" });
});

/** Until pictures that were begun are there. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

t.test("what is captured by itself is a screenshot of one's own, each time it is due", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock });
  const started = await call("set_screenshot_frequency", { mode: "periodic", interval_ms: 2000 });
  const { subscription_id } = started.structured;
  clock.advance(2000);
  await settled();
  desktop.paint(rect(0, 0, 1, 1));
  clock.advance(2000);
  await settled();
  const { structured } = await call("poll_events", { subscription_id });
  const events = z
    .array(z.object({ screenshot_id: z.string(), generation: z.int() }))
    .parse(structured["events"]);
  t.equal(events.length, 2);
  const { structured: listed } = await call("list_screenshots");
  t.match(listed, {
    total: 2,
    screenshots: [...events].reverse().map(({ screenshot_id, generation }) => ({
      ...{ screenshot_id, generation, mode: "fullscreen", size_bytes: Number },
      uri: `screenshots://${screenshot_id}`,
    })),
  });
  t.match((await call("list_screenshots", {}, { principal: OTHER })).structured, { total: 0 });
  const [first] = events;
  const wanted = {
    screenshot_id: first?.screenshot_id,
    annotations: [{ type: "rect", x: 0, y: 0, width: 1, height: 1 }],
  };
  t.equal((await call("annotate_screenshot", wanted)).images.length, 1, "it has its picture");
  t.match((await call("click_at", { x: 5, y: 5, space: "image", effect_timeout_ms: 0 })).structured, {
    position: { screenshot_id: null },
  });
  const onChange = await call("set_screenshot_frequency", { mode: "on_change" });
  desktop.paint(rect(1, 0, 1, 1));
  await settled();
  const { structured: changed } = await call("poll_events", {
    subscription_id: onChange.structured["subscription_id"],
  });
  t.match(changed["events"], [
    { type: "screenshot_due", screenshot_id: String, generation: desktop.generation },
  ]);
  await call("set_screenshot_frequency", { mode: "manual" });
  desktop.paint(rect(2, 0, 1, 1));
  clock.advance(60_000);
  await settled();
  t.match((await call("list_screenshots")).structured, { total: 4 }, "three, and the annotated one");
});

t.test("an agent is told to look as often as it asked, never more often than allowed", async (t) => {
  const clock = new FakeClock();
  const { desktop, call } = desk({ clock });
  const { structured } = await call("set_screenshot_frequency", { mode: "on_change", interval_ms: 10 });
  t.match(structured, { ok: true, applied_interval_ms: 1000, uri: "screen://one" });
  const { subscription_id } = structured;
  for (let i = 0; i < 5; i++) desktop.paint(rect(i, 0, 1, 1));
  const due = async (id: unknown): Promise<number> => {
    await settled();
    const { events } = (await call("poll_events", { subscription_id: id })).structured;
    return Array.isArray(events) ? events.length : -1;
  };
  t.equal(await due(subscription_id), 1);
  clock.advance(1000);
  t.equal(await due(subscription_id), 1, "the rest of the burst, once");
  const periodic = await call("set_screenshot_frequency", {
    mode: "periodic",
    interval_ms: 2000,
    only_on_change: true,
  });
  t.match((await call("poll_events", { subscription_id })).error, { code: "not_found" }, "replaced");
  clock.advance(6000);
  const id = periodic.structured["subscription_id"];
  t.equal(await due(id), 0, "nothing changed");
  desktop.paint(rect(0, 0, 1, 1));
  clock.advance(6000);
  t.equal(await due(id), 1);
  t.match((await call("set_screenshot_frequency", { mode: "manual" })).structured, { subscription_id: null });
});

t.test("screenshots are listed newest first, each to its own", async (t) => {
  const { call } = desk();
  for (let i = 0; i < 3; i++) await call("take_screenshot", { scale: 1 / (i + 1) });
  const { structured } = await call("list_screenshots", { limit: 2 });
  t.match(structured, { total: 3, screenshots: [{ width: 640 }, { width: 960 }] });
  await call("take_screenshot", { monitor_index: 1 });
  await call("take_screenshot", { region: { x: 5.5, y: 5, width: 9, height: 9 } });
  const { structured: three } = await call("list_screenshots", { limit: 3 });
  t.match(three["screenshots"], [{ mode: "region" }, { mode: "monitor" }, { mode: "fullscreen" }]);
  t.match((await call("list_screenshots", {}, { principal: OTHER })).structured, { total: 0 });
});

t.test("what a remote screen cannot do is refused by name", async (t) => {
  const { call } = desk();
  t.match((await call("take_screenshot", { mode: "window", window_title: "Mail" })).error, {
    code: "not_supported",
  });
  t.match((await call("take_screenshot", { fit: "claude", scale: 0.5 })).error, {
    code: "invalid_parameters",
  });
});

t.test("a vendor's list stops at its first failure; a lone action is refused plainly", async (t) => {
  const { desktop, call } = desk();
  desktop.onPerform = async ({ action }) => {
    if (action.kind === "type") throw new RefusedError("denied_by_human", "no");
    return {};
  };
  const click = { type: "click", button: "left", x: 1, y: 1 };
  const { structured, isError } = await call("computer", {
    actions: [click, { type: "type", text: "secret" }, click],
  });
  t.notOk(isError);
  t.match(structured, { success: false, done: [{ action: "click" }], failed: { index: 1, action: "type" } });
  const lone = await call("computer", { type: "type", text: "secret" });
  t.ok(lone.isError);
  t.match(lone.error, { code: "denied_by_human" });
  t.notMatch(JSON.stringify([structured, lone]), /secret/);
});

t.test("a vendor's own doubts ask a human, and its intent is passed on", async (t) => {
  const { desktop, call } = desk();
  const safety_decision = { decision: "require_confirmation", explanation: "pays" };
  await call("computer", { name: "click", args: { x: 500, y: 500, intent: "buy", safety_decision } });
  t.match(desktop.performed[0], {
    action: { kind: "click", x: 960, y: 400 },
    options: { requireConfirmation: true, intent: "buy; pays" },
  });
  const checks = [{ id: "1", code: "malicious_instructions", message: "look out" }];
  const action = { type: "move", x: 1, y: 1 };
  await call("computer", { type: "computer_call", call_id: "1", pending_safety_checks: checks, action });
  t.match(desktop.performed[1]?.options, { requireConfirmation: true });
  await call("computer", action);
  t.match(desktop.performed[2]?.options, { requireConfirmation: false });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { EventWindow, type Seen, stillDown } from "../harness/event-window.ts";
import type { SceneTarget } from "../targets/scene-target.ts";

async function expectSeen(
  t: Test,
  window: EventWindow,
  mark: number,
  expected: readonly RegExp[],
): Promise<void> {
  let seen: Seen[] = [];
  const matches = (): boolean => {
    seen = window.since(mark);
    let at = 0;
    for (const line of seen) if (expected[at]?.test(line)) at++;
    return at === expected.length;
  };
  const isSeen = await until("the events", matches, 5000).catch(() => false);
  t.ok(isSeen, `${expected.join(" ")} in ${seen.join("; ")}`);
}

/** Every tool that acts, judged from outside: by what windows of the target say. Needs a screen of 1024x768. */
export async function playAgentTools(t: Test, target: SceneTarget): Promise<void> {
  const folder = t.testdir();
  const appliance = await Appliance.start(t, { connect: [target.url] });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const display = await target.display();
  const typewriter = await display.openTypewriter(folder, "60x10+10+20");
  const window = await EventWindow.open(display, "300x200+600+100");
  const place = await display.placeOf(window.id);
  const centre = { x: place.x + 150, y: place.y + 100 };
  await agent.call("click_at", centre);

  await t.test("the pointer moves, presses, drags and scrolls where it was asked", async (t) => {
    let mark = window.mark;
    const moved = await agent.call("move_mouse", { x: centre.x + 20, y: centre.y + 10 });
    t.match(moved, { success: true, position: { native: { x: centre.x + 20, y: centre.y + 10 } } });
    t.same(await display.pointer(), { x: centre.x + 20, y: centre.y + 10 });
    t.match(await agent.call("cursor_position"), { x: centre.x + 20, y: centre.y + 10 });

    mark = window.mark;
    await agent.call("mouse_down", centre);
    await agent.call("move_mouse", { x: centre.x + 30, y: centre.y });
    await agent.call("mouse_up", {});
    const at = `${centre.x},${centre.y}`;
    const right = `${centre.x + 30},${centre.y}`;
    await expectSeen(t, window, mark, [
      new RegExp(`^press 1 ${at}$`),
      new RegExp(`^move ${right}$`),
      new RegExp(`^release 1 ${right}$`),
    ]);

    mark = window.mark;
    const path = [centre, { x: centre.x + 60, y: centre.y + 40 }, { x: centre.x - 60, y: centre.y + 40 }];
    await agent.call("drag", { path, button: "left", hold_keys: ["ctrl"] });
    await expectSeen(t, window, mark, [
      /^down Control_L$/,
      new RegExp(`^press 1 ${at}$`),
      new RegExp(`^move ${centre.x + 60},${centre.y + 40}$`),
      new RegExp(`^release 1 ${centre.x - 60},${centre.y + 40}$`),
      /^up Control_L$/,
    ]);

    mark = window.mark;
    await agent.call("scroll", { ...centre, dy: 2 });
    await agent.call("scroll", { ...centre, dy: -100, unit: "pixels" });
    await expectSeen(t, window, mark, [/^press 5 /, /^press 5 /, /^press 4 /]);
    t.equal(window.since(mark).filter((line) => line.startsWith("press")).length, 3, "and no notch more");
    if (!target.hasHorizontalWheel) return;
    mark = window.mark;
    await agent.call("scroll", { ...centre, dx: 1 });
    await expectSeen(t, window, mark, [/^press 7 /]);
  });

  await t.test("chords arrive as keys, and everything comes up again", async (t) => {
    const presses: readonly (readonly [string, readonly RegExp[]])[] = [
      ["ctrl+shift+t", [/^down Control_L$/, /^down Shift_L$/, /^down T$/, /^up T$/]],
      ["alt+F5", [/^down Alt_L$/, /^down F5$/, /^up F5$/, /^up Alt_L$/]],
      ["Page_Down", [/^down Next$/, /^up Next$/]],
      ["ctrl+c", [/^down Control_L$/, /^down c$/, /^up c$/]],
    ];
    for (const [keys, expected] of presses) {
      const mark = window.mark;
      await agent.call("press_keys", { keys });
      await expectSeen(t, window, mark, expected);
      await until(`${keys} is up again`, () => stillDown(window.since(mark)).length === 0, 5000).catch(
        () => undefined,
      );
      t.same(stillDown(window.since(mark)), [], `${keys} leaves nothing down`);
    }
    const mark = window.mark;
    await agent.call("press_keys", { keys: "x", repeat: 3 });
    await expectSeen(t, window, mark, [/^down x$/, /^up x$/, /^down x$/, /^up x$/, /^down x$/, /^up x$/]);
  });

  await t.test("reset_input and a stop let go of what is held", async (t) => {
    let mark = window.mark;
    await agent.call("mouse_down", centre);
    await expectSeen(t, window, mark, [/^press 1 /]);
    await agent.call("reset_input");
    await expectSeen(t, window, mark, [/^press 1 /, /^release 1 /]);
    mark = window.mark;
    await agent.call("computer", { name: "key_down", args: { key: "shift" } });
    await expectSeen(t, window, mark, [/^down Shift_L$/]);
    await agent.call("session_stop");
    await expectSeen(t, window, mark, [/^down Shift_L$/, /^up Shift_L$/]);
    await t.rejects(agent.call("click_at", centre), { code: "stopped" });
    await t.rejects(agent.call("session_resume"), { code: "permission_denied" });
    const [first] = idsIn(await (await appliance.fetch("/api/v1/desktops")).json());
    await appliance.fetch(`/api/v1/desktops/${first}/resume`, {});
    t.match(await agent.call("click_at", centre), { success: true });
  });

  await t.test("pixels of a small screenshot lead to the very place", async (t) => {
    const small = await agent.shot({ scale: 0.5 });
    const { screenshot_id } = small.facts;
    const image = { x: Math.floor(centre.x / 2), y: Math.floor(centre.y / 2) };
    const { position } = await agent.call("click_at", { ...image, screenshot_id });
    t.match(position, { image });
    const at = await display.pointer();
    t.ok(Math.abs(at.x - centre.x) <= 1 && Math.abs(at.y - centre.y) <= 1, `${at.x},${at.y}`);
    await agent.call("computer", { action: "left_click", coordinate: [image.x, image.y] });
    t.same(await display.pointer(), at, "the vendor's coordinates are of the same image");
    await agent.call("computer", { name: "move", args: { x: 500, y: 500, intent: "look" } });
    t.same(await display.pointer(), { x: 512, y: 384 });
  });

  await t.test("a vendor's list clicks, types and presses keys", async (t) => {
    const inside = await display.placeOf(typewriter.window);
    const before = typewriter.read();
    const euro = target.hasEuro ? "€" : "";
    await agent.call("computer", { action: "screenshot" });
    const { success } = await agent.call("computer", {
      actions: [
        { type: "click", button: "left", x: inside.x + 30, y: inside.y + 30 },
        { type: "type", text: `Hi ${euro}!` },
        { type: "keypress", keys: ["ENTER"] },
      ],
    });
    t.ok(success);
    const typed = (): string => typewriter.read().slice(before.length);
    await until("the text", () => typed().length >= 5 + euro.length, 5000).catch(() => undefined);
    t.equal(typed(), `Hi ${euro}!\r`);
  });

  await t.test("a batch logs in, waits and shows the end", async (t) => {
    const inside = await display.placeOf(typewriter.window);
    const before = typewriter.read();
    const done = await agent.call("batch_actions", {
      actions: [
        { tool: "click_at", arguments: { x: inside.x + 30, y: inside.y + 30 } },
        { tool: "type_text", arguments: { text: "ann" } },
        { tool: "press_keys", arguments: { keys: "tab" } },
        { tool: "type_text", arguments: { text: "B0b!" } },
        { tool: "wait_for", arguments: { condition: "stable", stable_ms: 100 } },
      ],
      return_screenshot: "diff",
    });
    t.match(done, { success: true, completed: 5 });
    const typed = (): string => typewriter.read().slice(before.length);
    await until("the text", () => typed().length >= 8, 5000).catch(() => undefined);
    t.equal(typed(), "ann\tB0b!");
  });

  await t.test("what changes is told to who waits for it", async (t) => {
    const { subscription_id } = await agent.call("subscribe_events", {
      events: ["screen_change", "key_press"],
    });
    const polling = agent.call("poll_events", { subscription_id, wait_ms: 10_000 });
    const flag = join(folder, "flag");
    const script = `while [ ! -e '${flag}' ]; do sleep 0.05; done; echo seen; exec cat`;
    await display.openTerminal("teller", "40x5+500+500", script);
    t.match((await polling)["events"], [{ type: "screen_change" }]);
    const inside = await display.placeOf(typewriter.window);
    await agent.call("click_at", { x: inside.x + 30, y: inside.y + 30 });
    const waiting = agent.call("wait_for", { condition: "change", timeout_ms: 10_000 });
    await agent.call("type_text", { text: "abc", effect_timeout_ms: 0 });
    t.match(await waiting, { met: true });
    const { events } = await agent.call("poll_events", { subscription_id, wait_ms: 2000 });
    t.match(JSON.stringify(events), /"type":"key_press","count":/);
    t.notMatch(JSON.stringify(events), /abc/);
    t.notOk(existsSync(flag));
  });

  await t.test("a scrubbed part is black in every pixel, the rest is exact", async (t) => {
    const mask = { x: 20, y: 40, width: 100, height: 30 };
    const whole = await agent.shot({ wait_for_stable_ms: 200 });
    const scrubbed = await agent.shot({ scrub_mask_rects: [mask] });
    let wrong = 0;
    for (let y = 0; y < 768; y++) {
      for (let x = 0; x < 1024; x++) {
        const i = (y * 1024 + x) * 4;
        const isIn = x >= mask.x && x < mask.x + mask.width && y >= mask.y && y < mask.y + mask.height;
        for (let c = 0; c < 3; c++) {
          if (scrubbed.rgba[i + c] !== (isIn ? 0 : whole.rgba[i + c])) wrong++;
        }
      }
    }
    t.equal(wrong, 0);
  });

  appliance.assertAlive();
  const log = readFileSync(join(appliance.dataDir, "agent-token"), "utf8");
  t.notMatch(appliance.program.stderr, log.trim());
}

/** The ids of a list of desktops. */
function idsIn(value: unknown): string[] {
  const list: unknown = Array.isArray(value) ? value : Object(value)["desktops"];
  return Array.isArray(list) ? list.map((item) => String(Object(item)["id"])) : [];
}

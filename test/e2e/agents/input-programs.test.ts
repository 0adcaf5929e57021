import { setTimeout as pause } from "node:timers/promises";
import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { forget, openChromium, seenBy } from "./input-programs.ts";

// What agents do by default must be what real programs take it for, every time: judged by the programs themselves.

/** `npm run test:races` plays each so often; the check plays it in short. */
const IS_LONG = process.env["OC_INPUT_LONG"] === "1";
const times = (short: number, long: number): number => (IS_LONG ? long : short);
/** A busy machine answers late; nothing here is about time. */
const PATIENCE_MS = 30_000;
t.setTimeout(IS_LONG ? 1_800_000 : 240_000);

/**
 * A browser on a machine that has no core for it draws late and takes a drop late, whatever hand it is: one in five may
 * fail in the check, none in the long form. Without pauses twelve of twenty double clicks, and every drop and line, did.
 */
function isMostly(t: Test, faults: readonly string[], count: number): void {
  const most = IS_LONG ? 0 : Math.floor(count / 5);
  t.ok(faults.length <= most, `${count} times, ${faults.length} failed: ${faults.join("; ")}`);
  if (faults.length > 0) t.comment(faults.join("; "));
}

type Do = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

async function open(t: Test) {
  const display = await XDisplay.start(t, { geometry: "1280x900" });
  await display.openWindowManager();
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent: Agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot(), PATIENCE_MS);
  const act: Do = (tool, args) => agent.call(tool, { effect_timeout_ms: 0, ...args });
  return { display, act };
}

t.test("a browser", async (t) => {
  const { display, act } = await open(t);
  const { page, place } = await openChromium(t, display);
  const happens = async (look: () => Promise<boolean>): Promise<boolean> =>
    await until("it", look, PATIENCE_MS).then(
      () => true,
      () => false,
    );

  /** Counts how often it did not come out. */
  const repeat = async (t: Test, count: number, once: () => Promise<string | null>): Promise<void> => {
    const faults: string[] = [];
    for (let i = 0; i < count; i++) {
      await forget(page);
      const fault = await once();
      if (fault === null) continue;
      faults.push(fault);
      // What is still to come of it is not the next one's.
      await pause(2000);
    }
    isMostly(t, faults, count);
  };

  for (const [clicks, count] of [
    [2, times(10, 200)],
    [3, times(5, 100)],
  ] as const) {
    await t.test(`${clicks} clicks are ${clicks} clicks`, async (t) => {
      const at = await place("click");
      const wanted = ["click1", "click2", "dblclick2", "click3"].slice(0, clicks === 2 ? 3 : 4).join();
      await repeat(t, count, async () => {
        // Those of the time before are too near in time and place to begin anew.
        await act("click_at", await place("slider", 5, 60));
        const answer = JSON.stringify(await act("click_at", { ...at, clicks }));
        const last = `click${clicks}`;
        if (answer.includes("unverified")) return "unverified";
        await happens(async () => (await seenBy(page)).clicks.includes(last));
        const { clicks: seen, raw } = await seenBy(page);
        return seen.join() === wanted ? null : `${seen.join()} of ${raw.join(" ")}`;
      });
    });
  }

  await t.test("HTML5 drag and drop", async (t) => {
    const path = [await place("from"), await place("to")];
    await repeat(t, times(5, 100), async () => {
      await act("drag", { path });
      await happens(async () => (await seenBy(page)).effects.length > 0);
      const { drops, effects, raw } = await seenBy(page);
      return drops === 1 ? null : `${drops} drops, ${effects.join()} of ${raw.join(" ")}`;
    });
  });

  await t.test("a line through every point", async (t) => {
    const offsets = Array.from({ length: 14 }, (_, i) => ({ x: 20 + i * 37, y: i % 2 === 0 ? 20 : 130 }));
    const path = await Promise.all(offsets.map(({ x, y }) => place("canvas", x, y)));
    let unheard = 0;
    await repeat(t, times(5, 100), async () => {
      await act("drag", { path });
      const end = offsets.at(-1);
      await happens(async () => (await seenBy(page)).line.at(-1) === `${end?.x},${end?.y}`);
      const { line, moves } = await seenBy(page);
      // In order: each point is looked for behind the one before it.
      let from = 0;
      const missed = offsets.filter(({ x, y }) => {
        const found = line.indexOf(`${x},${y}`, from);
        if (found >= 0) from = found;
        return found < 0;
      });
      const isUnheard = ({ x, y }: { x: number; y: number }): boolean => !moves.includes(`${x},${y}`);
      if (offsets.slice(1).some(isUnheard)) unheard++;
      return missed.length === 0 ? null : `missed ${missed.length} of 14`;
    });
    t.comment(`${unheard} lines with points that one move a frame leaves out`);
  });

  await t.test("a slider", async (t) => {
    const path = [await place("slider", 47), await place("slider", 300)];
    const value = (): Promise<number> => page.evaluate<number>("+document.getElementById('slider').value");
    await repeat(t, times(5, 100), async () => {
      await act("drag", { path });
      await happens(async () => (await value()) > 70);
      return (await value()) > 70 ? null : `at ${await value()}`;
    });
  });

  await t.test("ctrl+shift+arrow selects a word", async (t) => {
    const at = await place("text");
    const selected = (): Promise<string> =>
      page.evaluate<string>(
        "(({ value, selectionStart: a, selectionEnd: b }) => value.slice(a, b))(document.getElementById('text'))",
      );
    await act("click_at", at);
    await repeat(t, times(5, 100), async () => {
      await act("press_keys", { keys: ["Home"] });
      await act("press_keys", { keys: ["ctrl+shift+Right"] });
      await happens(async () => (await selected()).trim() === "alpha");
      return (await selected()).trim() === "alpha" ? null : await selected();
    });
  });
});

t.test("a window manager", async (t) => {
  const { display, act } = await open(t);
  const first = await display.openTerminal("first", "40x10+100+100", "exec cat");
  const second = await display.openTerminal("second", "40x10+560+420", "exec cat");
  const active = async (): Promise<string> => (await display.command("xdotool", "getactivewindow")).trim();

  await t.test("a window is moved by its title", async (t) => {
    const faults: string[] = [];
    for (let i = 0; i < times(5, 100); i++) {
      const { x, y } = await display.placeOf(first);
      const sign = i % 2 === 0 ? 1 : -1;
      const from = { x: x + 80, y: y - 8 };
      await act("drag", { path: [from, { x: from.x + sign * 150, y: from.y + sign * 90 }] });
      const moved = { x: x + sign * 150, y: y + sign * 90 };
      const isThere = async (): Promise<boolean> => {
        const now = await display.placeOf(first);
        return now.x === moved.x && now.y === moved.y;
      };
      await until("the move", isThere, PATIENCE_MS).catch(async () => {
        const now = await display.placeOf(first);
        faults.push(`${now.x},${now.y} instead of ${moved.x},${moved.y}`);
      });
    }
    t.same(faults, []);
  });

  await t.test("a window is resized by its corner", async (t) => {
    const faults: string[] = [];
    for (let i = 0; i < times(5, 100); i++) {
      const { x, y, width, height } = await display.placeOf(second);
      const sign = i % 2 === 0 ? 1 : -1;
      // openbox has its grip below the window, on the frame.
      const from = { x: x + width - 3, y: y + height + 3 };
      await act("drag", { path: [from, { x: from.x + sign * 120, y: from.y + sign * 90 }] });
      const isOther = async (): Promise<boolean> => {
        const now = await display.placeOf(second);
        // Terminals have whole characters.
        return (
          Math.abs(now.width - width - sign * 120) < 20 && Math.abs(now.height - height - sign * 90) < 30
        );
      };
      await until("the resize", isOther, PATIENCE_MS).catch(async () => {
        const now = await display.placeOf(second);
        faults.push(`${now.width}x${now.height} from ${width}x${height}`);
      });
    }
    t.same(faults, []);
  });

  await t.test("alt+tab changes windows, and the next key is the window's", async (t) => {
    const faults: string[] = [];
    for (let i = 0; i < times(5, 100); i++) {
      const before = await active();
      await act("press_keys", { keys: ["alt+Tab"] });
      const isOther = async (): Promise<boolean> => (await active()) !== before;
      await until("the switch", isOther, PATIENCE_MS).catch(() => faults.push("stayed"));
    }
    t.same(faults, []);
    t.ok([first, second].includes(await active()));
  });
});

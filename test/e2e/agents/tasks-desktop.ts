import * as z from "zod";
import { until } from "../../support/until.ts";
import type { Desk } from "./desk.ts";
import { differing } from "./judge.ts";
import type { Task } from "./tasks.ts";

const DIFF = { return_screenshot: "diff" };
const LONG_MS = 30_000;

const placedSchema = z.object({ new_position: z.object({ x: z.number(), y: z.number() }).nullable() });

/** A point within the typewriter. */
async function inTypewriter(desk: Desk): Promise<{ x: number; y: number }> {
  const { x, y } = await desk.display.placeOf(desk.typewriter.window);
  return { x: x + 40, y: y + 40 };
}

async function idOf(desk: Desk, args: Record<string, unknown>): Promise<string> {
  const { structuredContent } = await desk.ask("take_screenshot", args);
  return z.object({ screenshot_id: z.string() }).parse(structuredContent).screenshot_id;
}

/** Waits for a page event beyond those there are. */
async function clicked(desk: Desk, from: number, count: number): Promise<void> {
  await desk.page.expect(from, "saved", `${count}`);
}

/** Tasks with windows, the clipboard, other ways to say the same, and people. */
export const DESKTOP_TASKS: readonly Task[] = [
  {
    name: "type into a terminal",
    async run(desk) {
      const before = desk.typewriter.read();
      await desk.act("click_at", { ...(await inTypewriter(desk)), ...DIFF });
      await desk.act("type_text", { text: "ls -la | grep 'x{1,2}' ", ...DIFF });
      const typed = (): boolean => desk.typewriter.read() === `${before}ls -la | grep 'x{1,2}' `;
      await until("what was typed", typed, LONG_MS);
    },
  },
  {
    name: "move a window",
    async run(desk) {
      const { window } = desk.typewriter;
      const from = await desk.display.placeOf(window);
      const grip = { x: from.x + 150, y: from.y - 10 };
      await desk.act("drag", { path: [grip, { x: grip.x - 70, y: grip.y - 50 }], ...DIFF });
      await until(
        "the window elsewhere",
        async () => {
          const { x, y } = await desk.display.placeOf(window);
          return x === from.x - 70 && y === from.y - 50;
        },
        LONG_MS,
      );
      await desk.act("drag", { path: [{ x: grip.x - 70, y: grip.y - 50 }, grip], ...DIFF });
    },
  },
  {
    name: "change the window by alt+tab",
    async run(desk) {
      await desk.act("click_at", { ...(await inTypewriter(desk)), ...DIFF });
      const active = async (): Promise<string> =>
        (await desk.display.command("xdotool", "getactivewindow")).trim();
      const before = await active();
      await desk.act("press_keys", { keys: "alt+tab", ...DIFF });
      await until("another window", async () => (await active()) !== before, LONG_MS);
      await desk.act("press_keys", { keys: "alt+tab", ...DIFF });
      await until("the first window", async () => (await active()) === before, LONG_MS);
      const typed = desk.typewriter.read();
      await desk.act("type_text", { text: "back", ...DIFF });
      await until("the next keys", () => desk.typewriter.read() === `${typed}back`, LONG_MS);
    },
  },
  {
    name: "copy a text",
    async run(desk) {
      await desk.fresh();
      const text = `copied ${desk.page.count}`;
      await desk.page.order(`by('name').value = ${JSON.stringify(text)}`);
      await desk.act("click_at", { ...desk.at("name"), ...DIFF });
      await desk.act("press_keys", { keys: ["ctrl+a", "ctrl+c"], ...DIFF });
      await until("the clipboard", async () => (await desk.display.readClipboard()) === text, LONG_MS);
      // A server announces it when it has seen it: until then the answer must not claim another text as the desktop's.
      let got: unknown = null;
      const read = async (): Promise<boolean> => {
        got = (await desk.ask("get_clipboard")).structuredContent["text"];
        return got === text;
      };
      const isTrue = await until("the same text", read, LONG_MS).catch(() => false);
      desk.judge.fact(`${desk.kind}: get_clipboard never gives what is on the clipboard`, isTrue);
    },
  },
  {
    name: "put a text on the clipboard",
    async run(desk) {
      const text = `sent ${desk.page.count}`;
      const { isError } = await desk.ask("set_clipboard", { text });
      if (isError) return desk.judge.fact(`${desk.kind}: set_clipboard is refused`, desk.kind === "x11vnc");
      const isThere = await until(
        "it",
        async () => (await desk.display.readClipboard()) === text,
        LONG_MS,
      ).catch(() => false);
      desk.judge.fact(
        `${desk.kind}: set_clipboard answers success, and the clipboard has another text`,
        isThere,
      );
    },
  },
  {
    name: "paste a text",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("area"), ...DIFF });
      // What its programs make of letters beyond ASCII is not known: the answer must say so.
      const isPlain = desk.kind === "x11vnc";
      const text = isPlain ? "pasted: 1, 2, 3" : "pasted: äöü – 1, 2, 3";
      await desk.act("paste_text", { text, ...DIFF });
      await desk.page.expect(from, "area", text);
      if (!isPlain) return;
      const said = await desk.act("paste_text", { text: "äöü", ...DIFF });
      const isDoubted = /letters beyond ASCII/.test(`${said["unverified_reason"]}`);
      desk.judge.fact(`${desk.kind}: letters are pasted and told as sure`, isDoubted);
    },
  },
  {
    name: "wait for a change",
    async run(desk) {
      const from = await desk.fresh();
      await desk.page.order("later(800)");
      const region = desk.over({ x: 230, y: 10, width: 220, height: 30 });
      const { met } = (await desk.ask("wait_for", { condition: "change", region, timeout_ms: 30_000 }))
        .structuredContent;
      await desk.page.expect(from, "later", "done");
      desk.judge.fact(`${desk.kind}: wait_for says met: ${met}, and it changed`, met === true);
    },
  },
  {
    name: "find an element again that moved",
    async run(desk) {
      await desk.fresh();
      const area = desk.over({ x: 10, y: 10, width: 100, height: 30 });
      // A button under the pointer looks otherwise.
      await desk.act("move_mouse", { ...desk.at("dead"), ...DIFF });
      await desk.ask("add_anchor", { anchor_id: "save", ...area });
      await desk.page.order("by('save').style.left = '330px'; by('save').style.top = '270px'");
      await desk.rest();
      const { structuredContent } = await desk.ask("re_anchor_element", { anchor_id: "save" });
      const { new_position: position } = placedSchema.parse(structuredContent);
      const isTrue = position?.x === area.x + 320 && position.y === area.y + 260;
      desk.judge.fact(`${desk.kind}: the anchor is found at ${JSON.stringify(position)}`, isTrue);
      const from = desk.page.count;
      await desk.act("click_at", { anchor_id: "save", ...DIFF });
      await clicked(desk, from, 1);
    },
  },
  {
    name: "compare two screenshots",
    async run(desk) {
      const from = await desk.fresh();
      const before = await desk.rest();
      const screenshot_id = await idOf(desk, {});
      await desk.act("click_at", { ...desk.at("save"), ...DIFF });
      await clicked(desk, from, 1);
      const after = await desk.rest();
      const { structuredContent } = await desk.ask("compare_screenshots", { screenshot_id });
      const { exact } = z.object({ exact: z.object({ pixels: z.int() }) }).parse(structuredContent);
      const { count } = differing(before.shot, after.shot, []);
      desk.judge.fact(
        `${desk.kind}: compare says ${exact.pixels} pixels, ${count} differ`,
        exact.pixels === count,
      );
    },
  },
  {
    name: "click in the words of three vendors",
    async run(desk) {
      const from = await desk.fresh();
      await desk.ask("computer", { type: "screenshot", fit: "none" });
      const { x, y } = desk.at("save");
      await desk.act("computer", { action: "left_click", coordinate: [x, y], ...DIFF });
      await clicked(desk, from, 1);
      await desk.act("computer", { type: "click", button: "left", x, y, ...DIFF });
      await clicked(desk, from, 2);
      const args = { x: Math.round((x * 1000) / 1024), y: Math.round((y * 1000) / 768) };
      await desk.act("computer", { name: "click", args, ...DIFF });
      await clicked(desk, from, 3);
    },
  },
  {
    name: "click in a shrunk screenshot after another look",
    async run(desk) {
      const from = await desk.fresh();
      const screenshot_id = await idOf(desk, { scale: 0.5 });
      await idOf(desk, {});
      const { x, y } = desk.at("save");
      await desk.act("click_at", { x: x >> 1, y: y >> 1, screenshot_id, ...DIFF });
      await clicked(desk, from, 1);
    },
  },
  {
    name: "do several actions in one call",
    async run(desk) {
      const from = await desk.fresh();
      const actions = [
        { tool: "click_at", arguments: desk.at("name") },
        { tool: "type_text", arguments: { text: "batched" } },
        { tool: "click_at", arguments: desk.at("save") },
      ];
      const said = await desk.act("batch_actions", { actions, ...DIFF }, { hasPointer: false });
      desk.judge.fact(
        `${desk.kind}: a batch of 3 says ${said["completed"]} were done`,
        said["completed"] === 3,
      );
      await desk.page.expect(from, "name", "batched");
      await clicked(desk, from, 1);
    },
  },
  {
    name: "be stopped in the middle",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("area"), ...DIFF });
      const text = "stop me before all of this is on the page, which takes a while";
      // Slowly: a page on a busy machine shows the first of it seconds later, and the stop has to find some unsent.
      const typing = desk.ask("type_text", { text, typing_speed_wpm: 40 });
      await until("a part of it", () => (desk.page.since(from, "area").at(-1)?.length ?? 0) > 3, LONG_MS);
      await desk.order("stop");
      const { isError, structuredContent } = await typing;
      const told = z
        .object({ error: z.object({ done: z.object({ typed: z.int() }) }) })
        .safeParse(structuredContent).data?.error.done.typed;
      const typedNow = (): string => desk.page.since(from, "area").at(-1) ?? "";
      // A page on a busy machine shows what it was sent late; what never comes is judged below.
      await until("what was told", () => typedNow().length >= (told ?? 0), LONG_MS).catch(() => undefined);
      await desk.rest();
      const typed = typedNow();
      const what = `${desk.kind}: stopped after ${typed.length} of ${text.length} characters`;
      desk.judge.fact(`${what}, and told of success`, isError === true && typed.length < text.length);
      desk.judge.fact(`${what}, of others than were sent`, text.startsWith(typed));
      if (told !== undefined) desk.judge.fact(`${what}, and told of ${told}`, told === typed.length);
      await desk.order("resume");
    },
  },
  {
    name: "look again with nothing new",
    async run(desk) {
      await desk.fresh();
      const said = await desk.act("click_at", { ...desk.at("save"), ...DIFF });
      await desk.rest();
      const look = await desk.ask("take_screenshot", { if_changed_since: said["generation_after"] });
      const images = look.content.filter(({ type }) => type === "image").length;
      const isUnchanged = look.structuredContent["unchanged"] === true;
      desk.judge.fact(
        `${desk.kind}: unchanged: ${isUnchanged} with ${images} images`,
        isUnchanged === (images === 0),
      );
    },
  },
  {
    name: "resize a window",
    async run(desk) {
      const { window } = desk.typewriter;
      for (const [dx, dy] of [
        [60, 52],
        [-60, -52],
      ] as const) {
        const before = await desk.display.placeOf(window);
        // openbox has its grip below the window, on the frame; the other corner is beyond the desktop.
        const grip = { x: before.x + 3, y: before.y + before.height + 3 };
        await desk.act("drag", { path: [grip, { x: grip.x + dx, y: grip.y + dy }], ...DIFF });
        await until(
          "the window of another size",
          async () => {
            const now = await desk.display.placeOf(window);
            // Terminals have whole characters.
            const isWide = Math.abs(now.width - before.width + dx) < 10;
            return isWide && Math.abs(now.height - before.height - dy) < 20 && now.y === before.y;
          },
          LONG_MS,
        );
      }
    },
  },
];

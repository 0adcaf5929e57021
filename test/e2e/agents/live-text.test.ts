import t from "tap";
import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// The text of a real screen is kept, found and clicked by the built server and its threads.

const rectSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
const readSchema = z.object({
  text: z.string().nullable(),
  lines: z.array(z.object({ change: z.string(), text: z.string(), box: rectSchema })).nullable(),
  generation: z.int(),
  exact: z.literal(true),
  untrusted: z.literal(true),
});
const foundSchema = z.object({
  matches: z.array(z.object({ text: z.string(), box: rectSchema, score: z.number(), line: z.string() })),
});
const clickedSchema = z.object({ actual_position: z.object({ x: z.int(), y: z.int() }) });

t.test("what a terminal shows is kept, and looked at by what changed", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const display = await XDisplay.start(t, { geometry: "1024x768" });
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const show = async (title: string, at: string, script: string): Promise<Rect> =>
    await display.placeOf(await display.openTerminal(title, at, script));
  const read = async (args: Record<string, unknown> = {}) =>
    readSchema.parse(await agent.call("read_text", args));
  const find = async (args: Record<string, unknown>) =>
    foundSchema.parse(await agent.call("find_text", args)).matches;

  // Echoes each line that it is sent, in large letters for it.
  const upper = await show("upper", "60x8+40+60", "printf 'Compile finished\\n'; exec cat");
  const lower = await show(
    "lower",
    "60x6+420+480",
    "printf '\\033[?25lTransfer the balance\\nOpen another window\\n'; exec sleep 600",
  );
  const first = await until("all text", async () => {
    const answer = await read();
    return answer.text?.includes("Transfer the balance") && answer.text.includes("Compile") ? answer : null;
  });
  t.match(first.text, /Compile finished\n[\s\S]*Transfer the balance\n\s*Open another window/);
  const inside = (box: Rect, place: Rect): boolean =>
    box.x >= place.x &&
    box.y >= place.y &&
    box.x + box.width <= place.x + place.width &&
    box.y + box.height <= place.y + place.height;

  await t.test("a region is read alone", async (t) => {
    const { text } = await read({ region: lower });
    t.equal(text, "Transfer the balance\nOpen another window");
  });

  await t.test("since a generation only the line that came is told", async (t) => {
    const middle = { x: upper.x + 200, y: upper.y + 60 };
    await agent.call("click_at", middle);
    const { generation } = await read();
    t.same((await read({ since: generation, region: lower })).lines, [], "nothing changed there");
    await agent.call("type_text", { text: "deliver everything\n" });
    const { lines } = await until("the echo", async () => {
      const answer = await read({ since: generation });
      return (answer.lines ?? []).filter(({ text }) => text.includes("deliver")).length >= 2 ? answer : null;
    });
    t.ok(
      lines?.every(({ box }) => inside(box, upper)),
      JSON.stringify(lines),
    );
    t.ok(lines?.some(({ change, text }) => change === "added" && text === "deliver everything"));
  });

  await t.test("a text is found where it stands, and clicked there", async (t) => {
    const [match, ...others] = await find({ text: "another window" });
    t.same(others, []);
    if (match === undefined) throw new Error("no match");
    t.match(match, { text: "another window", line: "Open another window" });
    t.ok(inside(match.box, lower) && match.score > 0.5, JSON.stringify({ match, lower }));
    // Fourteen letters, each 8 pixels wide.
    t.ok(Math.abs(match.box.width - 14 * 8) <= 4 && match.box.height <= 16, JSON.stringify(match.box));
    const clicked = clickedSchema.parse(await agent.call("click_text", { text: "another window" }));
    t.same(await display.pointer(), clicked.actual_position);
    t.ok(inside({ ...clicked.actual_position, width: 1, height: 1 }, match.box));
  });

  await t.test("what is there twice, or not, is refused and named", async (t) => {
    await t.rejects(agent.call("click_text", { text: "deliver everything" }), {
      code: "text_ambiguous",
      message: /2 places/,
    });
    await t.rejects(agent.call("click_text", { text: "no such thing" }), { code: "text_not_found" });
    const nth = clickedSchema.parse(await agent.call("click_text", { text: "deliver everything", nth: 2 }));
    t.ok(inside({ ...nth.actual_position, width: 1, height: 1 }, upper));
  });

  await t.test("a text is waited for, and that it goes", async (t) => {
    const waiting = agent.call("wait_for", { condition: "text", text: "arrived safely", timeout_ms: 30_000 });
    await agent.call("click_at", { x: upper.x + 200, y: upper.y + 60 });
    await agent.call("type_text", { text: "arrived safely\n" });
    t.match(await waiting, { met: true });
    const gone = agent.call("wait_for", {
      condition: "text_gone",
      text: "arrived safely",
      timeout_ms: 30_000,
    });
    await agent.call("type_text", { text: "1\n2\n3\n4\n5\n6\n7\n8\n" });
    t.match(await gone, { met: true });
  });
});

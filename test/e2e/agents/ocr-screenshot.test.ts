import t, { type Test } from "tap";
import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// What stands on a real screen is read where it stands, by the built server and its threads.

const answerSchema = z.object({
  text: z.string(),
  screenshot_id: z.string(),
  regions: z.array(
    z.object({
      text: z.string(),
      x: z.int(),
      y: z.int(),
      w: z.int(),
      h: z.int(),
      confidence: z.number().min(0).max(1),
      line: z.int(),
    }),
  ),
});

async function open(t: Test) {
  const display = await XDisplay.start(t, { geometry: "1024x768" });
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  /** A terminal with these lines; gives its place. */
  const show = async (title: string, at: string, ...lines: string[]): Promise<Rect> => {
    const window = await display.openTerminal(title, at, `printf '%s\\n' ${quoted(lines)}; exec sleep 600`);
    return await display.placeOf(window);
  };
  const read = async (args: Record<string, unknown> = {}) =>
    answerSchema.parse(await agent.call("ocr_screenshot", args));
  return { agent, show, read };
}

const quoted = (lines: readonly string[]): string => lines.map((line) => `'${line}'`).join(" ");

t.test("what a terminal shows is read, each word in its own place", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const { agent, show, read } = await open(t);
  const upper = await show(
    "upper",
    "50x6+40+60",
    "Compile finished without errors",
    "Open the second window",
  );
  const lower = await show("lower", "50x6+420+480", "Transfer the balance", "secret answer elsewhere");
  const seen = await until("all text", async () => {
    const answer = await read();
    return answer.text.includes("Transfer the balance") && answer.text.includes("Compile") ? answer : null;
  });
  for (const line of ["Compile finished without errors", "Open the second window", "Transfer the balance"]) {
    t.ok(seen.text.split("\n").includes(line), `${line} in: ${seen.text}`);
  }
  const inside = ({ x, y, w, h }: (typeof seen.regions)[number], place: Rect): boolean =>
    x >= place.x && y >= place.y && x + w <= place.x + place.width && y + h <= place.y + place.height;
  const [compile, transfer] = ["Compile", "Transfer"].map((word) =>
    seen.regions.find(({ text }) => text === word),
  );
  t.ok(compile !== undefined && inside(compile, upper), JSON.stringify({ compile, upper }));
  t.ok(transfer !== undefined && inside(transfer, lower), JSON.stringify({ transfer, lower }));
  t.ok(compile?.h !== undefined && compile.h < 20 && compile.w > 40 && compile.w < 75, "a box of one word");
  t.ok(seen.text.indexOf("Compile") < seen.text.indexOf("Transfer"), "from the top");

  await t.test("a region is read alone, in pixels of the desktop", async (t) => {
    const part = await read({ region: lower, level: "line" });
    t.notMatch(part.text, /Compile/);
    t.match(part.text, /Transfer the balance/);
    for (const line of part.regions) t.ok(inside(line, lower), JSON.stringify(line));
  });

  await t.test("a screenshot is read as its caller was shown it: what is masked is not", async (t) => {
    const { facts } = await agent.shot({ scrub_mask_rects: [lower] });
    const { text, screenshot_id } = await read({ screenshot_id: facts["screenshot_id"] });
    t.equal(screenshot_id, facts["screenshot_id"]);
    t.match(text, /Compile finished without errors/);
    t.notMatch(text, /Transfer|balance|secret|answer|elsewhere/);
    const half = await agent.shot({ region: lower, scale: 2 });
    const enlarged = await read({ screenshot_id: half.facts["screenshot_id"] });
    const word = enlarged.regions.find((region) => region.text === "Transfer");
    t.ok(word !== undefined && transfer !== undefined && Math.abs(word.x - transfer.x) <= 2, "scaled back");
  });

  await t.test("an unknown screenshot and a language without a model are refused", async (t) => {
    await t.rejects(read({ screenshot_id: "none" }), { code: "not_found" });
    await t.rejects(read({ language: "jpn" }), { code: "models_missing" });
  });
});

t.test("German is read with its own model", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const { show, read } = await open(t);
  const known = "Bitte die Größe der Straße prüfen";
  await show("deutsch", "60x6+100+100", known);
  const { text } = await until("the text", async () => {
    const answer = await read({ language: "deu" });
    return answer.text.includes("Bitte") ? answer : null;
  });
  t.ok(text.split("\n").includes(known), text);
  t.match((await read({ language: "deu+eng" })).text, /Größe der Straße/);
});

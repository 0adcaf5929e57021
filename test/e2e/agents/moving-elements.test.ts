import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import * as z from "zod";
import { holdsPoint } from "../../../src/framebuffer/rect.ts";
import { randomOf } from "../../recording/studio.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { openChromium } from "./input-programs.ts";

// A page scrolls, moves, swaps and takes away buttons between get_elements and click_element: what is pressed is what was
// named, or nothing, once the target has sent the change.

const ROWS = 24;
const ROW_HEIGHT = 60;
const WORDS = ["Amber", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath"];

const PAGE = `<!doctype html><meta charset="utf-8"><title>inputs</title>
<style>
 body { margin: 0; height: ${ROWS * ROW_HEIGHT}px; font: 15px sans-serif; background: #f4f4f6; cursor: default }
 button { position: absolute; width: 150px; height: 34px; font: inherit; border: 1px solid #888; border-radius: 4px; background: #fdfdfd }
</style>
<body>
<div id="sign" style="position: fixed; right: 8px; bottom: 8px; width: 90px; height: 90px; background: #ddd"></div>
<script>
 window.heard = [];
 addEventListener("click", ({ target }) => {
   heard.push(target.id || "page");
   // As most do: what is pressed shows that it was.
   document.querySelector("#sign").style.background = heard.length % 2 ? "#c33" : "#3c3";
 });
 const words = ${JSON.stringify(WORDS)};
 for (let row = 0; row < ${ROWS}; row++) {
   const button = document.createElement("button");
   button.id = "b" + row;
   button.textContent = words[row % words.length] + " " + (row * 37 + 11);
   document.body.append(button);
 }
 window.lay = () => {
   scrollTo(0, 0);
   [...document.querySelectorAll("button")].forEach((button, row) => {
     button.hidden = false;
     button.style.left = 80 + (row % 3) * 220 + "px";
     button.style.top = 10 + row * ${ROW_HEIGHT} + "px";
   });
 };
 lay();
</script>`;

/** What becomes of the page, as code that runs in it, for a row and a number from 0 to 1. */
const CHANGES = {
  nothing: () => "0",
  scrolled: (_row: number, by: number) => `scrollTo(0, ${Math.round(10 + 500 * by)})`,
  moved: (row: number, by: number) =>
    `document.querySelector("#b${row}").style.left = "${Math.round(10 + 700 * by)}px"`,
  swapped: (row: number, by: number) => `{
    const [one, other] = [document.querySelector("#b${row}"), document.querySelector("#b${(row + 1 + Math.floor(3 * by)) % 8}")];
    const { left, top } = one.style;
    one.style.left = other.style.left; one.style.top = other.style.top;
    other.style.left = left; other.style.top = top;
  }`,
  gone: (row: number) => `document.querySelector("#b${row}").hidden = true`,
  covered: (row: number) => `{
    const [one, other] = [document.querySelector("#b${row}"), document.querySelector("#b20")];
    other.style.left = one.style.left; other.style.top = one.style.top; one.hidden = true;
  }`,
} as const;

/** Each kind so often; `OC_DRAWS` for more. */
const DRAWS = Number(process.env["OC_DRAWS"] ?? 3);
const TIMEOUT_MS = 240_000 + DRAWS * 120_000;

const elementSchema = z.object({
  ...{ id: z.string(), kind: z.string(), label: z.string().nullable() },
  box: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
});
const elementsSchema = z.object({ elements: z.array(elementSchema) });
const answerSchema = z.looseObject({
  content: z.array(z.looseObject({ text: z.string().optional() })),
  structuredContent: z.looseObject({
    moved: z.boolean().optional(),
    unverified: z.literal(true).optional(),
    changed: z.boolean().nullable().optional(),
    error: z.object({ code: z.string() }).optional(),
  }),
});

const labelOf = (row: number): string => `${WORDS[row % WORDS.length]} ${row * 37 + 11}`;

/** The page on a desktop of its own, and an agent there. */
async function open(t: Test) {
  const display = await XDisplay.start(t, { geometry: "1024x768" });
  await display.openWindowManager();
  const { page, place } = await openChromium(t, display, PAGE);
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  /** The button of a row, when all lie as they do at first. */
  const laidOut = async (row: number): Promise<z.output<typeof elementSchema>> => {
    await page.evaluate("lay()");
    const middle = await place(`b${row}`);
    const element = await until(`the button ${labelOf(row)}`, async () => {
      const { elements } = elementsSchema.parse(await agent.call("get_elements"));
      // As it lay before it may still be shown.
      const isThere = ({ box }: z.output<typeof elementSchema>): boolean =>
        holdsPoint(box, middle.x, middle.y);
      return (
        elements.find((one) => one.kind === "button" && one.label === labelOf(row) && isThere(one)) ?? null
      );
    });
    await page.evaluate("window.heard.splice(0)");
    return element;
  };
  return { page, agent, laidOut };
}

t.test("a press reaches the button that was named, or none", { timeout: TIMEOUT_MS }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xdotool", "openbox", "chromium"])) return;
  const { page, agent, laidOut } = await open(t);
  const random = randomOf(11);
  const done: Record<string, { pressed: number; moved: number; refused: number }> = {};
  for (const [kind, change] of Object.entries(CHANGES)) {
    const count = { pressed: 0, moved: 0, refused: 0 };
    done[kind] = count;
    for (let draw = 0; draw < DRAWS; draw++) {
      const row = Math.floor(8 * random());
      const element = await laidOut(row);
      const before = await agent.shot();
      await page.evaluate(change(row, random()));
      // What the target has not sent yet nobody can know of.
      if (kind !== "nothing") {
        await until("the change", async () => !Buffer.from((await agent.shot()).rgba).equals(before.rgba));
      }
      const { structuredContent } = answerSchema.parse(
        await agent.raw("click_element", { element_id: element.id }),
      );
      const { error, moved } = structuredContent;
      // The answer comes when the press had its say.
      const heard = await page.evaluate<string[]>("window.heard");
      if (error === undefined) {
        count.pressed++;
        if (moved === true) count.moved++;
        t.same(heard, [`b${row}`], `${kind} ${draw}: pressed`);
      } else {
        count.refused++;
        t.same(heard, [], `${kind} ${draw}: ${error.code}`);
      }
    }
  }
  t.comment(JSON.stringify(done));
  t.equal(done["nothing"]?.pressed, DRAWS, "what stays is pressed");
  t.ok((done["scrolled"]?.moved ?? 0) + (done["moved"]?.moved ?? 0) > 0, "what moved is followed");
  t.equal(done["gone"]?.pressed, 0, "what is gone is not");
  t.equal(done["covered"]?.pressed, 0, "nor what stands in its place");
});

/** How something is pressed that was found before. */
const WAYS = ["click_element", "click_text", "click_at"] as const;

t.test(
  "what changes while it is pressed is not pressed, or the answer says so",
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xdotool", "openbox", "chromium"])) return;
    const { page, agent, laidOut } = await open(t);
    const random = randomOf(23);
    const count = { right: 0, wrong: 0, told: 0, unseen: 0, refused: 0 };
    let tookMs = 0;
    for (const kind of ["scrolled", "moved", "swapped", "gone", "covered"] as const) {
      for (let draw = 0; draw < DRAWS * WAYS.length; draw++) {
        const row = Math.floor(8 * random());
        const way = WAYS[draw % WAYS.length] ?? "click_element";
        const { id, box } = await laidOut(row);
        if (way === "click_at") await agent.call("add_anchor", { anchor_id: "button", ...box });
        const args = {
          click_element: { element_id: id },
          click_text: { text: labelOf(row) },
          click_at: { anchor_id: "button" },
        }[way];
        const startedAt = performance.now();
        const answered = agent.raw(way, args);
        // Anywhere between the look and the press, as far as the last ones tell.
        await delay(random() * tookMs);
        await page.evaluate(CHANGES[kind](row, random()));
        const { structuredContent: said, content } = answerSchema.parse(await answered);
        // Without the wait for what the click does.
        if (way !== "click_at") tookMs = Math.max(20, performance.now() - startedAt - 100);
        const heard = await page.evaluate<string[]>("window.heard");
        const isTold =
          said.unverified === true ||
          content.some(({ text }) => text?.includes("not on the screen as it was"));
        const name = `${kind} ${draw}, ${way}`;
        if (said.error !== undefined) {
          count.refused++;
          t.same(heard, [], `${name}: ${said.error.code}`);
        } else if (heard.join() === `b${row}`) count.right++;
        else if (isTold) count.told++;
        // Later than it was waited for: then nothing is claimed.
        else if (said.changed === false && content.some(({ text }) => text?.includes("no proof")))
          count.unseen++;
        else {
          count.wrong++;
          t.fail(`${name}: ${heard.join()} was pressed, expected b${row}: ${JSON.stringify(content)}`);
        }
      }
    }
    t.comment(JSON.stringify(count));
    t.equal(count.wrong, 0);
    t.ok(count.right + count.refused > 0);
  },
);

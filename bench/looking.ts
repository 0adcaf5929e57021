import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { openChromium } from "../test/e2e/agents/input-programs.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";

const SIZE = { width: 1280, height: 800 };
/** Letters of English that make a token, by the providers' rule of thumb. */
const LETTERS_A_TOKEN = 4;

/** What a model was given to do a task. */
export interface Looked {
  readonly calls: number;
  /** PNG, before base64. */
  readonly imageBytes: number;
  readonly claude: number;
  readonly openai: number;
}

export interface LookedTask {
  readonly name: string;
  readonly bySight: Looked;
  readonly byText: Looked;
}

interface Step {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

interface Task {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What is on the screen when it was done. */
  readonly shows: string;
}

const enter = (text: string): Step => ({ tool: "type_text", args: { text: `${text}\n` } });
const type = (text: string): Step => ({ tool: "type_text", args: { text } });
const press = (...keys: string[]): Step => ({ tool: "press_keys", args: { keys } });
const click = (text: string): Step => ({ tool: "click_text", args: { text, nth: 1 } });
const task = (name: string, shows: string, ...steps: Step[]): Task => ({ name, shows, steps });

/** In a shell, in an editor and a pager in it, then on a page; each leaves things as the next one needs them. */
const TASKS: readonly Task[] = [
  task("list a folder", "orders.csv", enter("ls -l")),
  task("count lines", "40 orders.csv", enter("wc -l orders.csv")),
  task("search a file", "Lisbon", enter("grep Lisbon orders.csv | head -n 3")),
  task(
    "make a folder and go there",
    "made reports",
    enter("mkdir -p reports && cd reports"),
    enter("echo made reports"),
  ),
  task(
    "write a file and show it",
    "quarter three",
    enter("echo quarter three > q3.txt"),
    enter("cat q3.txt"),
  ),
  task("correct a typing mistake", "hello world", type("echo helo"), press("BackSpace"), enter("lo world")),
  task("repeat a command", "second time", enter("echo second time"), press("Up"), press("Return")),
  task("sort and take the first", "order 01", enter("sort ../orders.csv | head -n 2")),
  task("a sum", "the sum is 820", enter("echo the sum is $(seq 40 | paste -sd+ | bc)")),
  task("a loop", "step 5 done", enter("for i in 1 2 3 4 5; do echo step $i done; done")),
  task("clear the screen", "clean again", enter("clear"), enter("echo clean again")),
  task(
    "page through a file",
    "order 40",
    enter("less ../orders.csv"),
    press("space"),
    press("space"),
    press("q"),
  ),
  task("an error", "No such file", enter("cat missing.txt")),
  task("rename a file", "final.txt", enter("mv q3.txt final.txt"), enter("ls")),
  task("append and show", "quarter four", enter("echo quarter four >> final.txt"), enter("cat final.txt")),
  task("press a button", "Saved once", click("Save order")),
  task("fill a field in", "Grace Hopper", click("Customer"), type("Grace Hopper")),
  task("choose by a check box", "Express is on", click("Express delivery")),
  task("go to the next page of a list", "Item 24", click("Next items")),
  task("open and answer a dialog", "Order deleted", click("Delete order"), click("Yes, delete")),
];

const PAGE = `<!doctype html><meta charset="utf-8"><title>inputs</title>
<style>body { font: 15px sans-serif; margin: 16px; background: #fff } button, input { font: inherit; padding: 4px 10px } p { margin: 10px 0 } #items { columns: 2 }</style>
<h2>Order 4711</h2><p><button onclick="say('Saved once')">Save order</button> <button onclick="by('ask').hidden=false">Delete order</button></p>
<p><label>Customer <input id="name"></label></p><p><label><input type="checkbox" onchange="say('Express is on')"> Express delivery</label></p>
<p id="ask" hidden>Really? <button onclick="by('ask').hidden=true;say('Order deleted')">Yes, delete</button></p>
<p><b id="said">Nothing yet</b></p><div id="items"></div><p><button onclick="list(20)">Next items</button></p>
<script>const by = (id) => document.getElementById(id); const say = (text) => { by('said').textContent = text; };
const list = (from) => { by('items').innerHTML = Array.from({ length: 20 }, (_, at) => 'Item ' + (from + at)).join('<br>'); }; list(0);</script>`;

const answerSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.looseObject({
    generation: z.int().optional(),
    text: z.string().nullable().optional(),
  }),
  content: z.array(
    z.looseObject({ type: z.string(), text: z.string().optional(), data: z.string().optional() }),
  ),
});

/** Counts all that a model is given. */
class Session {
  #calls = 0;
  #letters = 0;
  #imageBytes = 0;
  #images = 0;
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  async call({ tool, args }: Step): Promise<z.output<typeof answerSchema>> {
    const answer = answerSchema.parse(await this.#agent.raw(tool, args));
    if (answer.isError === true) throw new Error(`LOOKING: ${tool}: ${JSON.stringify(answer.content)}`);
    this.#calls++;
    for (const { type: kind, text = "", data = "" } of answer.content) {
      if (kind === "text") this.#letters += text.length;
      else {
        this.#images++;
        this.#imageBytes += Math.floor((data.length * 3) / 4);
      }
    }
    return answer;
  }

  take(): Looked {
    const text = this.#letters / LETTERS_A_TOKEN;
    const looked = {
      calls: this.#calls,
      imageBytes: this.#imageBytes,
      claude: Math.round(text + this.#images * claudeTokens(SIZE)),
      openai: Math.round(text + this.#images * openaiTokens(SIZE)),
    };
    [this.#calls, this.#letters, this.#imageBytes, this.#images] = [0, 0, 0, 0];
    return looked;
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Anthropic, "Vision": width x height / 750, of a picture that is scaled to 1568 pixels a side at most. */
function claudeTokens({ width, height }: Size): number {
  const scale = Math.min(1, 1568 / Math.max(width, height));
  return (width * scale * height * scale) / 750;
}

/** OpenAI, "Images and vision", detail high: within 2048x2048, then 768 on the shorter side; 85 and 170 a tile of 512. */
function openaiTokens({ width, height }: Size): number {
  const within = Math.min(1, 2048 / Math.max(width, height));
  const scale = within * Math.min(1, 768 / (Math.min(width, height) * within));
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

/** The same tasks, done by a screenshot after each step, and by what the answers and `read_text since` say. */
export async function lookBothWays(owner: Owner, folder: string, isShort: boolean): Promise<LookedTask[]> {
  const display = await XDisplay.start(owner, { geometry: `${SIZE.width}x${SIZE.height}` });
  await display.openWindowManager();
  await openChromium(owner, display, PAGE);
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const tasks = isShort ? TASKS.slice(0, 2) : TASKS;
  const done: Record<"sight" | "text", Looked[]> = { sight: [], text: [] };
  for (const way of ["sight", "text"] as const) {
    const home = join(folder, way);
    mkdirSync(home);
    const orders = Array.from(
      { length: 40 },
      (_, at) => `order ${`${at + 1}`.padStart(2, "0")},${CITIES[at % 4]},${at * 7}`,
    );
    writeFileSync(join(home, "orders.csv"), `${orders.join("\n")}\n`);
    const shell = await display.openTerminal(way, "70x24+620+330", `cd '${home}' && PS1='$ ' exec sh`);
    await display.command("xdotool", "windowactivate", "--sync", shell);
    const session = new Session(agent);
    let { generation = 0 } = (await session.call({ tool: "read_text", args: {} })).structuredContent;
    session.take();
    for (const { name, steps, shows } of tasks) {
      for (const step of steps) {
        await session.call(step);
        if (way === "sight") await session.call({ tool: "take_screenshot", args: {} });
        else {
          const { structuredContent } = await session.call({
            tool: "read_text",
            args: { since: generation },
          });
          generation = structuredContent.generation ?? generation;
        }
      }
      done[way].push(session.take());
      const wanted = { condition: "text", text: shows, match: "fuzzy", timeout_ms: 20_000 };
      const { met } = await agent.call("wait_for", wanted);
      if (met !== true)
        throw new Error(`LOOKING: ${name}, by ${way}: ${JSON.stringify(shows)} is not on the screen`);
    }
    await display.command("xdotool", "windowkill", shell);
  }
  return tasks.map(({ name }, at) => ({
    name,
    bySight: lookedAt(done.sight, at),
    byText: lookedAt(done.text, at),
  }));
}

const CITIES = ["Lisbon", "Bergen", "Gdansk", "Bremen"];

function lookedAt(list: readonly Looked[], at: number): Looked {
  const looked = list[at];
  if (looked === undefined) throw new Error(`LOOKING: task ${at} was not done`);
  return looked;
}

export const sumOf = (all: readonly Looked[]): Looked => ({
  calls: all.reduce((sum, { calls }) => sum + calls, 0),
  imageBytes: all.reduce((sum, { imageBytes }) => sum + imageBytes, 0),
  claude: all.reduce((sum, { claude }) => sum + claude, 0),
  openai: all.reduce((sum, { openai }) => sum + openai, 0),
});

/** Tasks that are nothing but typing. */
const TYPING = 15;

/** What a session costs a model that reads what changed, beside one that looks after each step. */
export async function benchLooking(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const tasks = await lookBothWays(owner, folder, isShort);
  const typed = tasks.slice(0, TYPING);
  const row = (metric: string, of: readonly LookedTask[], by: "claude" | "openai"): Line =>
    judged({
      ...{ id: "LOOKING", unit: "tokens", metric, ours: sumOf(of.map(({ byText }) => byText))[by] },
      ...{ peer: "a screenshot after each step", theirs: sumOf(of.map(({ bySight }) => bySight))[by] },
      goal: { atMost: 0.1 },
    });
  return [
    row(`${typed.length} typing tasks by read_text since, Claude's formula`, typed, "claude"),
    row(`${typed.length} typing tasks by read_text since, OpenAI's formula`, typed, "openai"),
    row(`all ${tasks.length} tasks, Claude's formula`, tasks, "claude"),
  ];
}

import type { Test } from "tap";
import * as z from "zod";
import { TOOL_ACTION_CLASSES } from "../../../scripts/docs-policy.ts";
import { stricterWord, type VerdictWord } from "../../../src/desktop/control/action-class.ts";
import { policyOf } from "../../../src/desktop/control/modes.ts";
import { MODES, type Mode, wordFor } from "../../../src/desktop/control/policy.ts";
import { ANSWERS, FakeProvider } from "../../analysis/providers.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { EventWindow, type Seen } from "../harness/event-window.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { ACTING_CELLS, type ActingCell, type Stage, type StageDisplay } from "./tool-cells.ts";
import { READING_CELLS } from "./tool-cells-reading.ts";
import { RECORDING_CELLS } from "./tool-cells-recording.ts";

/** Every tool but those of ACTING_CELLS. */
export const OTHER_CELLS = [...READING_CELLS, ...RECORDING_CELLS];

const listSchema = z.array(z.looseObject({ id: z.string() }));
const batchSchema = z.object({ failed: z.object({ code: z.string() }).nullable() });

/** What the generated table says of a tool that acts: from the very source that docs/policy.md is made of. */
function wordOf(tool: string, mode: Mode): VerdictWord {
  const classes = TOOL_ACTION_CLASSES[tool];
  if (classes === undefined) throw new Error(`${tool} is not in the table`);
  if (classes === "letting go") return "allow";
  const needed = classes === "each" ? ["pointer" as const] : classes;
  return needed.map((actionClass) => wordFor(policyOf(mode), actionClass)).reduce(stricterWord);
}

/** What a call came to: its answer, or the code that it was refused with. */
interface Outcome {
  readonly answer: Record<string, unknown> | null;
  readonly code: string | null;
}

function call(stage: Stage, tool: string, args: Record<string, unknown>): Promise<Outcome> {
  return stage.agent.call(tool, args).then(
    (answer) => ({ answer, code: batchSchema.safeParse(answer).data?.failed?.code ?? null }),
    (error: unknown) => {
      if (error instanceof ToolRefusal) return { answer: null, code: error.code };
      throw error;
    },
  );
}

/** The one open question's id, when there is one. */
function question({ appliance }: Stage): Promise<string> {
  return until("a question", async () => {
    const response = await appliance.fetch("/api/v1/approvals");
    return listSchema.parse(await response.json())[0]?.id ?? null;
  });
}

async function decide({ appliance }: Stage, id: string, decision: "approve" | "deny"): Promise<void> {
  const response = await appliance.fetch(`/api/v1/approvals/${id}`, { decision });
  if (!response.ok) throw new Error(`the decision was answered with ${response.status}`);
}

const presses = (seen: readonly Seen[]): Seen[] => seen.filter((line) => !line.startsWith("move"));

/** The desktop that the cells play on, and how long it takes to share its clipboard. */
export interface StageTarget {
  readonly display: StageDisplay;
  /** What `--connect` takes; its screen is 800x600. */
  readonly url: string;
  /** Part of that, and shown nowhere. */
  readonly secret: string;
  /** What `add_connection` takes for another desktop. */
  readonly another: Readonly<Record<string, unknown>>;
  readonly encoding: BufferEncoding;
  /** Resolves when there is a display with a window manager; called once the appliance is connected. */
  open(): Promise<void>;
}

export async function openStage(t: Test, target: StageTarget): Promise<Stage> {
  const { display, url, secret, another, encoding } = target;
  const model = await FakeProvider.open(t, { body: ANSWERS.ollama });
  const appliance = await Appliance.start(t, {
    connect: [url],
    env: {
      OC_APPROVAL_ARMING_MS: "0",
      OC_ANALYSIS_OLLAMA_MODEL: "a-model",
      OC_ANALYSIS_OLLAMA_ENDPOINT: model.url,
    },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  await target.open();
  const window = await EventWindow.open(display, "400x300+300+150");
  const place = await display.placeOf(window.id);
  const at = { x: place.x + 200, y: place.y + 200 };
  const response = await appliance.fetch("/api/v1/desktops");
  const desktopId = listSchema.parse(await response.json())[0]?.id ?? "";
  let count = 0;
  let mode: Mode = "autopilot";
  const stage: Stage = {
    ...{ display, window, appliance, agent, desktopId, at, secret, another, encoding },
    async enter(next) {
      mode = next;
      const set = await appliance.fetch(`/api/v1/desktops/${desktopId}/mode`, { mode });
      if (!set.ok) throw new Error(`the mode was answered with ${set.status}`);
    },
    word: () => `word ${++count}`,
    async insist(tool, args = {}) {
      const work = call(stage, tool, args);
      if (wordOf(tool, mode) === "ask") await decide(stage, await question(stage), "approve");
      const { answer, code } = await work;
      if (answer === null) throw new Error(`${tool}: ${code}`);
      return answer;
    },
  };
  // The window has the focus from here on, and the target the appliance's clipboard (x11vnc takes some time to).
  await agent.call("click_at", at);
  // Before the first chord of a connection comes a Shift (Typist.wakeKeyboard), which belongs to no cell.
  const mark = window.mark;
  await agent.call("press_keys", { keys: "ctrl+F5" });
  await until("the first chord", () => window.since(mark).includes("up Control_L"));
  await until(
    "the text on the target's clipboard",
    async () => {
      const text = stage.word();
      await agent.call("set_clipboard", { text });
      return (await display.readClipboard(stage.encoding)) === text;
    },
    40_000,
  );
  return stage;
}

/** Something new is copied on the target, and the appliance knows of it. */
async function copyOutside(stage: Stage): Promise<void> {
  await stage.enter("autopilot");
  const text = `outside, ${stage.word()}`;
  await stage.display.writeClipboard(text, stage.encoding);
  const isKnown = async (): Promise<boolean> => (await stage.agent.call("get_clipboard"))["text"] === text;
  await until("the target's text", isKnown, 40_000);
}

/** Nothing of it has happened, as far as the world can tell. */
async function expectNothing(
  t: Test,
  stage: Stage,
  cell: ActingCell,
  args: Record<string, unknown>,
  mark: number,
): Promise<void> {
  t.same(await stage.window.until(mark), [], "nothing reached the window");
  await cell.undone?.(stage, args);
}

async function playCell(t: Test, stage: Stage, cell: ActingCell, mode: Mode): Promise<void> {
  const { window } = stage;
  const word = wordOf(cell.tool, mode);
  const isPrepared = cell.prepare !== undefined && wordOf("mouse_down", mode) !== "deny";
  if (isPrepared) {
    const mark = window.mark;
    await cell.prepare?.(stage);
    await until("the preparation", () => presses(window.since(mark)).length > 0);
  }
  const args = await cell.args(stage);
  let mark = window.mark;
  const work = call(stage, cell.tool, args);
  if (word === "ask") {
    const id = await question(stage);
    await expectNothing(t, stage, cell, args, mark);
    mark = window.mark;
    await decide(stage, id, "approve");
  }
  const { answer, code } = await work;
  if (word === "deny") {
    t.equal(code, "permission_denied");
    await expectNothing(t, stage, cell, args, mark);
    return;
  }
  t.equal(code, null);
  if (answer === null) return;
  const hasEvents = cell.events !== undefined && (cell.prepare === undefined || isPrepared);
  const expected = hasEvents ? (cell.events?.(stage) ?? []) : [];
  await until("what it does", () => presses(window.since(mark)).length >= expected.length).catch(
    () => undefined,
  );
  t.same(presses(await window.until(mark)), expected, "the window was sent this and nothing else");
  await cell.done?.(stage, args, answer);
  await cell.tidy?.(stage);
}

/** Each tool in each mode: what the policy table says of it, and what the world shows. */
export async function playCells(t: Test, stage: Stage): Promise<void> {
  for (const mode of MODES) {
    await copyOutside(stage);
    await stage.enter(mode);
    for (const cell of ACTING_CELLS) {
      await t.test(`${mode} ${cell.tool}: ${wordOf(cell.tool, mode)}`, (t) => playCell(t, stage, cell, mode));
    }
    for (const { tool, play } of OTHER_CELLS) {
      await t.test(`${mode} ${tool}: judged by role alone`, (t) => play(t, stage, mode));
    }
  }
  stage.appliance.assertAlive();
}

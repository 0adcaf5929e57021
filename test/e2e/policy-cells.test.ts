import { readFileSync } from "node:fs";
import t, { type Test } from "tap";
import * as z from "zod";
import { TOOL_SUBJECTS } from "../../scripts/docs-policy.ts";
import { policyOf } from "../../src/desktop/modes.ts";
import { MODES, type Mode, wordFor } from "../../src/desktop/policy.ts";
import { stricterWord, type VerdictWord } from "../../src/desktop/subject.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { Appliance } from "./appliance.ts";
import { EventWindow, type Seen } from "./event-window.ts";
import { ToolRefusal } from "./mcp-client.ts";
import { requirePeers } from "./peers.ts";
import { startTarget, TARGETS, type TargetKind } from "./target.ts";
import { ACTING_CELLS, type ActingCell, type Stage } from "./tool-cells.ts";
import { READING_CELLS } from "./tool-cells-reading.ts";
import { RECORDING_CELLS } from "./tool-cells-recording.ts";
import { until } from "./until.ts";

const OTHER_CELLS = [...READING_CELLS, ...RECORDING_CELLS];

const listSchema = z.array(z.looseObject({ id: z.string() }));
const batchSchema = z.object({ failed: z.object({ code: z.string() }).nullable() });

/** What the generated table says of a tool that acts: from the very source that docs/policy.md is made of. */
function wordOf(tool: string, mode: Mode): VerdictWord {
  const subjects = TOOL_SUBJECTS[tool];
  if (subjects === undefined) throw new Error(`${tool} is not in the table`);
  if (subjects === "letting go") return "allow";
  const needed = subjects === "each" ? ["pointer" as const] : subjects;
  return needed.map((subject) => wordFor(policyOf(mode), subject)).reduce(stricterWord);
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

async function openStage(t: Test, kind: TargetKind): Promise<Stage> {
  const target = await startTarget(t, kind, t.testdir(), { geometry: "800x600" });
  const { display } = target;
  await display.openWindowManager();
  const window = await EventWindow.open(display, "400x300+300+150");
  const place = await display.placeOf(window.id);
  const at = { x: place.x + 200, y: place.y + 200 };
  const appliance = await Appliance.start(t, { connect: [target.url] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const response = await appliance.fetch("/api/v1/desktops");
  const desktopId = listSchema.parse(await response.json())[0]?.id ?? "";
  let count = 0;
  let mode: Mode = "autopilot";
  const stage: Stage = {
    ...{ display, window, appliance, agent, desktopId, at },
    encoding: kind === "x11vnc" ? "latin1" : "utf8",
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

t.test("every tool that acts has its cells", async (t) => {
  t.same(ACTING_CELLS.map(({ tool }) => tool).sort(), Object.keys(TOOL_SUBJECTS).sort());
  const others = TOOLS.map(({ name }) => name).filter((name) => TOOL_SUBJECTS[name] === undefined);
  t.same(OTHER_CELLS.map(({ tool }) => tool).sort(), others.sort(), "and so has every other tool");
  const rows = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8").matchAll(
    /^\| `(\w+)` \|/gm,
  );
  t.same(
    [...rows].map(([, name = ""]) => name).sort(),
    [...ACTING_CELLS, ...OTHER_CELLS].map(({ tool }) => tool).sort(),
    "and every row of docs/policy.md",
  );
});

for (const kind of TARGETS) {
  t.test(
    `${kind}: each tool in each mode does what the policy table says`,
    { timeout: 240_000 },
    async (t) => {
      const peers = ["Xtigervnc", "x11vnc", "openbox", "xdotool", "xwd", "xev", "xclip"] as const;
      if (!requirePeers(t, peers)) return;
      const stage = await openStage(t, kind);
      for (const mode of MODES) {
        await copyOutside(stage);
        await stage.enter(mode);
        for (const cell of ACTING_CELLS) {
          await t.test(`${mode} ${cell.tool}: ${wordOf(cell.tool, mode)}`, (t) =>
            playCell(t, stage, cell, mode),
          );
        }
        for (const { tool, play } of OTHER_CELLS) {
          await t.test(`${mode} ${tool}: judged by role alone`, (t) => play(t, stage, mode));
        }
      }
      stage.appliance.assertAlive();
    },
  );
}

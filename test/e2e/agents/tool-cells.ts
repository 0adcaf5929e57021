import * as z from "zod";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";
import type { EventWindow, Seen } from "../harness/event-window.ts";
import type { Agent } from "../harness/mcp-client.ts";
import type { XDisplay } from "../harness/x-display.ts";
import type { SceneDisplay } from "../targets/scene-target.ts";

type Point = { readonly x: number; readonly y: number };

/** The X display of a target, by whatever protocol it is reached. */
export type StageDisplay = SceneDisplay & Pick<XDisplay, "readClipboard" | "writeClipboard">;

/** Where the cells play: a desktop, its one window that tells what reaches it, and who acts. */
export interface Stage {
  readonly display: StageDisplay;
  readonly window: EventWindow;
  readonly appliance: Appliance;
  readonly agent: Agent;
  readonly desktopId: string;
  /** Within the window, not where the window's own picture is. */
  readonly at: Point;
  /** The target's password. */
  readonly secret: string;
  /** What `add_connection` takes for another desktop. */
  readonly another: Readonly<Record<string, unknown>>;
  readonly encoding: BufferEncoding;
  /** A human sets the desktop's mode. */
  enter(mode: Mode): Promise<void>;
  /** Different each time. */
  word(): string;
  /** A call that a human allows where it is asked. */
  insist(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** A tool that acts on the desktop, and how the world shows that it did. */
export interface ActingCell {
  readonly tool: string;
  /** What it needs before; only where pointing is not denied. */
  prepare?(stage: Stage): Promise<void>;
  args(stage: Stage): Promise<Record<string, unknown>> | Record<string, unknown>;
  /** What reaches the window, in this order and nothing else; moves are left out. */
  events?(stage: Stage): readonly Seen[];
  /** What else must hold once it is done; throws where it does not. */
  done?(stage: Stage, args: Record<string, unknown>, answer: Record<string, unknown>): Promise<void>;
  /** What must still hold while it is not done. */
  undone?(stage: Stage, args: Record<string, unknown>): Promise<void>;
  /** Leaves nothing behind. */
  tidy?(stage: Stage): Promise<void>;
}

const pointSchema = z.object({ x: z.int(), y: z.int() });
const text = ({ x, y }: Point): string => `${x},${y}`;
const click = (at: Point, button = 1): Seen[] => [
  `press ${button} ${text(at)}`,
  `release ${button} ${text(at)}`,
];
const right = ({ at }: Stage): Point => ({ x: at.x + 40, y: at.y });
const letGo = async ({ agent }: Stage): Promise<void> => void (await agent.call("reset_input"));
const hold = async (stage: Stage): Promise<void> => void (await stage.insist("mouse_down", { ...stage.at }));

function expectSame(what: string, got: unknown, expected: unknown): void {
  if (JSON.stringify(got) === JSON.stringify(expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
}

async function expectClipboard({ display, encoding }: Stage, expected: unknown): Promise<void> {
  await until(`${String(expected)} on the target's clipboard`, async () => {
    return (await display.readClipboard(encoding)) === expected;
  });
}

/** The target's own word, and what the agent is told. */
async function expectClipboardRead(stage: Stage, expected: unknown): Promise<void> {
  await expectClipboard(stage, expected);
  expectSame("the clipboard", (await stage.insist("get_clipboard"))["text"], expected);
}

async function expectOtherClipboard({ display, encoding }: Stage, word: unknown): Promise<void> {
  const got = await display.readClipboard(encoding).catch(() => "");
  if (got === word) throw new Error("the clipboard has it already");
}

const elementsSchema = z.object({
  elements: z.array(z.object({ id: z.string(), label: z.string().nullable() })),
});

/** Clicks on the window's title, a text that is there to be found. */
const ON_TITLE: Omit<ActingCell, "tool" | "args"> = {
  // The pointer is away from it.
  async prepare(stage) {
    const { mark } = stage.window;
    await stage.insist("click_at", { ...stage.at });
    await stage.window.until(mark);
  },
  async done({ display, window }, _, { actual_position }) {
    const place = await display.placeOf(window.id);
    const { x, y } = pointSchema.parse(actual_position);
    if (y >= place.y || y < place.y - 40) throw new Error(`the title is above ${place.y}, not at ${x},${y}`);
    await until("the pointer", async () => text(await display.pointer()) === text({ x, y }));
  },
  async undone({ display, at }) {
    const { x, y } = await display.pointer();
    if (y < at.y) throw new Error(`the pointer is at ${x},${y}`);
  },
};

/** Every tool that the policy judges. */
export const ACTING_CELLS: readonly ActingCell[] = [
  {
    tool: "get_clipboard",
    args: () => ({}),
    async done({ display, encoding }, _, answer) {
      expectSame("the clipboard", answer["text"], await display.readClipboard(encoding));
    },
  },
  { tool: "click_at", args: ({ at }) => ({ ...at }), events: ({ at }) => click(at) },
  { tool: "click_text", ...ON_TITLE, args: () => ({ text: "events", match: "words" }) },
  {
    tool: "click_element",
    ...ON_TITLE,
    async args(stage) {
      const { elements } = elementsSchema.parse(await stage.agent.call("get_elements"));
      const title = elements.find(({ label }) => label?.split(/\W/).includes("events"));
      if (title === undefined) throw new Error(`no title in ${JSON.stringify(elements)}`);
      return { element_id: title.id };
    },
  },
  {
    tool: "move_mouse",
    async args(stage) {
      const { x } = await stage.display.pointer();
      return { ...(x === stage.at.x ? right(stage) : stage.at) };
    },
    async done({ display }, args) {
      await until("the pointer", async () => text(await display.pointer()) === `${args["x"]},${args["y"]}`);
    },
    async undone({ display }, args) {
      const at = text(await display.pointer());
      if (at === `${args["x"]},${args["y"]}`) throw new Error(`the pointer is at ${at} already`);
    },
  },
  {
    tool: "mouse_down",
    args: ({ at }) => ({ ...at }),
    events: ({ at }) => [`press 1 ${text(at)}`],
    tidy: letGo,
  },
  {
    tool: "mouse_up",
    prepare: hold,
    args: ({ at }) => ({ ...at }),
    events: ({ at }) => [`release 1 ${text(at)}`],
    tidy: letGo,
  },
  {
    tool: "drag",
    args: (stage) => ({ path: [stage.at, right(stage)] }),
    events: (stage) => [`press 1 ${text(stage.at)}`, `release 1 ${text(right(stage))}`],
  },
  { tool: "scroll", args: ({ at }) => ({ ...at, dy: 1 }), events: ({ at }) => click(at, 5) },
  {
    tool: "press_keys",
    // Shift and a function key together x11vnc takes apart: it presses the key without Shift (0.9.16, modtweak).
    args: () => ({ keys: "ctrl+F5" }),
    events: () => ["down Control_L", "down F5", "up F5", "up Control_L"],
  },
  { tool: "type_text", args: () => ({ text: "ok" }), events: () => ["down o", "up o", "down k", "up k"] },
  {
    tool: "batch_actions",
    args: ({ at }) => ({ actions: [{ tool: "click_at", arguments: { ...at, button: "right" } }] }),
    events: ({ at }) => click(at, 3),
  },
  {
    tool: "computer",
    args: ({ at }) => ({ name: "middle_click", input: { coordinate: [at.x, at.y] }, type: "tool_use" }),
    events: ({ at }) => click(at, 2),
  },
  {
    tool: "set_clipboard",
    args: ({ word }) => ({ text: word() }),
    done: (stage, args) => expectClipboardRead(stage, args["text"]),
    undone: (stage, args) => expectOtherClipboard(stage, args["text"]),
  },
  {
    tool: "paste_text",
    args: ({ word }) => ({ text: word() }),
    events: () => ["down Control_L", "down v", "up v", "up Control_L"],
    done: (stage, args) => expectClipboardRead(stage, args["text"]),
    undone: (stage, args) => expectOtherClipboard(stage, args["text"]),
  },
  {
    tool: "reset_input",
    prepare: hold,
    args: () => ({}),
    events: ({ at }) => [`release 1 ${text(at)}`],
  },
];

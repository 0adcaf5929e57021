import t from "tap";
import { TOOL_ACTION_CLASSES } from "../../scripts/docs-policy.ts";
import { PLATFORM } from "../../src/appliance/open-links.ts";
import type { Principal } from "../../src/auth/principal.ts";
import { stricterWord, type VerdictWord } from "../../src/desktop/control/action-class.ts";
import { AgentRates } from "../../src/desktop/control/agent-rates.ts";
import { policyOf } from "../../src/desktop/control/modes.ts";
import { MODES, wordFor } from "../../src/desktop/control/policy.ts";
import { Desktops } from "../../src/desktop/desktops.ts";
import { openMcpState } from "../../src/mcp/tool/mcp-state.ts";
import type { McpPorts } from "../../src/mcp/tool/ports.ts";
import { runTool } from "../../src/mcp/tool/run-tool.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { FakeLink } from "../desktop/fake-link.ts";
import { FakeClock, settle } from "../fake-clock.ts";
import { SAVED_TEXT } from "./saved-text.ts";

const AGENT: Principal = { id: "a", name: "agent", role: "agent" };
const AT = { x: 10, y: 20 };

/** Arguments that are right for each tool that acts on a desktop. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  click_at: AT,
  click_text: { text: "Save" },
  click_element: { element_id: "1" },
  move_mouse: AT,
  mouse_down: AT,
  mouse_up: AT,
  drag: { path: [AT, { x: 30, y: 40 }] },
  scroll: { ...AT, dy: 2 },
  press_keys: { keys: "ctrl+a" },
  type_text: { text: "x" },
  paste_text: { text: "x" },
  set_clipboard: { text: "x" },
  get_clipboard: {},
  reset_input: {},
  batch_actions: { actions: [{ tool: "click_at", arguments: AT }] },
  computer: { action: "left_click", coordinate: [10, 20] },
};

/** What a tool meets in a mode: done, asked, or refused before anybody is asked. */
async function verdictOf(name: string, mode: (typeof MODES)[number]): Promise<VerdictWord> {
  const clock = new FakeClock();
  const link = new FakeLink();
  const desktops = new Desktops(
    { mode, approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock,
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: () => link,
      store: { load: async () => [], save: async () => undefined },
      ownListeners: () => [],
    },
  );
  await desktops.open([{ id: "d1", protocol: "vnc", host: "host.example" }]);
  link.goLive();
  const tool = TOOLS.find((known) => known.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const ports: McpPorts = {
    desktops,
    clock,
    log: { warn: () => undefined, error: (fields) => t.fail("logged an error", fields) },
    version: "1",
    audit: () => undefined,
    rates: new AgentRates(clock, { isOn: false }),
    texts: SAVED_TEXT,
  };
  const abort = new AbortController();
  const caller = {
    principal: AGENT,
    transport: "http",
    clientName: "test",
    signal: abort.signal,
  } as const;
  const work = runTool(tool, ARGUMENTS[name], caller, ports, openMcpState(ports));
  await settle();
  await clock.live(200, 20);
  const isAsked = desktops.questions.pending.length > 0;
  if (isAsked) abort.abort();
  await clock.live(3000, 50);
  // A batch is no error itself: it says how far it got and why.
  const told = JSON.stringify((await work).structuredContent);
  const code = /"code":"(\w+)"/.exec(told)?.[1] ?? null;
  await desktops.close();
  if (isAsked) return "ask";
  if (code === null) return "allow";
  if (code !== "permission_denied") throw new Error(`${name} in ${mode}: ${code}`);
  if (link.said.some((line) => /^(pointer|down|clipboard)/.test(line)))
    throw new Error("it was done all the same");
  return "deny";
}

for (const mode of MODES) {
  t.test(`${mode}: every tool meets what the table of docs/policy.md says`, async (t) => {
    for (const { name, effect } of TOOLS) {
      const classes = TOOL_ACTION_CLASSES[name];
      if (classes === undefined) {
        t.not(effect, "input", `${name} is in the table`);
        continue;
      }
      const needed = classes === "each" ? ["pointer" as const] : classes === "letting go" ? [] : classes;
      const words = needed.map((actionClass) => wordFor(policyOf(mode), actionClass));
      t.equal(await verdictOf(name, mode), words.reduce(stricterWord, "allow"), name);
    }
  });
}

t.test("no tool decides approvals, resumes, raises, or takes the input", async (t) => {
  const names = TOOLS.map(({ name }) => name);
  t.same(
    names.filter((name) => /approv|decid|grant|take_over|give_back/.test(name)),
    [],
  );
});

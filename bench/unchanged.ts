import type { House } from "./house.ts";
import { judged, type Line, line } from "./line.ts";
import { measure } from "./stopwatch.ts";

const KILOBYTE = 1000;

/** P5: what a screenshot costs over HTTP MCP where nothing changed, and what one for a model weighs. */
export async function benchUnchanged({ agent }: House, isShort: boolean): Promise<Line[]> {
  const { generation } = await agent.call("take_screenshot", { wait_for_stable_ms: 500 });
  const again = { if_changed_since: generation };
  const answer = await agent.call("take_screenshot", again);
  if (answer["unchanged"] !== true) throw new Error("P5: the desktop changed by itself, expected it at rest");
  const ours = {
    name: "take_screenshot, if_changed_since, unchanged",
    run: () => agent.raw("take_screenshot", again),
  };
  const empty = { name: "an empty tool call", run: () => agent.call("get_display_info") };
  const times = await measure([ours, empty], 300, isShort);
  const size = async (args: Record<string, unknown>): Promise<number> =>
    JSON.stringify(await agent.raw("take_screenshot", args)).length / KILOBYTE;
  return [
    line(times, ours.name, empty.name, { id: "P5", goal: { atMost: 1.2 } }),
    judged({
      id: "P5",
      metric: "take_screenshot, fit: claude, a text desktop, the whole answer",
      unit: "KB",
      ours: await size({ fit: "claude" }),
      peer: "the same at native size",
      theirs: await size({}),
      goal: { within: 250 },
    }),
  ];
}

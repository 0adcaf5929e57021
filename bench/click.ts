import type { House } from "./house.ts";
import { type Line, line } from "./line.ts";
import { measure } from "./stopwatch.ts";

const RUNS = 200;

/** click_at that returns when sent. */
export async function benchClick({ agent }: House): Promise<Line[]> {
  const click = {
    name: "click_at, effect_timeout_ms 0",
    run: () => agent.call("click_at", { x: 5, y: 5, effect_timeout_ms: 0 }),
  };
  const empty = { name: "an empty tool call", run: () => agent.call("get_display_info") };
  return [line(await measure([click, empty], RUNS, false), click.name, empty.name)];
}

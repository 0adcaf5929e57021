import type { House } from "./house.ts";
import { type Line, line } from "./line.ts";
import { measure } from "./stopwatch.ts";

const RUNS = 40;

/**
 * A key typed until its pixels are known: type_text waits for what changed. Beside it xdotool's type on the target
 * itself, which waits for nothing, and costs the start of a process.
 */
export async function benchKeyToPixel({ agent, display, typewriter }: House): Promise<Line[]> {
  if (display === null || typewriter === null) return [];
  const { x, y } = await display.placeOf(typewriter.window);
  await agent.call("click_at", { x: x + 20, y: y + 20 });
  const ours = {
    name: "type_text of one key, until its pixels",
    run: () => agent.call("type_text", { text: "k", effect_timeout_ms: 1000 }),
  };
  const theirs = { name: "xdotool type, on the target", run: () => display.command("xdotool", "type", "k") };
  return [line(await measure([ours, theirs], RUNS, false), ours.name, theirs.name)];
}

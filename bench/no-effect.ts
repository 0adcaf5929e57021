import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { measure } from "./stopwatch.ts";

const RUNS = 60;
const LATE_RUNS = 20;

/** Any key after `delay` seconds paints a number. */
const painter = (delay: string): string =>
  `stty raw -echo; printf '\\033[?25l'; n=0; while k=$(head -c1); [ -n "$k" ]; do sleep ${delay}; n=$((n+1)); printf '\\r%d' $n; done`;

const EMPTY = "an empty tool call";

const effectSchema = z.object({ changed: z.boolean().nullable(), generation_after: z.number() });

/** P16: how long a click takes that changes nothing, and how much of what programs paint late an answer still has. */
export async function benchNoEffect(owner: Owner, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: "1280x900" });
  const delays = ["0", "0.06", "0.1", "0.15"] as const;
  const windows: string[] = [];
  for (const [i, delay] of delays.entries())
    windows.push(await display.openTerminal(`painter ${i}`, `30x6+20+${20 + i * 150}`, painter(delay)));
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  await agent.call("take_screenshot", { wait_for_stable_ms: 500 });
  const click = { name: "click_at without effect", run: () => agent.call("click_at", { x: 1200, y: 800 }) };
  const empty = { name: EMPTY, run: () => agent.call("get_display_info") };
  const times = await measure([click, empty], RUNS, isShort);
  const lines = [
    judged({
      ...{ id: "P16", metric: click.name, unit: "ms", ours: times.get(click.name)?.p50 ?? 0 },
      ...{ peer: EMPTY, theirs: times.get(EMPTY)?.p50 ?? 0, goal: { within: 120 } },
    }),
  ];
  const shares: number[] = [];
  for (const [i, delay] of delays.entries()) {
    const { x, y } = await display.placeOf(windows[i] ?? "");
    await agent.call("move_mouse", { x: x + 50, y: y + 40 });
    const told: number[] = [];
    for (let run = 0; run < (isShort ? 1 : LATE_RUNS); run++) {
      const answer = effectSchema.parse(await agent.call("press_keys", { keys: "a" }));
      told.push(answer.changed === true ? 1 : 0);
      // What an answer has not, is later: this must end.
      if (answer.changed !== true) {
        const since = { if_changed_since: answer.generation_after };
        await until(
          "the late paint",
          async () => (await agent.call("take_screenshot", since))["unchanged"] === false,
        );
      }
      await agent.call("take_screenshot", { wait_for_stable_ms: 300 });
    }
    const share = (100 * told.reduce((sum, one) => sum + one, 0)) / told.length;
    shares.push(share);
    lines.push({
      ...{ id: "P16", metric: `answers that have what is painted ${Number(delay) * 1000} ms after a key` },
      ...{ unit: "%", ours: share, peer: "painted at once", theirs: shares[0] ?? 0 },
      ...{ ratio: "", goal: "", isMet: null },
    });
  }
  return lines;
}

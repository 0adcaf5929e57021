import { Appliance } from "../test/e2e/harness/appliance.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";
import { Tap } from "./tap.ts";

const CORNER = { x: 0, y: 0, width: 16, height: 16 };

/** P12: a change on the target until a screenshot over MCP shows it, beside looking again and again with xwd. */
export async function benchChangeToScreenshot(owner: Owner, isShort: boolean): Promise<Line[]> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  const tap = await Tap.open(owner, display.vncPort);
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${tap.port}`] });
  const agent = await appliance.agent();
  await agent.call("take_screenshot", { wait_for_stable_ms: 200 });
  const ours: number[] = [];
  const theirs: number[] = [];
  const runs = isShort ? 1 : 60;
  for (let run = 0; run < runs * 2; run++) {
    // Colours of which each differs from the one before.
    const colour = [40 + ((run * 37) % 200), 200 - ((run * 53) % 180), (run * 91) % 256] as const;
    const hex = colour.map((value) => value.toString(16).padStart(2, "0")).join("");
    const startedAtMs = performance.now();
    const changed = display.command("xsetroot", "-solid", `#${hex}`);
    if (run % 2 === 0) {
      const seenAtMs = await until(colour, async () => (await agent.shot({ region: CORNER })).rgba);
      ours.push(seenAtMs - tap.firstAfter(startedAtMs));
    } else {
      await changed;
      const changedAtMs = performance.now();
      const seenAtMs = await until(colour, async () => (await display.shot()).rgba);
      theirs.push(seenAtMs - changedAtMs);
      // The next run must not take this change for its own.
      await until(colour, async () => (await agent.shot({ region: CORNER })).rgba);
    }
    await changed;
  }
  return [
    judged({
      id: "P12",
      metric: "the target sent a change, until a screenshot over MCP has it, p95",
      unit: "ms",
      ours: summary(ours).p95,
      peer: "the change, until xwd shows it, p95",
      theirs: summary(theirs).p95,
      goal: { within: 50 },
    }),
  ];
}

const LIMIT_MS = 10_000;

/** When the first pixel had the colour, by performance.now(). */
async function until(colour: readonly number[], look: () => Promise<Uint8Array>): Promise<number> {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    const rgba = await look();
    if (colour.every((value, i) => rgba[i] === value)) return performance.now();
  }
  throw new Error(`P12: got another picture for ${LIMIT_MS} ms, expected the colour ${colour.join(",")}`);
}

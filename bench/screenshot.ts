import sharp from "sharp";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import type { House } from "./house.ts";
import { judged, type Line, line } from "./line.ts";
import { measure } from "./stopwatch.ts";

const RUNS = 100;
const CHANGED_RUNS = 30;

/** take_screenshot over HTTP MCP: of a screen at rest, and after a line of text was typed. */
export async function benchScreenshot({ agent }: House): Promise<Line[]> {
  const { width, height, rgba } = await agent.shot({ wait_for_stable_ms: 500 });
  const raw = { raw: { width, height, channels: 4 } } as const;
  const encode = { name: "sharp, PNG of the same pixels", run: () => sharp(rgba, raw).png().toBuffer() };
  const empty = { name: "an empty tool call", run: () => agent.call("get_display_info") };
  const shoot = { name: "take_screenshot, at rest", run: () => agent.raw("take_screenshot", {}) };
  const times = await measure([shoot, empty, encode], RUNS, false);

  // Each run types a character first; only the screenshot is timed, so the typing is a measure of its own.
  const type = { name: "typing", run: () => agent.call("type_text", { text: "x" }) };
  const shootChanged = {
    name: "take_screenshot, after a change",
    run: () => agent.raw("take_screenshot", {}),
  };
  const changed = await measure([type, shootChanged, encode], CHANGED_RUNS, false);
  return [
    ...(await benchAnswers(agent)),
    line(times, shoot.name, empty.name),
    line(times, shoot.name, encode.name),
    line(changed, shootChanged.name, encode.name),
  ];
}

/** P5: an answer without an image beside an empty call, and the size of one at the model's scale. */
async function benchAnswers(agent: Agent): Promise<Line[]> {
  const { facts } = await agent.shot({ wait_for_stable_ms: 500 });
  const args = { if_changed_since: facts["generation"] };
  const unchanged = {
    name: "take_screenshot, unchanged",
    run: () => agent.raw("take_screenshot", args),
  };
  const empty = { name: "an empty tool call", run: () => agent.call("get_display_info") };
  const times = await measure([unchanged, empty], RUNS, false);
  // The answer's image is base64: what is counted is what travels.
  const answer = JSON.stringify(await agent.raw("take_screenshot", { fit: "claude" })).length / 1024;
  const limit = 250;
  const metric = "take_screenshot, fit: claude, whole answer";
  const size = { id: "P5", metric, unit: "KB", ours: answer, peer: "the limit", theirs: limit };
  return [
    line(times, unchanged.name, empty.name, { id: "P5", goal: { atMost: 1.2 } }),
    judged({ ...size, goal: { within: limit } }),
  ];
}

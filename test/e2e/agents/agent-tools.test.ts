import t from "tap";
import { openScene, requireScene } from "../targets/scene-target.ts";
import { TARGETS } from "../targets/target.ts";
import { playAgentTools } from "./agent-tools-scenario.ts";

for (const kind of TARGETS) {
  t.test(`${kind}: every tool does what it says`, { timeout: 240_000 }, async (t) => {
    if (!requireScene(t, kind, ["xclip"])) return;
    await playAgentTools(t, await openScene(t, kind, { hasWindowManager: true }));
  });
}

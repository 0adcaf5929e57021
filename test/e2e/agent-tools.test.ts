import t from "tap";
import { playAgentTools } from "./agent-tools-scenario.ts";
import { openScene, requireScene } from "./scene-target.ts";
import { TARGETS } from "./target.ts";

for (const kind of TARGETS) {
  t.test(`${kind}: every tool does what it says`, { timeout: 240_000 }, async (t) => {
    if (!requireScene(t, kind, ["xclip"])) return;
    await playAgentTools(t, await openScene(t, kind, { hasWindowManager: true }));
  });
}

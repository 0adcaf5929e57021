import t from "tap";
import { playAgentTools } from "../agents/agent-tools-scenario.ts";
import { playChangeBeforeClick } from "../agents/approval-scenario.ts";
import { playViewer } from "../viewers/viewer-scenario.ts";
import { playVncPort } from "../viewers/vnc-port-scenario.ts";
import { openScene, RDP_SCENES, requireScene } from "./scene-target.ts";

// The scenes of agent-tools.test.ts, approvals.test.ts, viewer-page.test.ts and vnc-port.test.ts on RDP desktops.

for (const kind of RDP_SCENES) {
  t.test(`${kind}: every tool does what it says`, { timeout: 240_000 }, async (t) => {
    if (!requireScene(t, kind, ["xclip"])) return;
    await playAgentTools(t, await openScene(t, kind, { hasWindowManager: true }));
  });

  t.test(
    `${kind}: a person watches, clicks through overlays, approves and stops`,
    { timeout: 180_000 },
    async (t) => {
      if (!requireScene(t, kind, ["chromium"])) return;
      await playViewer(t, await openScene(t, kind));
    },
  );

  t.test(`${kind}: a VNC viewer sees an agent's overlays composited`, { timeout: 120_000 }, async (t) => {
    if (!requireScene(t, kind, ["gcc", "vncclient"])) return;
    await playVncPort(t, await openScene(t, kind, { geometry: "640x480" }));
  });

  t.test(
    `${kind}: what changed between the yes and the click is not clicked`,
    { timeout: 120_000 },
    async (t) => {
      if (!requireScene(t, kind)) return;
      await playChangeBeforeClick(t, await openScene(t, kind));
    },
  );
}

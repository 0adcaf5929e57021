import t from "tap";
import { openScene, requireScene } from "../targets/scene-target.ts";
import { playVncPort } from "./vnc-port-scenario.ts";

t.test("an ordinary VNC viewer sees an agent's overlays composited", { timeout: 120_000 }, async (t) => {
  if (!requireScene(t, "tigervnc", ["gcc", "vncclient"])) return;
  await playVncPort(t, await openScene(t, "tigervnc", { geometry: "640x480" }));
});

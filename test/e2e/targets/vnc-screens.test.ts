import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget } from "./target.ts";

const PASSWORD = "sesame12";

t.test("a viewer's layout of two screens reaches the target", { timeout: 90_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xrandr"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-screens-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { display, url } = await startTarget(t, "tigervnc", folder, { geometry: "640x480" });
  const appliance = await Appliance.start(t, {
    connect: [url],
    hasVnc: true,
    env: { OC_VNC_PASSWORD: PASSWORD },
  });
  const agent = await appliance.agent();
  // Until the target is live there is nobody to ask for another size.
  await until("the target's picture", () => agent.shot());
  const viewerUrl = `vnc://:${PASSWORD}@127.0.0.1:${appliance.vncPort ?? 0}`;
  const link = openTargetLink(makeConnection(connectionFromUrl(viewerUrl), systemClock.date()), [], {
    trust: "insecure",
    known: null,
  });
  t.teardown(() => link.close());
  const ear = new LinkEar();
  link.open(ear.events);
  await ear.next("update");
  link.follow(true);
  // Which sizes it can have the appliance says in its first update.
  await until("a viewer that may ask", () =>
    link.resize(1024, 400, [rect(0, 0, 600, 400), rect(600, 0, 424, 300)]),
  );
  const monitors = await until("both screens at the target", async () => {
    const list = await display.command("xrandr", "--listactivemonitors");
    return list.includes("Monitors: 2") ? list : null;
  });
  t.match(monitors, /600\/\d+x400\/\d+\+0\+0/);
  t.match(monitors, /424\/\d+x300\/\d+\+600\+0/);
  const told = await until("both screens at the viewer", () => {
    const layouts = ear.said.flatMap((said) => (said.type === "resize" ? [said.screens] : []));
    return layouts.find(({ length }) => length === 2) ?? null;
  });
  t.same(
    told.map((screen) => screen.rect),
    [rect(0, 0, 600, 400), rect(600, 0, 424, 300)],
  );
});

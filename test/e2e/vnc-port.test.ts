import sharp from "sharp";
import t from "tap";
import * as z from "zod";
import { desktopSchema } from "../../src/web/api.ts";
import { Appliance } from "./appliance.ts";
import { requirePeers } from "./peers.ts";
import { startTarget } from "./target.ts";
import { compileVncClient, VncClient } from "./vnc-client.ts";

const PASSWORD = "sesame12";

t.test("an ordinary VNC viewer sees an agent's overlays composited", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "gcc", "vncclient"])) return;
  const target = await startTarget(t, "tigervnc", t.testdir(), { geometry: "640x480" });
  const appliance = await Appliance.start(t, {
    connect: [target.url],
    hasVnc: true,
    env: { OC_VNC_PASSWORD: PASSWORD },
  });
  const agent = await appliance.agent();
  await agent.call("draw_overlay", {
    x: 100,
    y: 120,
    width: 200,
    height: 90,
    color: "gold",
    label: "Press here",
  });
  // Its frame covers the bottom right pixel, which tells when the viewer has it.
  await agent.call("draw_overlay", { x: 600, y: 440, width: 40, height: 40, color: "#ff0000" });

  const viewer = new VncClient(
    await compileVncClient(),
    appliance.vncPort ?? 0,
    "rgbx",
    ["tight", "copyrect"],
    PASSWORD,
  );
  t.match(await viewer.greeting(), /^connected/);
  const shot = await viewer.shotWhen("ff0000");
  await viewer.close();

  const picture = async (query: string): Promise<Buffer> => {
    const [desktop] = z.array(desktopSchema).parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const answer = await appliance.fetch(`/api/v1/desktops/${desktop?.id}/screenshot.png${query}`);
    return sharp(Buffer.from(await answer.arrayBuffer()))
      .removeAlpha()
      .raw()
      .toBuffer();
  };
  const seen = Buffer.alloc(640 * 480 * 3);
  for (let i = 0; i < 640 * 480; i++) seen.set(shot.bytes.subarray(i * 4, i * 4 + 3), i * 3);
  t.same([shot.width, shot.height], [640, 480]);
  t.ok(seen.equals(await picture("?overlays=1")), "the desktop with the overlays, in every pixel");
  t.notOk(seen.equals(await picture("")), "not the bare desktop");
});

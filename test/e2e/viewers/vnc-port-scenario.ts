import sharp from "sharp";
import type { Test } from "tap";
import * as z from "zod";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { compileVncClient, VncClient } from "../harness/vnc-client.ts";
import { differenceOf } from "../harness/xwd.ts";
import type { SceneTarget } from "../targets/scene-target.ts";

const PASSWORD = "sesame12";

/** An ordinary VNC viewer sees an agent's overlays composited. Needs a screen of 640x480. */
export async function playVncPort(t: Test, target: SceneTarget): Promise<void> {
  const appliance = await Appliance.start(t, {
    connect: [target.url],
    hasVnc: true,
    env: { OC_VNC_PASSWORD: PASSWORD },
  });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const display = await target.display();
  await until(
    "the whole picture",
    async () => differenceOf(await agent.shot(), await display.shot()) === null,
  );
  await agent.call("draw_overlay", {
    x: 100,
    y: 120,
    width: 200,
    height: 90,
    color: "gold",
    label: "Press here",
  });
  await agent.call("draw_overlay", { x: 250, y: 150, width: 200, height: 120, annotation_type: "blur" });
  // Its frame covers the bottom right pixel, which tells when the viewer has it.
  await agent.call("draw_overlay", { x: 600, y: 440, width: 40, height: 40, color: "#ff0000" });

  const program = await compileVncClient();
  const viewed = async (): Promise<Buffer> => {
    const viewer = new VncClient(program, appliance.vncPort ?? 0, "rgbx", ["tight", "copyrect"], PASSWORD);
    t.match(await viewer.greeting(), /^connected/);
    const { width, height, bytes } = await viewer.shotWhen("ff0000");
    await viewer.close();
    t.same([width, height], [640, 480]);
    const rgb = Buffer.alloc(width * height * 3);
    for (let i = 0; i < width * height; i++) rgb.set(bytes.subarray(i * 4, i * 4 + 3), i * 3);
    return rgb;
  };
  const picture = async (query: string): Promise<Buffer> => {
    const [desktop] = z.array(desktopSchema).parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const answer = await appliance.fetch(`/api/v1/desktops/${desktop?.id}/screenshot.png${query}`);
    return sharp(Buffer.from(await answer.arrayBuffer()))
      .removeAlpha()
      .raw()
      .toBuffer();
  };
  // The pointer is painted in for a viewer that cannot draw one; the host may give it another shape meanwhile.
  const isSame = await until("the same picture", async () =>
    (await viewed()).equals(await picture("?overlays=1&cursor=1")),
  ).catch(() => false);
  t.ok(isSame, "the desktop with the overlays, in every pixel");
  t.notOk((await viewed()).equals(await picture("?cursor=1")), "not the bare desktop");
}

import sharp from "sharp";
import t from "tap";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import type { Pixels } from "../../../src/framebuffer/picture.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN } from "../house.ts";

const REAL = [255, 0, 0];
/** What agents are shown instead. */
const OTHER = [0x40, 0x40, 0x40];

/** A live desktop, red, all of which is kept from agents. */
function hiddenFromAgents(mode: Mode = "autopilot"): House {
  const house = House.live(mode);
  house.link.paint(rect(0, 0, 200, 100), 0x0000ff);
  const all = rect(0, 0, 200, 100);
  house.desktop.masks.add({ rect: all, monitor: null, audiences: ["agent"], label: null }, null, HUMAN);
  return house;
}

function firstPixel({ bytes, offset }: Pixels): number[] {
  return [...bytes.subarray(offset, offset + 3)];
}

async function firstOf(image: Uint8Array): Promise<number[]> {
  const { data } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, 3)];
}

t.test("each audience gets its own pixels, live and in pictures that are kept", async (t) => {
  const { desktop } = hiddenFromAgents();
  const area = rect(0, 0, 20, 20);
  for (const [audience, colour] of [
    ["viewer", REAL],
    ["agent", OTHER],
    ["recording", REAL],
    ["agent", OTHER],
  ] as const) {
    const view = desktop.view(audience);
    t.same(firstPixel(view.picture(false).pixels(area)), colour);
    t.same(firstPixel(view.picture(true).pixels(area)), colour);
    t.same(await firstOf((await view.snapshot()).bytes), colour, "the whole, kept alive");
    t.same(
      await firstOf((await view.snapshot({ region: area })).bytes),
      colour,
      "a part, kept by its moment",
    );
    t.same(await firstOf((await view.snapshot({ region: area, format: "webp" })).bytes), colour);
  }
});

t.test("an anchor remembers and follows what agents are shown", async (t) => {
  const { desktop, link } = hiddenFromAgents();
  const anchors = desktop.anchors.of("a");
  anchors.add(rect(40, 40, 20, 20), "there");
  link.paint(rect(0, 0, 200, 100), 0x00ff00);
  t.equal(anchors.get("there").status, "found", "to agents nothing changed");
});

t.test("an approval shows people what they may see, and is bound to that", async (t) => {
  const house = hiddenFromAgents("assist");
  const performed = house.desktop.perform(CLICK, AGENT);
  performed.catch(() => undefined);
  await settle();
  const [approval] = house.desktop.approvals.pending;
  const picture = await house.desktop.approvals.picture(approval?.id ?? "", "viewer");
  t.same(await firstOf(picture ?? new Uint8Array(0)), REAL);
  house.link.paint(rect(0, 0, 40, 40), 0x00ff00);
  await t.rejects(house.act(performed), { code: "stale_screen" });
});

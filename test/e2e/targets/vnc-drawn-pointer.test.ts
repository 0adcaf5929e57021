import t from "tap";
import * as z from "zod";
import { holdsPoint, type Rect } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";

const Area = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const Facts = z.object({ context_metadata: z.object({ drawn_pointer: Area.nullable() }) });
const SIZE = { width: 640, height: 480 };

/** Where two pictures of the desktop's size differ. */
function differing(a: Shot, b: Shot): { readonly x: number; readonly y: number }[] {
  const found = [];
  for (let i = 0; i < b.rgba.length; i += 4) {
    if (a.rgba[i] === b.rgba[i] && a.rgba[i + 1] === b.rgba[i + 1] && a.rgba[i + 2] === b.rgba[i + 2])
      continue;
    found.push({ x: (i / 4) % b.width, y: Math.floor(i / 4 / b.width) });
  }
  return found;
}

t.test("TigerVNC's pointer is drawn nowhere else than where screenshots tell of it", async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xsetroot", "xdotool", "xwd"])) return;
  const display = await XDisplay.start(t, { geometry: `${SIZE.width}x${SIZE.height}` });
  await display.command("xsetroot", "-cursor_name", "left_ptr");
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent();

  /** What is told of the pointer and where the picture differs from the target's own, which has none. */
  const look = async (): Promise<{ area: Rect | null; wrong: readonly { x: number; y: number }[] }> => {
    const seen = await agent.shot();
    const { context_metadata } = Facts.parse(seen.facts);
    return { area: context_metadata.drawn_pointer, wrong: differing(seen, await display.shot()) };
  };
  const expectDrawn = async (where: string, isThere: (area: Rect) => boolean): Promise<void> => {
    const { area, wrong } = await until(`a pointer drawn ${where}`, async () => {
      const seen = await look();
      return seen.area !== null && isThere(seen.area) && seen.wrong.length > 0 ? seen : null;
    });
    const outside = wrong.filter(({ x, y }) => area === null || !holdsPoint(area, x, y));
    t.same(outside, [], `no pixel is wrong but the pointer's ${where}`);
  };

  await expectDrawn(
    "at first, somewhere",
    ({ width, height }) => width === SIZE.width && height === SIZE.height,
  );
  await display.command("xdotool", "mousemove", "100", "90");
  const isAt = (x: number, y: number) => (area: Rect) => area.width < SIZE.width && holdsPoint(area, x, y);
  await expectDrawn("where it was put", isAt(100, 90));
  const expectNone = (after: string): Promise<true> =>
    until(`no pointer drawn ${after}`, async () => {
      const { area, wrong } = await look();
      return area === null && wrong.length === 0 ? true : null;
    });
  await agent.call("move_mouse", { x: 300, y: 200 });
  t.ok(await expectNone("after a move of ours"));
  // It is drawn from a second after our own last move on (TigerVNC 1.12, VNCSConnectionST::needRenderedCursor).
  let x = 400;
  await until("the target to draw it again", async () => {
    await display.command("xdotool", "mousemove", `${x++}`, "50");
    return (await look()).area === null ? null : true;
  });
  await expectDrawn("beside where it was", isAt(x - 1, 50));
});

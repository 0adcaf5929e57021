import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { drawText } from "../framebuffer/frames.ts";
import { House } from "./house.ts";

const BOX = {
  ...{ kind: "box", x: 60, y: 50, width: 30, height: 12, color: "#ff0000", opacity: 0.5, label: null },
  ...{ temporaryMs: null, clickThrough: true, monitorIndex: 0 },
} as const;

t.test("a live desktop's anchor and its overlay follow what the target scrolls", async (t) => {
  const house = House.live();
  const { desktop, link } = house;
  const frame = link.framebuffer;
  drawText(frame, frame.rect, 9);
  link.events.update({ painted: Region.of(frame.rect), copies: [], missing: 0 });
  const { id } = desktop.anchors.of("ann").add(rect(50, 40, 60, 30), "row");
  const { id: overlayId } = desktop.scene.add({ ...BOX, anchorId: id }, "ann", frame.rect);
  const overlay = () => desktop.scene.overlays.find((one) => one.id === overlayId);
  const damaged: Region[] = [];
  desktop.scene.on(({ damage }) => damaged.push(damage));

  // Scrolled up by 15: the target says so, and paints what came in below.
  const to = rect(0, 0, 200, 85);
  frame.copy(0, 15, to);
  drawText(frame, rect(0, 85, 200, 15), 77);
  link.events.update({
    painted: Region.of(rect(0, 85, 200, 15)),
    copies: [{ fromX: 0, fromY: 15, to }],
    missing: 0,
  });
  t.match(desktop.anchors.of("ann").get(id), { status: "found", rect: rect(50, 25, 60, 30), confidence: 1 });
  t.same(desktop.anchors.of("ann").scrollOf(id), { x: 0, y: 15 });
  t.match(overlay(), { x: 60, y: 35 });
  t.equal(damaged.length, 2, "the overlay's old and new place are damage for those who see it");

  // Scrolled on by 5 without a word.
  frame.copy(0, 5, rect(0, 0, 200, 95));
  link.events.update({ painted: Region.of(frame.rect), copies: [], missing: 0 });
  t.match(desktop.anchors.of("ann").get(id), { status: "found", rect: rect(50, 20, 60, 30) });
  t.equal(desktop.anchors.of("ann").scrollOf(id), null, "too small a screen for a move to be found");
  t.match(overlay(), { x: 60, y: 30 });
});

t.test("an answer of what changed since goes through a desktop's door", async (t) => {
  const house = House.live();
  const view = house.desktop.view("agent");
  const { generation } = await view.snapshot();
  t.match(await view.snapshot({ sinceGeneration: generation }), { isUnchanged: true });
  house.link.paint(rect(10, 10, 20, 5), 0x00ff00);
  const changed = await view.snapshot({ sinceGeneration: generation });
  t.match(changed, { isUnchanged: false, generation: generation + 1 });
  t.same(
    changed.parts?.map(({ rect: shown }) => shown),
    [rect(10, 10, 20, 5)],
  );
});

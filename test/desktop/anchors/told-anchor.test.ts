import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import { ANCHOR_LIMIT, Anchors } from "../../../src/desktop/anchors/anchors.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock } from "../../fake-clock.ts";

const PLACE = rect(40, 30, 60, 20);
const BOX = {
  ...PLACE,
  ...{ kind: "box", color: "#ff0000", opacity: 0.5, label: null, temporaryMs: null, clickThrough: true },
  ...{ monitorIndex: 0, anchorId: "tab:e1" },
} as const;

function setUp() {
  const frame = new Framebuffer(400, 300);
  const clock = new FakeClock();
  const scene = new Scene(clock);
  const anchors = new Anchors(scene, {
    ...{ clock, shown: { frame }, isExact: () => true },
    onBug: (error) => {
      throw error;
    },
  });
  let ends = 0;
  const how = (isOfOverlays: boolean) => ({ id: "tab:e1", isOfOverlays, ended: () => void ends++ });
  const own = anchors.of("agent");
  const shown = () => scene.overlays.map(({ x, y, width, height }) => [x, y, width, height]);
  return { scene, anchors, own, how, shown, bounds: frame.rect, ends: () => ends };
}

t.test(
  "an overlay goes where its element is told to be, as large as that, and is hidden meanwhile",
  async (t) => {
    const { scene, anchors, own, how, shown, bounds } = setUp();
    const tell = own.follow(PLACE, how(true));
    scene.add(BOX, "agent", bounds);
    tell(rect(50, 70, 80, 25), null);
    t.same(shown(), [[50, 70, 80, 25]]);
    tell(null, "covered in the page");
    t.same(shown(), []);
    t.match(own.find("tab:e1"), { status: "lost", rect: null, why: "covered in the page" });
    // Pixels say nothing of it.
    anchors.update(Region.of(bounds), []);
    t.match(own.get("tab:e1"), { status: "lost" });
    tell(rect(10, 10, 80, 25), null);
    t.same(shown(), [[10, 10, 80, 25]]);
    t.match(own.find("tab:e1"), { status: "found", rect: { x: 10, y: 10 }, confidence: 1 });
    t.equal(own.get("tab:e1").why, undefined);
    anchors.resized();
    t.match(own.get("tab:e1"), { status: "lost", why: /another size/ });
  },
);

t.test(
  "what is there for its overlays ends with the last of them, and else when it is removed",
  async (t) => {
    const { scene, own, how, bounds, ends } = setUp();
    own.follow(PLACE, how(true));
    const [one, two] = [scene.add(BOX, "agent", bounds), scene.add(BOX, "agent", bounds)];
    scene.remove(one.id);
    t.equal(ends(), 0);
    scene.remove(two.id);
    t.equal(ends(), 1);
    t.throws(() => own.get("tab:e1"), { code: "not_found" });

    const tell = own.follow(PLACE, how(false));
    const third = scene.add(BOX, "agent", bounds);
    own.follow(PLACE, how(true));
    t.equal(ends(), 2, "the one that is replaced");
    tell(null, "nobody listens");
    t.match(own.get("tab:e1"), { status: "found" });
    scene.remove(third.id);
    t.equal(ends(), 2, "what was asked for by itself stays");
    own.remove("tab:e1");
    t.equal(ends(), 3);

    own.follow(PLACE, how(true));
    scene.add(BOX, "agent", bounds);
    scene.clear("agent");
    t.equal(ends(), 4);
    own.follow(PLACE, how(true));
    own.release("tab:e1");
    t.equal(ends(), 5, "an overlay that could not be drawn");
  },
);

t.test("what is followed counts as any anchor, and ends with its desktop", async (t) => {
  const { anchors, own, ends } = setUp();
  const follow = (id: string) => own.follow(PLACE, { id, isOfOverlays: false, ended: () => {} });
  for (let nth = 0; nth < ANCHOR_LIMIT; nth++) follow(`tab:e${nth}`);
  t.throws(() => follow("tab:more"), { code: "too_many" });
  const before = ends();
  const { own: other, anchors: closing, how, ends: ended } = setUp();
  other.follow(PLACE, how(false));
  closing.close();
  t.equal(ended(), 1);
  anchors.close();
  t.equal(ends(), before);
});

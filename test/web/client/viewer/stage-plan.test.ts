import fc from "fast-check";
import t from "tap";
import { planStage, type StageRequest } from "../../../../src/web/client/viewer/stage-plan.ts";

const plan = (over: Partial<StageRequest> = {}) =>
  planStage({
    desktop: { width: 1280, height: 800 },
    stage: { width: 640, height: 600 },
    zoom: "fit",
    crop: null,
    devicePixelRatio: 1,
    ...over,
  });

t.test("a fit shows all of the desktop in the middle", async (t) => {
  t.same(plan(), {
    frame: { left: 0, top: 100, width: 640, height: 400 },
    surface: { left: 0, top: 0, width: 640, height: 400 },
    scale: 0.5,
    isScrolling: false,
    isSharp: false,
  });
});

t.test("a fit near a whole zoom takes it, so that pixels stay sharp", async (t) => {
  t.match(plan({ stage: { width: 1300, height: 900 } }), { scale: 1, isSharp: true });
  t.match(plan({ stage: { width: 1300, height: 900 }, devicePixelRatio: 2 }), { scale: 1, isSharp: true });
  t.equal(plan({ stage: { width: 1600, height: 1000 } })?.isSharp, false);
});

t.test("actual size scrolls where it must and is in the middle where it fits", async (t) => {
  t.match(plan({ zoom: 1 }), {
    scale: 1,
    isScrolling: true,
    frame: { left: 0, top: 0, width: 640, height: 600 },
    surface: { left: 0, top: 0, width: 1280, height: 800 },
  });
  t.match(plan({ zoom: 1, stage: { width: 1480, height: 1000 } }), {
    isScrolling: false,
    frame: { left: 100, top: 100, width: 1280, height: 800 },
  });
});

t.test("a crop shifts the whole desktop behind a frame of its size", async (t) => {
  const crop = { x: 320, y: 200, width: 320, height: 200, scale: null };
  t.same(plan({ crop }), {
    frame: { left: 0, top: 100, width: 640, height: 400 },
    surface: { left: -640, top: -400, width: 2560, height: 1600 },
    scale: 2,
    isScrolling: false,
    isSharp: true,
  });
  t.match(plan({ crop: { ...crop, scale: 1 } }), { scale: 1, frame: { width: 320, height: 200 } });
});

t.test("a crop beside the desktop shows the whole desktop", async (t) => {
  t.same(plan({ crop: { x: 5000, y: 0, width: 10, height: 10, scale: null } }), plan());
});

t.test("there is no plan before there are sizes", async (t) => {
  t.equal(plan({ desktop: { width: 0, height: 0 } }), null);
  t.equal(plan({ stage: { width: 0, height: 10 } }), null);
});

t.test("the frame never leaves the stage, and the crop's corner is the frame's", async () => {
  const side = fc.integer({ min: 1, max: 5000 });
  fc.assert(
    fc.property(side, side, side, side, side, side, (width, height, stageWidth, stageHeight, x, y) => {
      const crop = { x: x % width, y: y % height, width: 300, height: 200, scale: null };
      const made = plan({
        desktop: { width, height },
        stage: { width: stageWidth, height: stageHeight },
        crop,
      });
      if (!made) return false;
      const { frame, surface, scale } = made;
      return (
        frame.left >= 0 &&
        frame.top >= 0 &&
        frame.left + frame.width <= stageWidth + 1e-6 &&
        frame.top + frame.height <= stageHeight + 1e-6 &&
        Math.abs(-surface.left / scale - crop.x) < 1e-6 &&
        Math.abs(-surface.top / scale - crop.y) < 1e-6
      );
    }),
  );
});

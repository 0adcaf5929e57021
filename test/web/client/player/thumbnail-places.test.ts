import t from "tap";
import { nearestOf, thumbnailStepMs } from "../../../../src/web/client/player/thumbnail-places.ts";

t.test("thumbnails of a recording that grows stay where they are", async (t) => {
  let before = thumbnailStepMs(1000);
  for (let durationMs = 1000; durationMs < 40_000_000; durationMs += 97_000) {
    const stepMs = thumbnailStepMs(durationMs);
    t.equal(stepMs % before, 0, `${durationMs} ms`);
    t.ok(durationMs / stepMs <= 300, "a hand tells no more of them apart");
    before = stepMs;
  }
});

t.test("until the right one has come its neighbour is shown", async (t) => {
  t.equal(nearestOf([], 5), null);
  t.equal(nearestOf([0, 1000, 4000], 1900), 1000);
  t.equal(nearestOf([4000, 0], 9000), 4000);
});

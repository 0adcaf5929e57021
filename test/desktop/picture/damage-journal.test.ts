import t from "tap";
import { DamageJournal } from "../../../src/desktop/picture/damage-journal.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";

t.test("what changed since a generation is the union of what came after it", async (t) => {
  const journal = new DamageJournal();
  journal.reset(1);
  journal.add(2, Region.of(rect(0, 0, 10, 10)));
  journal.add(3, Region.of(rect(20, 0, 10, 10)));
  t.same(journal.since(1)?.rects, [rect(0, 0, 10, 10), rect(20, 0, 10, 10)]);
  t.same(journal.since(2)?.rects, [rect(20, 0, 10, 10)]);
  t.same(journal.since(3)?.rects, []);
  t.equal(journal.since(0), null, "another size before that");
});

t.test("what is longer ago than is kept is not known", async (t) => {
  const journal = new DamageJournal();
  for (let generation = 1; generation <= 300; generation++) {
    journal.add(generation, Region.of(rect(generation, 0, 1, 1)));
  }
  t.equal(journal.since(43), null);
  t.equal(journal.since(44)?.area, 256);
  journal.reset(301);
  t.equal(journal.since(300), null);
  t.equal(journal.since(301)?.isEmpty, true);
});

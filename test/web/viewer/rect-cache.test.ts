import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { ViewerRectCache } from "../../../src/web/viewer/rect-cache.ts";

t.test("parts become one message, the same one for the same bodies", async (t) => {
  const cache = new ViewerRectCache();
  const body = new Uint8Array(5000).fill(7);
  const message = cache.join([Uint8Array.of(0, 0, 0, 1), body]);
  t.same(message, Buffer.concat([Uint8Array.of(0, 0, 0, 1), body]));
  t.equal(
    cache.join([Uint8Array.of(0, 0, 0, 1), body]),
    message,
    "the head may be another's of the same bytes",
  );
  t.not(cache.join([Uint8Array.of(0, 0, 0, 2), body]), message, "another head");
  t.not(cache.join([Uint8Array.of(0, 0, 0, 1), body.slice()]), message, "a body of other memory");
  t.not(cache.join([Uint8Array.of(0, 0, 0, 1), body, Uint8Array.of(1)]), message, "more");
});

t.test("a new picture forgets the messages of the one before", async (t) => {
  const cache = new ViewerRectCache();
  const parts = [Uint8Array.of(1), new Uint8Array(2000)];
  const message = cache.join(parts);
  cache.clear();
  const again = cache.join(parts);
  t.not(again, message);
  t.same(again, message);
});

t.test("what is owed besides is joined once for all, until the next picture", async (t) => {
  const cache = new ViewerRectCache();
  const painted = Region.of(rect(0, 0, 4, 4));
  const more = (): Region => Region.of(rect(10, 0, 4, 4));
  const both = cache.union("1", painted, more());
  t.ok(both.equals(painted.union(more())));
  t.equal(cache.union("1", painted, more()), both, "the same object");
  t.equal(cache.union("1", painted, Region.empty), painted, "also where nothing is added");
  t.not(cache.union("1", Region.of(rect(0, 0, 4, 4)), more()), both, "another change");
  t.not(cache.union("2", painted, more()), both, "another picture");
});

import t from "tap";
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

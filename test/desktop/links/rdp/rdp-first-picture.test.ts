import t from "tap";
import type { LinkError } from "../../../../src/desktop/error.ts";
import { FirstPicture } from "../../../../src/desktop/links/rdp/rdp-first-picture.ts";
import { FakeClock } from "../../../fake-clock.ts";

function waiting() {
  const clock = new FakeClock();
  const errors: LinkError[] = [];
  const asked = { count: 0 };
  const picture = new FirstPicture(
    {
      ask: () => {
        asked.count++;
      },
      giveUp: (error) => errors.push(error),
    },
    clock,
  );
  picture.await();
  return { clock, errors, asked, picture };
}

t.test("a host that paints at once is not asked", async (t) => {
  const { clock, errors, asked, picture } = waiting();
  clock.advance(1900);
  t.equal(picture.hasCome, false);
  t.equal(picture.came(), true, "the first");
  t.equal(picture.came(), false, "and no other");
  t.equal(picture.hasCome, true);
  clock.advance(60_000);
  t.equal(asked.count, 0);
  t.same(errors, []);
});

t.test(
  "one that paints nothing is asked again and again, then given up for another connection",
  async (t) => {
    const { clock, errors, asked } = waiting();
    for (let i = 0; i < 7; i++) clock.advance(2000);
    t.equal(asked.count, 7);
    t.same(errors, []);
    clock.advance(2000);
    t.match(errors, [{ code: "stalled", isFinal: false, message: /no picture within 15 s/ }]);
    clock.advance(60_000);
    t.equal(asked.count, 7, "nothing after the end");
    t.equal(errors.length, 1);
  },
);

t.test("a link that ends waits for nothing", async (t) => {
  const { clock, errors, asked, picture } = waiting();
  clock.advance(2000);
  picture.stop();
  clock.advance(60_000);
  t.equal(asked.count, 1);
  t.same(errors, []);
});

import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { PrivatePlaces } from "../../../src/vision/live/private-places.ts";

t.test(
  "a private place is one still while most of its ink is there, and another text in it is not",
  async (t) => {
    const at = rect(10, 10, 20, 10);
    const [ground, ink] = [0xffffffff, 0xff000000];
    const then = new Uint32Array(200).map((_, i) => (i % 3 === 0 ? ink : ground));
    const without = (letters: number): Uint32Array =>
      then.map((pixel, i) => (i % 20 < letters ? 0xff00ff00 : pixel));
    const places = new PrivatePlaces();
    places.add({ id: "m", rect: at, pixels: then }, true);
    t.same(
      places.there(() => without(5)),
      [],
      "nothing was painted there",
    );
    const look = (now: Uint32Array | null): string[] => {
      places.touch(rect(0, 0, 12, 12));
      return places.there(() => now).map(({ id }) => id);
    };
    t.same(look(without(8)), ["m"]);
    t.same(
      places.there(() => null).map(({ id }) => id),
      ["m"],
      "as long as nothing changes",
    );
    t.same(look(without(16)), []);
    t.same(
      look(then.map((_, i) => (i % 5 === 0 ? ink : ground))),
      [],
      "other letters, some pixels of which are alike",
    );
    t.same(look(without(2)), ["m"], "what lay over it moved on");
    t.same(look(null), []);
    const less = { id: "m", rect: rect(10, 10, 5, 10), pixels: new Uint32Array(50).fill(0xff0000ff) };
    look(without(2));
    places.add(less, false);
    t.same(look(without(2)), ["m"], "what is read of the rest with doubt does not take its place");
    places.add(less, true);
    t.same(look(without(2)), [], "what is read without doubt does");
    places.clear();
    t.same(look(without(2)), []);
  },
);

t.test(
  "a private place goes along with moves, and what it left is remembered no longer than others",
  async (t) => {
    const pixels = new Uint32Array(200).map((_, i) => (i % 3 === 0 ? 0xff000000 : 0xffffffff));
    const places = new PrivatePlaces();
    places.add({ id: "still", rect: rect(100, 0, 20, 10), pixels }, true);
    places.add({ id: "m", rect: rect(10, 2990, 20, 10), pixels }, true);
    // Of a screen that scrolls each place is painted over by the next line.
    const scroll = { fromX: 0, fromY: 10, to: rect(0, 0, 60, 3000) };
    const shownAt = (y: number) => (at: { readonly y: number }) =>
      at.y === y ? pixels : new Uint32Array(200).fill(0xffffffff);
    for (let y = 2980; y >= 0; y -= 10) {
      places.move(scroll);
      t.same(
        places.there(shownAt(y)).map(({ id, rect: at }) => [id, at.y]),
        [["m", y]],
      );
    }
    places.touch(rect(100, 0, 20, 10));
    t.ok(places.there(shownAt(0)).some(({ id }) => id === "still"));
  },
);

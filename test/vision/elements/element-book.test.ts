import t from "tap";
import type { Box } from "../../../src/vision/cut/box.ts";
import { ElementBook } from "../../../src/vision/elements/element-book.ts";
import type { FoundElement } from "../../../src/vision/elements/find-elements.ts";
import { DrawnPicture } from "./drawn-picture.ts";

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

const FIRST = { prefix: "", firstNumber: 1 };

function lowered({ left, top, right, bottom }: Box, by: number): Box {
  return { left, top: top + by, right, bottom: bottom + by };
}

function button(at: Box, beside: Box | null = null): FoundElement {
  return { kind: "button", label: "Delete", box: at, score: 0.9, beside };
}

/** A window of 300x200 with buttons that look the same, each beside a line of its own. */
function rows(count: number) {
  const picture = new DrawnPicture(300, 200);
  const found = Array.from({ length: count }, (_, index) => {
    const top = 10 + index * 40;
    picture.fill(box(200, top, 260, top + 20), 0xffc04020);
    picture.ink(box(20, top + 4, 60 + index * 7, top + 16));
    return button(box(200, top, 260, top + 20), box(20, top + 4, 100, top + 16));
  });
  return { picture, found };
}

const ids = (elements: readonly { readonly id: string }[]): string[] => elements.map(({ id }) => id);

t.test("an id stays with its picture, where it stands and where it moves", async (t) => {
  const book = new ElementBook();
  const { picture, found } = rows(1);
  const [first] = book.enter(picture, found, [], FIRST);
  t.equal(first?.id, "1");
  t.same(ids(book.enter(picture, found, [], FIRST)), ["1"]);
  t.ok(book.isAsItWas("1", picture, []));
  picture.shift(box(0, 0, 300, 120), 50);
  t.notOk(book.isAsItWas("1", picture, []), "it is not there any more");
  const moved = found.map(({ box: at, beside }) => button(lowered(at, 50), beside && lowered(beside, 50)));
  t.match(book.enter(picture, moved, [], FIRST), [{ id: "1", rect: { x: 200, y: 60 } }]);
  t.ok(book.isAsItWas("1", picture, []));
  picture.fill(box(210, 66, 230, 70), 0xffffffff);
  t.same(ids(book.enter(picture, moved, [], FIRST)), ["2"], "what looks otherwise is another one");
  t.match(book.get("1"), { rect: { y: 60 } }, "the old one is known");
  t.equal(book.get("3"), null);
});

t.test("those that look the same are told apart by what stands beside them", async (t) => {
  const book = new ElementBook();
  const { picture, found } = rows(3);
  t.same(ids(book.enter(picture, found, [], FIRST)), ["1", "2", "3"]);
  // Scrolled by one: at the place of the second one stands one that looks the same, and is the first.
  picture.shift(box(0, 0, 300, 160), 40);
  t.notOk(book.isAsItWas("2", picture, []));
  const scrolled = found.map(({ box: at, beside }) => button(lowered(at, 40), beside && lowered(beside, 40)));
  t.same(ids(book.enter(picture, scrolled, [], FIRST)), ["1", "2", "3"]);
});

t.test("those that nothing tells apart keep to their places", async (t) => {
  const book = new ElementBook();
  const { picture, found } = rows(3);
  const alone = found.map(({ box: at }) => button(at));
  t.same(ids(book.enter(picture, alone, [], FIRST)), ["1", "2", "3"]);
  t.same(ids(book.enter(picture, alone, [], FIRST)), ["1", "2", "3"]);
  const moved = alone.map(({ box: at }) => button(lowered(at, 5)));
  picture.shift(box(0, 0, 300, 160), 5);
  t.same(
    ids(book.enter(picture, moved, [], FIRST)),
    ["4", "5", "6"],
    "which of them moved where is not known",
  );
});

t.test(
  "what changes by itself is no part of a picture, and numbers begin where they are told to",
  async (t) => {
    const book = new ElementBook();
    const { picture, found } = rows(1);
    const caret = box(205, 12, 207, 28);
    t.same(ids(book.enter(picture, found, [caret], { prefix: "x-", firstNumber: 700 })), ["x-700"]);
    picture.fill(caret, 0xff000000);
    t.ok(book.isAsItWas("x-700", picture, [caret]));
    t.notOk(book.isAsItWas("x-700", picture, []));
    t.same(ids(book.enter(picture, found, [caret], FIRST)), ["x-700"]);
    t.equal(book.nextNumber, 701);
  },
);

t.test("one that was shown at two places for a moment is found where it is left", async (t) => {
  const book = new ElementBook();
  const { picture, found } = rows(1);
  t.same(ids(book.enter(picture, found, [], FIRST)), ["1"]);
  picture.fill(box(200, 100, 260, 120), 0xffc04020);
  const [first] = found;
  if (first === undefined) throw new Error("no element");
  const both = book.enter(picture, [first, button(box(200, 100, 260, 120))], [], FIRST);
  t.same(ids(both), ["1", "2"]);
  t.equal(book.successorOf("1", both), null, "while it is at both nobody knows");
  const left = book.enter(picture, [button(box(200, 100, 260, 120))], [], FIRST);
  t.same(ids(left), ["2"]);
  t.match(book.successorOf("1", left), { id: "2", rect: { y: 100 } });
});

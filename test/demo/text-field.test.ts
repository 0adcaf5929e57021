import t from "tap";
import { TEXT_LIMIT } from "../../src/demo/text-field.ts";
import { DemoHand, KEY } from "./demo-hand.ts";

function writing(text: string): DemoHand {
  const hand = new DemoHand();
  hand.click("notes.text");
  hand.type(text);
  return hand;
}

t.test("BackSpace and Delete take whole characters", async (t) => {
  const hand = writing("a€😀");
  hand.press(KEY.backSpace);
  t.equal(hand.screen.state.note, "a€");
  hand.press(KEY.home);
  hand.press(KEY.delete);
  t.equal(hand.screen.state.note, "€");
  hand.press(KEY.backSpace);
  t.equal(hand.screen.state.note, "€", "nothing before the caret");
});

t.test("arrows, Home and End move the caret", async (t) => {
  const hand = writing("one\ntwo\nthree");
  hand.press(KEY.home);
  t.equal(hand.screen.state.caret, 8);
  hand.press(KEY.up);
  t.equal(hand.screen.state.caret, 4);
  hand.press(KEY.end);
  hand.type("!");
  hand.press(KEY.right);
  hand.type(">");
  hand.press(KEY.left, 2);
  hand.press(KEY.down, 5);
  t.equal(hand.screen.state.note, "one\ntwo!\n>three");
});

t.test("Up and Down aim at the same place across a short line", async (t) => {
  const hand = writing("mmmmmmmm\nm\nmmmmmmmm");
  hand.press(KEY.left);
  hand.press(KEY.up);
  t.equal(hand.screen.state.caret, 10);
  hand.press(KEY.up);
  t.equal(hand.screen.state.caret, 7);
});

t.test("a click puts the caret where it points", async (t) => {
  const hand = writing("WWWWWWWWWW");
  const { x, y } = hand.rectOf("notes.text");
  hand.clickAt(x + 14, y + 20);
  t.equal(hand.screen.state.caret, 0);
  hand.type(">");
  t.equal(hand.screen.state.note, ">WWWWWWWWWW");
  hand.clickAt(x + 600, y + 20);
  t.equal(hand.screen.state.caret, 11);
});

t.test("a thousand characters wrap and scroll, and the newest is shown", async (t) => {
  const text = Array.from({ length: 1000 }, (_, i) => String.fromCharCode(32 + (i % 95))).join("");
  const hand = writing(text);
  t.equal(hand.screen.state.note, text);
  t.equal(hand.stalePixels(), 0);
  hand.type("\n".repeat(20));
  hand.screen.repaint();
  const { changed, missed } = hand.watch(() => hand.type("seen"));
  t.ok(changed > 50);
  t.equal(missed, 0);
  const scrolled = hand.watch(() => hand.wheel("notes.text", -3));
  t.ok(scrolled.damage.overlaps(hand.rectOf("notes.text")));
  t.equal(hand.stalePixels(), 0);
});

t.test("text beyond the limit is refused", async (t) => {
  const hand = writing("");
  hand.screen.clipboard("x".repeat(TEXT_LIMIT - 1));
  hand.control("v");
  hand.control("v");
  hand.type("more");
  t.equal(hand.screen.state.note.length, TEXT_LIMIT);
});

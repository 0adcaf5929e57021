import t from "tap";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

const AT = { x: 500, y: 300 };

t.test("what a human changed of a text is told, and counted as it was typed", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  house.desktops.get("one").onPerform = async () => ({ wasConfirmed: true, edit: { text: "shorter" } });
  for (const [tool, count] of [
    ["type_text", { typed_length: 7 }],
    ["paste_text", { pasted_length: 7 }],
    ["set_clipboard", { ok: true }],
  ] as const) {
    const { structured, text } = await call(tool, { text: "something long" });
    t.match(structured, { was_confirmed: true, edited: { text: "shorter" }, ...count }, tool);
    t.match(text, /The human who approved it changed it: it was done with the text "shorter" instead\./);
    if (tool !== "set_clipboard") t.match(text, / 7 characters/);
  }
});

t.test("what a human changed of a place is told, with the place where it was done", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  house.desktops.get("one").onPerform = async () => ({
    wasConfirmed: true,
    edit: { x: 520, y: 310 },
    position: { x: 520, y: 310 },
  });
  for (const [tool, args] of [
    ["click_at", AT],
    ["move_mouse", AT],
    ["scroll", { ...AT, dy: 1 }],
  ] as const) {
    const { structured, text } = await call(tool, args);
    t.match(structured, { edited: { x: 520, y: 310 }, position: { native: { x: 520, y: 310 } } }, tool);
    t.match(text, /it was done at 520,310 instead/);
  }
  const { structured, text } = await call("computer", { action: "left_click", coordinate: [500, 300] });
  t.match(structured, { done: [{ edited: { x: 520, y: 310 }, position: { native: { x: 520, y: 310 } } }] });
  t.match(text, /done at 520,310 instead/);
});

t.test("where nothing was changed nothing is said of it", async (t) => {
  const call = callsTo(fakeHouse());
  const { structured, text } = await call("click_at", AT);
  t.equal(structured["edited"], null);
  t.notMatch(text, /instead/);
});

t.test("of what a human changed in a hidden place only that is told", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").onPerform = async () => ({ wasConfirmed: true, edit: {} });
  const { structured, text } = await callsTo(house)("type_text", { text: "something" });
  t.same(structured["edited"], {});
  t.match(text, /changed it: how is not told/);
});

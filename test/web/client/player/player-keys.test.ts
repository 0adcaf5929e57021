import t from "tap";
import { commandOf } from "../../../../src/web/client/player/player-keys.ts";

const press = (key: string, shiftKey = false) => commandOf({ key, shiftKey });

t.test("keys do what they do in other players", async (t) => {
  t.same(press(" "), { kind: "toggle" });
  t.same(press("k"), { kind: "toggle" });
  t.same(press("K", true), { kind: "toggle" });
  t.same(press("ArrowLeft"), { kind: "move", byMs: -5000 });
  t.same(press("ArrowRight", true), { kind: "move", byMs: 30_000 });
  t.same(press("j"), { kind: "move", byMs: -10_000 });
  t.same(press("."), { kind: "frame", by: 1 });
  t.same(press(">", true), { kind: "speed", by: 1 });
  t.same(press("n"), { kind: "action", by: 1 });
  t.same(press("g"), { kind: "hit", by: 1 });
  t.same(press("G", true), { kind: "hit", by: -1 });
  t.same(press("["), { kind: "marker", by: -1 });
  t.same(press("7"), { kind: "tenth", tenth: 7 });
  t.same(press("m"), { kind: "mark" });
  t.same(press("Home"), { kind: "start" });
  t.same(press("End"), { kind: "end" });
});

t.test("other keys are the browser's", async (t) => {
  for (const key of ["Tab", "Enter", "Escape", "x", "F5", "constructor", "__proto__", "?"]) {
    t.equal(press(key), null, key);
  }
});

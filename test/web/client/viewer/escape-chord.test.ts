import t from "tap";
import { type ChordVerdict, EscapeChord } from "../../../../src/web/client/viewer/escape-chord.ts";

/** "+ControlLeft" is a press, "-ControlLeft" a release. */
function play(chord: EscapeChord, ...keys: readonly string[]): readonly ChordVerdict[] {
  return keys.map((key) =>
    chord.handle({ type: key.startsWith("+") ? "keydown" : "keyup", code: key.slice(1) }),
  );
}

const DOWN = ["+ControlLeft", "+AltLeft", "+ShiftLeft"] as const;

t.test("the chord leaves once every modifier was released, so that none sticks on the desktop", async (t) => {
  t.same(play(new EscapeChord(), ...DOWN, "-ShiftLeft", "-ControlLeft", "-AltLeft"), [
    "pass",
    "pass",
    "pass",
    "pass",
    "pass",
    "leave",
  ]);
});

t.test("right-hand modifiers and key repeat are the same chord", async (t) => {
  const keys = ["+ShiftRight", "+AltRight", "+ControlRight", "+ControlRight", "+ControlRight"];
  const verdicts = play(new EscapeChord(), ...keys, "-ControlRight", "-AltRight", "-ShiftRight");
  t.equal(verdicts.at(-1), "leave");
});

t.test("another key makes it the desktop's own shortcut", async (t) => {
  const verdicts = play(
    new EscapeChord(),
    ...DOWN,
    "+KeyX",
    "-KeyX",
    "-ShiftLeft",
    "-AltLeft",
    "-ControlLeft",
  );
  t.ok(verdicts.every((verdict) => verdict === "pass"));
});

t.test("S in the chord stops once, and the desktop never sees it", async (t) => {
  const verdicts = play(
    new EscapeChord(),
    ...DOWN,
    "+KeyS",
    "+KeyS",
    "-KeyS",
    "-ShiftLeft",
    "-AltLeft",
    "-ControlLeft",
  );
  t.same(verdicts.slice(3), ["stop", "swallow", "swallow", "pass", "pass", "pass"]);
});

t.test("A in the chord leads to the approval once every modifier was released", async (t) => {
  const verdicts = play(
    new EscapeChord(),
    ...DOWN,
    "+KeyA",
    "+KeyA",
    "-KeyA",
    "-ShiftLeft",
    "-AltLeft",
    "-ControlLeft",
  );
  t.same(verdicts.slice(3), ["swallow", "swallow", "swallow", "pass", "pass", "ask"]);
});

t.test("two modifiers and S are the desktop's", async (t) => {
  t.same(play(new EscapeChord(), "+ControlLeft", "+ShiftLeft", "+KeyS", "-KeyS"), [
    "pass",
    "pass",
    "pass",
    "pass",
  ]);
});

t.test("a window that lost the keyboard forgets what was held", async (t) => {
  const chord = new EscapeChord();
  play(chord, ...DOWN);
  chord.reset();
  t.same(play(chord, "-ShiftLeft", "-AltLeft", "-ControlLeft", "+KeyS"), ["pass", "pass", "pass", "pass"]);
});

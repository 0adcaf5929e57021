import fc from "fast-check";
import t from "tap";
import type { Action, Actor } from "../../src/desktop/action.ts";
import { readCustomRules } from "../../src/desktop/custom-rules.ts";
import { Modes, policyOf } from "../../src/desktop/modes.ts";
import {
  type ClipboardLimits,
  decide,
  isRaise,
  MODES,
  type Policy,
  stricterMode,
  wordFor,
} from "../../src/desktop/policy.ts";
import { SUBJECTS, type Subject, stricterWord, subjectOf, WORDS } from "../../src/desktop/subject.ts";

const AGENT: Actor = { kind: "agent", id: "a", name: "agent" };
const HUMAN: Actor = { kind: "human", id: "h", name: "Ann" };
const FREE: ClipboardLimits = { read: "allow", write: "allow" };
const HERE = { x: 5, y: 5 };

/** One action of each kind, with the subject that it is. */
const ACTIONS: readonly (readonly [Action, Subject | null])[] = [
  [{ kind: "pointer", x: 1, y: 1, buttons: 1 }, "pointer"],
  [{ kind: "click", x: 1, y: 1, button: "left", clicks: 1, holdKeysyms: [] }, "pointer"],
  [{ kind: "move", x: 1, y: 1 }, "pointer"],
  [{ kind: "button", x: 1, y: 1, button: "left", isDown: true }, "pointer"],
  [
    { kind: "drag", path: [HERE, { x: 9, y: 9 }], button: "left", holdKeysyms: [], durationMs: null },
    "pointer",
  ],
  [{ kind: "scroll", x: 1, y: 1, notchesX: 0, notchesY: 3, holdKeysyms: [] }, "pointer"],
  [{ kind: "key", keysym: 97, isDown: true, scancode: null }, "keys"],
  [{ kind: "chords", chords: [[97]], repeat: 1, holdMs: 0, names: ["a"] }, "keys"],
  [{ kind: "hold", keysyms: [97], isDown: true, name: "a" }, "keys"],
  [{ kind: "type", text: "x", wordsPerMinute: null, clearExisting: false }, "text"],
  [{ kind: "read_clipboard" }, "read_clipboard"],
  [{ kind: "write_clipboard", text: "x" }, "write_clipboard"],
  [{ kind: "resize", width: 10, height: 10 }, "resize"],
  [{ kind: "release" }, null],
];

/** The promise of M1, written out cell by cell so that the code is compared with something. */
const EXPECTED = {
  passive: ["deny", "deny", "deny", "deny", "deny", "deny"],
  assist: ["ask", "ask", "ask", "ask", "ask", "ask"],
  composing: ["ask", "ask", "allow", "allow", "allow", "ask"],
  autopilot: ["allow", "allow", "allow", "allow", "allow", "allow"],
  custom: ["ask", "ask", "ask", "ask", "ask", "ask"],
} as const;

t.test("every cell of the table holds, for every kind of action", async (t) => {
  for (const mode of MODES) {
    const ceiling = policyOf(mode);
    SUBJECTS.forEach((subject, i) => {
      t.equal(wordFor(ceiling, subject), EXPECTED[mode][i], `${mode} ${subject}`);
    });
    for (const [action, subject] of ACTIONS) {
      t.equal(subjectOf(action), subject, action.kind);
      const verdict = decide({ ceiling, choice: null, clipboard: FREE }, action, AGENT, HERE);
      const expected = subject === null ? "allow" : EXPECTED[mode][SUBJECTS.indexOf(subject)];
      t.equal(verdict.kind, expected, `${mode} ${action.kind}`);
      const rulings = { ceiling, choice: null, clipboard: FREE };
      t.equal(decide(rulings, action, HUMAN, HERE).kind, "allow", "people are bound by their role");
      t.equal(decide(rulings, action, { ...AGENT, kind: "extension" }, HERE).kind, expected);
      t.equal(decide(rulings, action, { ...AGENT, kind: "replay" }, HERE).kind, "deny");
    }
  }
});

t.test("the configuration makes the clipboard stricter in every mode, never freer", async (t) => {
  for (const mode of MODES) {
    for (const read of WORDS) {
      const rulings = { ceiling: policyOf(mode), choice: null, clipboard: { read, write: "deny" } } as const;
      const got = decide(rulings, { kind: "read_clipboard" }, AGENT, HERE).kind;
      t.equal(got, stricterWord(read, wordFor(rulings.ceiling, "read_clipboard")), `${mode} ${read}`);
      t.equal(decide(rulings, { kind: "write_clipboard", text: "" }, AGENT, HERE).kind, "deny");
    }
  }
});

const word = fc.constantFrom(...WORDS);
const area = fc.record({
  x: fc.nat(20),
  y: fc.nat(20),
  width: fc.integer({ min: 1, max: 20 }),
  height: fc.integer({ min: 1, max: 20 }),
  verdict: fc.constantFrom("ask" as const, "deny" as const),
});
const custom = fc
  .record({
    pointer: word,
    keys: word,
    text: word,
    write_clipboard: word,
    read_clipboard: word,
    resize: word,
    areas: fc.array(area, { maxLength: 3 }),
  })
  .map((rules): Policy => ({ mode: "custom", rules }));
const preset = fc
  .constantFrom("passive" as const, "assist" as const, "composing" as const, "autopilot" as const)
  .map((mode): Policy => ({ mode }));
const policy = fc.oneof(preset, custom);

t.test("what is not called a raise weakens no verdict anywhere", async () => {
  const place = fc.record({ x: fc.nat(45), y: fc.nat(45) });
  fc.assert(
    fc.property(policy, policy, fc.array(place, { minLength: 1, maxLength: 20 }), (from, to, places) => {
      if (isRaise(from, to)) return true;
      return SUBJECTS.every((subject) =>
        places.every((at) => {
          const before = wordFor(from, subject, [at]);
          return stricterWord(before, wordFor(to, subject, [at])) === wordFor(to, subject, [at]);
        }),
      );
    }),
    { numRuns: 3000 },
  );
});

t.test("the stricter of two modes is one of them, or a mix where neither is", async (t) => {
  t.equal(stricterMode({ mode: "assist" }, { mode: "autopilot" }), "assist");
  t.equal(stricterMode({ mode: "composing" }, { mode: "passive" }), "passive");
  const mixed = policyOf("custom", { pointer: "allow", text: "deny" });
  t.equal(stricterMode({ mode: "assist" }, mixed), "custom");
});

t.test("an agent lowers only its own freedom, at once; raising it needs a human", async (t) => {
  const modes = new Modes({ mode: "composing" }, FREE);
  const other: Actor = { ...AGENT, id: "b" };
  t.throws(() => modes.set("autopilot", AGENT), { code: "permission_denied" });
  modes.set("passive", AGENT);
  t.equal(modes.modeOf("a"), "passive");
  t.equal(modes.modeOf("b"), "composing", "another principal keeps its own");
  t.equal(modes.ceiling, "composing");
  t.throws(() => modes.set("assist", AGENT), { code: "permission_denied" }, "not even back up");
  t.match(modes.verdict({ kind: "read_clipboard" }, AGENT, HERE), { kind: "deny", reason: /you chose/ });
  t.equal(modes.verdict({ kind: "read_clipboard" }, other, HERE).kind, "allow");
  modes.set("assist", HUMAN);
  t.equal(modes.modeOf("a"), "assist");
});

t.test("weakening any one verdict of custom is raising, and so is freeing an area", async (t) => {
  const rules = {
    pointer: "allow",
    text: "ask",
    areas: [{ x: 0, y: 0, width: 9, height: 9, verdict: "deny" }],
  };
  const modes = new Modes({ mode: "autopilot" }, FREE);
  modes.set("custom", AGENT, rules);
  for (const weaker of [
    { ...rules, text: "allow" },
    { ...rules, areas: [] },
    { ...rules, areas: [{ x: 0, y: 0, width: 8, height: 9, verdict: "deny" }] },
    { ...rules, areas: [{ x: 0, y: 0, width: 9, height: 9, verdict: "ask" }] },
  ]) {
    t.throws(() => modes.set("custom", AGENT, weaker), { code: "permission_denied" });
  }
  modes.set("custom", AGENT, { ...rules, text: "deny" });
  const click = { kind: "click", x: 8, y: 8, button: "left", clicks: 1, holdKeysyms: [] } as const;
  t.equal(modes.verdict(click, AGENT, HERE).kind, "deny");
  t.equal(modes.verdict({ ...click, x: 9 }, AGENT, HERE).kind, "allow");
  t.equal(modes.verdict({ ...click, x: null, y: null }, AGENT, HERE).kind, "deny", "where the pointer is");
  const drag = { kind: "drag", button: "left", holdKeysyms: [], durationMs: null } as const;
  const path = [{ x: 50, y: 50 }, HERE];
  t.equal(modes.verdict({ ...drag, path }, AGENT, HERE).kind, "deny", "every point of a drag counts");
});

t.test("rules that cannot be read are refused with their names", async (t) => {
  for (const bad of [
    { pointer: "maybe" },
    { mouse: "allow" },
    { areas: [{ x: -1, y: 0, width: 1, height: 1, verdict: "deny" }] },
    { areas: [{ x: 0, y: 0, width: 1, height: 1, verdict: "allow" }] },
    { areas: Array.from({ length: 33 }, () => ({ x: 0, y: 0, width: 1, height: 1, verdict: "deny" })) },
    [],
    "autopilot",
  ]) {
    t.throws(() => readCustomRules(bad), { code: "invalid_parameters" });
  }
  t.equal(readCustomRules(undefined).pointer, "ask", "nothing said asks for everything");
});

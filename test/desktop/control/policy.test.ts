import fc from "fast-check";
import t from "tap";
import type { Action, Actor } from "../../../src/desktop/control/action.ts";
import {
  ACTION_CLASSES,
  type ActionClass,
  actionClassOf,
  stricterWord,
  VERDICT_WORDS,
} from "../../../src/desktop/control/action-class.ts";
import { readCustomRules } from "../../../src/desktop/control/custom-rules.ts";
import { Modes, policyOf } from "../../../src/desktop/control/modes.ts";
import {
  type ClipboardLimits,
  decide,
  isRaise,
  MODES,
  type Mode,
  type Policy,
  stricterMode,
  wordFor,
} from "../../../src/desktop/control/policy.ts";
import { holdsPoint, type Point } from "../../../src/framebuffer/rect.ts";

const AGENT: Actor = { kind: "agent", id: "a", name: "agent" };
const HUMAN: Actor = { kind: "human", id: "h", name: "Ann", authority: "rules" };
const FREE: ClipboardLimits = { read: "allow", write: "allow" };
const HERE = { x: 5, y: 5 };
const HAND = { position: HERE, buttons: 0, keys: [] };

/** One action of each kind, with its class. */
const ACTIONS: readonly (readonly [Action, ActionClass | null])[] = [
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
    ACTION_CLASSES.forEach((actionClass, i) => {
      t.equal(wordFor(ceiling, actionClass), EXPECTED[mode][i], `${mode} ${actionClass}`);
    });
    for (const [action, actionClass] of ACTIONS) {
      t.equal(actionClassOf(action), actionClass, action.kind);
      const verdict = decide({ ceiling, choice: null, clipboard: FREE }, action, AGENT, HAND);
      const expected = actionClass === null ? "allow" : EXPECTED[mode][ACTION_CLASSES.indexOf(actionClass)];
      t.equal(verdict.kind, expected, `${mode} ${action.kind}`);
      const rulings = { ceiling, choice: null, clipboard: FREE };
      t.equal(decide(rulings, action, HUMAN, HAND).kind, "allow", "people are bound by their role");
      t.equal(decide(rulings, action, { ...AGENT, kind: "extension" }, HAND).kind, expected);
      t.equal(decide(rulings, action, { ...AGENT, kind: "replay" }, HAND).kind, "deny");
    }
  }
});

t.test("the configuration makes the clipboard stricter in every mode, never freer", async (t) => {
  for (const mode of MODES) {
    for (const read of VERDICT_WORDS) {
      const rulings = { ceiling: policyOf(mode), choice: null, clipboard: { read, write: "deny" } } as const;
      const got = decide(rulings, { kind: "read_clipboard" }, AGENT, HAND).kind;
      t.equal(got, stricterWord(read, wordFor(rulings.ceiling, "read_clipboard")), `${mode} ${read}`);
      t.equal(decide(rulings, { kind: "write_clipboard", text: "" }, AGENT, HAND).kind, "deny");
    }
  }
});

const word = fc.constantFrom(...VERDICT_WORDS);
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
      return ACTION_CLASSES.every((actionClass) =>
        places.every((at) => {
          const before = wordFor(from, actionClass, [at]);
          return stricterWord(before, wordFor(to, actionClass, [at])) === wordFor(to, actionClass, [at]);
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
  t.match(modes.verdict({ kind: "read_clipboard" }, AGENT, HAND), { kind: "deny", reason: /you chose/ });
  t.equal(modes.verdict({ kind: "read_clipboard" }, other, HAND).kind, "allow");
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
  t.equal(modes.verdict(click, AGENT, HAND).kind, "deny");
  t.equal(modes.verdict({ ...click, x: 9 }, AGENT, HAND).kind, "allow");
  t.equal(modes.verdict({ ...click, x: null, y: null }, AGENT, HAND).kind, "deny", "where the pointer is");
  const drag = { kind: "drag", button: "left", holdKeysyms: [], durationMs: null } as const;
  const path = [{ x: 50, y: 50 }, HERE];
  t.equal(modes.verdict({ ...drag, path }, AGENT, HAND).kind, "deny", "every point of a drag counts");
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

t.test("every key of an action is judged, whatever tool it came by", async (t) => {
  const rules = { keys: "deny", pointer: "allow", text: "allow", write_clipboard: "allow" };
  const judge = (action: Action) =>
    new Modes(policyOf("custom", rules), FREE).verdict(action, AGENT, HAND).kind;
  const ctrl = [0xffe3];
  const place = { x: 1, y: 1 };
  const path = [place, HERE];
  const click = { kind: "click", ...place, button: "left", clicks: 1 } as const;
  const scroll = { kind: "scroll", ...place, notchesX: 0, notchesY: 1 } as const;
  const drag = { kind: "drag", path, button: "left", durationMs: null } as const;
  const type = { kind: "type", text: "x", wordsPerMinute: null } as const;
  t.equal(judge({ ...click, holdKeysyms: [] }), "allow");
  t.equal(judge({ ...click, holdKeysyms: ctrl }), "deny");
  t.equal(judge({ ...drag, holdKeysyms: ctrl }), "deny");
  t.equal(judge({ ...scroll, holdKeysyms: ctrl }), "deny");
  t.equal(judge({ ...type, clearExisting: false }), "allow");
  t.equal(judge({ ...type, clearExisting: true }), "deny");
  t.equal(judge({ ...type, text: "a\b", clearExisting: false }), "deny");
  t.equal(judge({ kind: "paste", text: "x", keysyms: [0xffe3, 0x76], name: "Ctrl+V" }), "deny");
});

t.test("who types or clicks while a key of theirs is held presses that key too", async (t) => {
  const judge = (mode: Mode, action: Action, rules?: unknown) =>
    new Modes(policyOf(mode, rules), FREE).verdict(action, AGENT, { ...HAND, keys: [0xffe3] }).kind;
  const type: Action = { kind: "type", text: "w", wordsPerMinute: null, clearExisting: false };
  t.equal(judge("composing", type), "ask", "Ctrl+W is no text");
  const rules = { pointer: "allow", text: "allow", keys: "deny", read_clipboard: "allow" };
  t.equal(judge("custom", type, rules), "deny");
  t.equal(judge("custom", { kind: "move", x: 1, y: 1 }, rules), "deny");
  t.equal(judge("custom", { kind: "read_clipboard" }, rules), "allow");
  t.equal(judge("passive", { kind: "release" }), "allow", "letting go is always allowed");
});

t.test("text that is denied is not spelled by chords either", async (t) => {
  const modes = new Modes(policyOf("custom", { keys: "allow", text: "deny" }), FREE);
  const judge = (...keysyms: number[]) =>
    modes.verdict({ kind: "chords", chords: [keysyms], repeat: 1, holdMs: 0, names: ["?"] }, AGENT, HAND)
      .kind;
  t.equal(judge(0x61), "deny");
  t.equal(judge(0xffe1, 0x41), "deny", "with Shift");
  t.equal(judge(0x0100_4e2d), "deny");
  t.equal(judge(0x06c1), "deny", "a Cyrillic letter by its older keysym, as VNC viewers send it");
  for (const [name, keysym] of [
    ["Space", 0xff80],
    ["Begin", 0xff9d],
    ["Multiply", 0xffaa],
    ["Add", 0xffab],
    ["Separator", 0xffac],
    ["Subtract", 0xffad],
    ["Decimal", 0xffae],
    ["Divide", 0xffaf],
    ["Equal", 0xffbd],
  ] as const) {
    t.equal(judge(keysym), "deny", `KP_${name}`);
    const held: Action = { kind: "hold", keysyms: [keysym], isDown: true, name };
    t.equal(modes.verdict(held, AGENT, HAND).kind, "deny", `KP_${name} held`);
  }
  for (let digit = 0xffb0; digit <= 0xffb9; digit++) t.equal(judge(digit), "deny", `KP_${digit - 0xffb0}`);
  t.equal(judge(0xffe3, 0xffbd), "allow", "Ctrl+KP_Equal writes nothing");
  for (let dead = 0xfe50; dead <= 0xfe5c; dead++)
    t.equal(judge(dead), "deny", "two dead keys write an accent");
  for (const other of [0xff89, 0xff8d, 0xff91, 0xff94, 0xff95, 0xff9f, 0xffbe]) {
    t.equal(judge(other), "allow", "KP_Tab, KP_Enter, KP_F1, KP_F4, KP_Home, KP_Delete and F1 write nothing");
  }
  t.equal(judge(0xffe3, 0x61), "allow", "Ctrl+A writes nothing");
  t.equal(judge(0xff0d), "allow");
});

t.test("a way that touches a denied area anywhere is denied, as its pixels are sent", async (t) => {
  const area = { x: 100, y: 100, width: 10, height: 10 };
  const rules = { pointer: "allow", areas: [{ ...area, verdict: "deny" }] };
  const modes = new Modes(policyOf("custom", rules), FREE);
  const drag = (...path: Point[]) =>
    modes.verdict({ kind: "drag", path, button: "left", holdKeysyms: [], durationMs: null }, AGENT, HAND)
      .kind;
  t.equal(drag({ x: 0, y: 0 }, { x: 300, y: 300 }), "deny", "across it");
  t.equal(drag({ x: 0, y: 105 }, { x: 300, y: 105 }), "deny");
  t.equal(drag({ x: 105, y: 300 }, { x: 105, y: 0 }), "deny");
  t.equal(drag({ x: 0, y: 120 }, { x: 300, y: 120 }), "allow", "beside it");
  t.equal(drag({ x: 0, y: 0 }, { x: 300, y: 0 }, { x: 300, y: 300 }), "allow", "around it");
  t.equal(drag({ x: 0, y: 0 }, { x: 300, y: 0 }, { x: 0, y: 161 }), "deny", "on its second stretch");
  // Every pixel that may be sent for a stretch: rounded points of the line, and those of a line drawn between them.
  for (let i = 0; i < 400; i++) {
    const at = (n: number): number => (n * 7919) % 211;
    const [from, to] = [
      { x: at(i), y: at(i + 50) },
      { x: at(i + 100), y: at(i + 150) },
    ];
    const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1) * 4;
    const isInside = Array.from({ length: steps + 1 }, (_, n) => ({
      x: Math.round(from.x + ((to.x - from.x) * n) / steps),
      y: Math.round(from.y + ((to.y - from.y) * n) / steps),
    })).some(({ x, y }) => holdsPoint(area, x, y));
    if (isInside && drag(from, to) !== "deny") t.fail(`${JSON.stringify([from, to])} goes through`);
  }
  const held = { ...HAND, position: { x: 0, y: 105 }, buttons: 1 };
  const move = { kind: "move", x: 300, y: 105 } as const;
  t.equal(modes.verdict(move, AGENT, held).kind, "deny", "with a button down a move is a drag");
  t.equal(modes.verdict(move, AGENT, { ...held, buttons: 0 }).kind, "allow");
});

t.test("who may set modes and rules is one table", async (t) => {
  const rules = { pointer: "allow", areas: [{ x: 0, y: 0, width: 9, height: 9, verdict: "deny" }] };
  const OPERATOR: Actor = { kind: "human", id: "o", name: "Olga", authority: "modes" };
  const APPROVER: Actor = { kind: "human", id: "p", name: "Paul" };
  const denied = { code: "permission_denied" };
  const fresh = () => new Modes({ mode: "assist" }, FREE);
  for (const mode of MODES) t.throws(() => fresh().set(mode, APPROVER), denied, `approver: ${mode}`);
  for (const mode of ["passive", "assist", "composing", "custom"] as const) {
    t.doesNotThrow(() => fresh().set(mode, OPERATOR), mode);
  }
  t.throws(() => fresh().set("autopilot", OPERATOR), denied);
  t.throws(() => fresh().set("custom", OPERATOR, rules), denied);
  t.throws(() => fresh().set("custom", OPERATOR, {}), denied);
  const modes = fresh();
  modes.set("custom", HUMAN, rules);
  const { limits } = modes;
  t.throws(() => modes.set("assist", OPERATOR), denied, "it would free the denied area");
  t.throws(() => modes.set("composing", OPERATOR), denied);
  modes.set("passive", OPERATOR);
  t.equal(modes.ceiling, "passive");
  t.same(modes.limits, limits);
  modes.set("custom", OPERATOR);
  t.same(modes.rules, limits, "back to the administrator's rules");
  modes.set("passive", HUMAN);
  t.throws(() => modes.set("assist", OPERATOR), denied, "a pause lifts nothing");
  modes.set("assist", HUMAN);
  t.doesNotThrow(() => modes.set("composing", OPERATOR));
});

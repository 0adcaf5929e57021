import fc from "fast-check";
import t from "tap";
import type { Action } from "../../../src/desktop/control/action.ts";
import { LinkError } from "../../../src/desktop/error.ts";
import { Hand } from "./hand.ts";

const CTRL = 0xffe3;

t.test("a drag presses, begins with a small move, goes in steps and lets go at the end", async (t) => {
  const path = [
    { x: 10, y: 10 },
    { x: 118, y: 10 },
  ];
  const action = { kind: "drag", path, button: "left", holdKeysyms: [CTRL], durationMs: 0 } as const;
  t.same(await new Hand().sent(action), [
    "pointer 10,10 0",
    "down ffe3",
    "pointer 10,10 1",
    "pointer 22,10 1",
    "pointer 70,10 1",
    "pointer 116,10 1",
    "pointer 118,10 1",
    "pointer 118,10 0",
    "up ffe3",
  ]);
});

t.test(
  "a drag without a duration takes its time, evenly, and rests at every point of its path",
  async (t) => {
    const hand = new Hand();
    const path = [
      { x: 10, y: 10 },
      { x: 150, y: 10 },
      { x: 150, y: 90 },
    ];
    const action = { kind: "drag", path, button: "left", holdKeysyms: [], durationMs: null } as const;
    const sent = await hand.timed(action);
    const last = sent.length - 1;
    const gaps = sent.slice(1).map(({ atMs }, i) => atMs - (sent[i]?.atMs ?? 0));
    t.ok(
      gaps.slice(1).every((gap) => gap > 0),
      "no two moves at one moment",
    );
    const corner = sent.findIndex(({ said }) => said === "pointer 150,10 1");
    t.ok((gaps[corner] ?? 0) > 2 * (gaps[corner - 1] ?? 0), "the corner lasts");
    t.ok(
      sent.every(({ said }) => /^pointer (\d+,10|150,\d+) [01]$/.test(said)),
      "every move lies on the path",
    );
    t.equal(sent[last]?.said, "pointer 150,90 0");
    const spanMs = (sent[last]?.atMs ?? 0) - (sent[0]?.atMs ?? 0);
    t.ok(spanMs >= 250 && spanMs < 1000, `${spanMs} ms`);
  },
);

t.test("a chord is held, and the next one waits until it is over", async (t) => {
  const hand = new Hand();
  const action = {
    kind: "chords",
    chords: [[0xffe9, 0xff09], [0x61]],
    repeat: 1,
    holdMs: 0,
    names: [],
  } as const;
  const sent = await hand.timed(action);
  const at = (said: string): number => sent.find((one) => one.said === said)?.atMs ?? Number.NaN;
  t.ok(at("up ff09") - at("down ff09") >= 20);
  t.ok(at("down 61") - at("up ffe9") >= 20);
  t.equal(at("up 61"), at("down 61"), "a key alone is not held");
});

t.test("letting go of a button that is not down is said", async (t) => {
  const hand = new Hand();
  const button = { kind: "button", button: "left", x: 1, y: 2 } as const;
  t.equal((await hand.done({ ...button, isDown: false })).wasNeeded, false);
  await hand.performer.perform({ ...button, isDown: true }, {});
  t.equal((await hand.done({ ...button, isDown: false })).wasNeeded, true);
});

t.test("a chord with a key that nothing makes at the target is left out by its name", async (t) => {
  const chords = (names: string[], ...keysyms: number[][]): Action => ({
    kind: "chords",
    chords: keysyms,
    names,
    repeat: 2,
    holdMs: 0,
  });
  const ZHE = 0x100_0436;
  const hand = new Hand();
  Object.assign(hand.link, { canType: (keysym: number) => keysym !== ZHE });
  const done = await hand.done(chords(["ж", "ctrl+ж", "enter"], [ZHE], [CTRL, ZHE], [0xff0d]));
  t.same(done.notTyped, ["ж", "ctrl+ж", "ж", "ctrl+ж"]);
  t.same(
    hand.link.said.filter((said) => said.startsWith("down")),
    ["down ff0d", "down ff0d"],
  );

  const few = new Hand();
  few.link.newKeys = 1;
  const first = await few.done(chords(["ж", "я"], [ZHE], [0x100_044f]));
  t.same(first.notTyped, ["я", "я"], "no key is left for it");
  t.match(first.unverified, /made keys/);
  const media = await few.done(chords(["XF86AudioPlay"], [0x1008_ff14]));
  t.same([media.notTyped, media.unverified], [[], null], "each keymap has it");
});

t.test("no more characters are sent than a target makes keys for; the rest is named", async (t) => {
  const letters = (from: number, count: number): string =>
    String.fromCodePoint(...Array.from({ length: count }, (_, i) => from + i));
  const type = (text: string): Action => ({ kind: "type", text, wordsPerMinute: null, clearExisting: false });
  const hand = new Hand();
  hand.link.newKeys = 16;
  const first = await hand.done(type(`a${letters(0x430, 20)}b`));
  t.same(first.notTyped, Array.from(letters(0x440, 4)));
  t.match(first.unverified, /made keys/);
  t.same((await hand.done(type(letters(0x430, 16)))).notTyped, [], "those that have one go on");
  hand.input.detach();
  hand.input.attach(hand.link);
  t.same(
    (await hand.done(type("\u0450"))).notTyped,
    ["\u0450"],
    "its keys are as they were after a reconnection",
  );
  t.equal((await hand.done(type("plain"))).unverified, null);

  const free = new Hand();
  const all = await free.done(type(letters(0x430, 40)));
  t.same([all.notTyped, all.unverified], [[], null], "a target that needs no keys");
});

t.test("a character that needs a key of its own is no display's first key", async (t) => {
  const type = (text: string): Action => ({ kind: "type", text, wordsPerMinute: null, clearExisting: false });
  const hand = new Hand();
  hand.link.newKeys = 16;
  t.same(await hand.sent(type("é")), ["down ffe1", "up ffe1", "down e9", "up e9"]);
  t.same(await hand.sent(type("é")), ["down e9", "up e9"]);
  hand.input.attach(hand.link);
  t.same(await hand.sent(type("aé")), ["down 61", "up 61", "down e9", "up e9"]);
});

t.test("a chord is no display's first key: its window manager looks at the keyboard anew then", async (t) => {
  const chord = (...keysyms: number[]): Action => ({
    kind: "chords",
    chords: [keysyms],
    names: ["chord"],
    repeat: 1,
    holdMs: 0,
  });
  const altTab = ["down ffe9", "down ff09", "up ff09", "up ffe9"];
  const hand = new Hand();
  hand.link.newKeys = 16;
  t.same(await hand.sent(chord(0xffe9, 0xff09)), ["down ffe1", "up ffe1", ...altTab]);
  t.same(await hand.sent(chord(0xffe9, 0xff09)), altTab);
  hand.input.attach(hand.link);
  t.same(await hand.sent(chord(0x61)), ["down 61", "up 61"], "a key alone is");
});

t.test("what was done before an action ended is told as it goes", async (t) => {
  const hand = new Hand();
  const told: unknown[] = [];
  const abort = new AbortController();
  const action = { kind: "type", text: "x".repeat(40), wordsPerMinute: 600, clearExisting: false } as const;
  const done = hand.performer.perform(action, { signal: abort.signal, report: (part) => told.push(part) });
  done.catch(() => undefined);
  await hand.clock.live(330);
  abort.abort(new Error("enough"));
  await t.rejects(done, /enough/);
  const typed = hand.link.said.filter((said) => said === "down 78").length;
  t.ok(typed > 10 && typed < 40);
  t.match(told.at(-1), { typed, of: 40 });
});

t.test("the wheel turns one press and release a notch, down and to the right", async (t) => {
  const hand = new Hand();
  const scroll = { kind: "scroll", x: 5, y: 6, holdKeysyms: [] } as const;
  t.same(await hand.sent({ ...scroll, notchesX: 0, notchesY: 2 }), [
    "pointer 5,6 0",
    ...["pointer 5,6 16", "pointer 5,6 0", "pointer 5,6 16", "pointer 5,6 0"],
  ]);
  const back = await hand.sent({ ...scroll, notchesX: -1, notchesY: -1 });
  t.same(back, ["pointer 5,6 0", "pointer 5,6 8", "pointer 5,6 0", "pointer 5,6 32", "pointer 5,6 0"]);
  const right = await hand.sent({ ...scroll, notchesX: 1, notchesY: 0 });
  t.same(right.slice(1), ["pointer 5,6 64", "pointer 5,6 0"]);
});

t.test(
  "notches are apart, so that no program takes several as one, and a single one waits for nothing",
  async (t) => {
    const hand = new Hand();
    const scroll = { kind: "scroll", x: 5, y: 6, holdKeysyms: [] } as const;
    const presses = (await hand.timed({ ...scroll, notchesX: 1, notchesY: 3 })).filter(
      ({ said }) => !said.endsWith(" 0"),
    );
    const firstMs = presses[0]?.atMs ?? 0;
    t.same(
      presses.map(({ said, atMs }) => [said, atMs - firstMs]),
      [
        ["pointer 5,6 16", 0],
        ["pointer 5,6 16", 10],
        ["pointer 5,6 16", 20],
        ["pointer 5,6 64", 30],
      ],
    );
    t.same((await hand.sent({ ...scroll, notchesX: 0, notchesY: 1 })).length, 3);
  },
);

t.test("a target is asked as often whether or not somebody hears how far it got", async (t) => {
  const scroll = { kind: "scroll", x: 5, y: 6, notchesX: 0, notchesY: 40, holdKeysyms: [] } as const;
  const text = { kind: "type", text: "a".repeat(100), wordsPerMinute: null, clearExisting: false } as const;
  for (const action of [scroll, text]) {
    const asked: number[] = [];
    for (const options of [{}, { report: () => undefined }]) {
      const hand = new Hand();
      const { barrier } = hand.link;
      hand.link.barrier = () => {
        hand.barriers++;
        return barrier.call(hand.link);
      };
      const done = hand.performer.perform(action, options);
      await hand.clock.live(90_000);
      await done;
      asked.push(hand.barriers);
    }
    t.ok((asked[0] ?? 0) > 1, action.kind);
    t.equal(asked[0], asked[1], action.kind);
  }
});

t.test("what comes after a text for a target without a fence finds it on the clipboard", async (t) => {
  const text = "some text";
  const paste = { kind: "paste", text, keysyms: [CTRL, 0x76], name: "ctrl+v" } as const;
  const write = { kind: "write_clipboard", text } as const;
  for (const [action, isFenced, isOfferedAside, leastMs] of [
    [paste, false, true, 150],
    [write, false, true, 150],
    [write, true, true, 0],
    [write, false, false, 0],
  ] as const) {
    const hand = new Hand();
    hand.link.isFenced = isFenced;
    hand.link.provesClipboard = isOfferedAside;
    const beganMs = hand.clock.nowMs();
    let isOver = false;
    const done = hand.performer.perform(action, {}).finally(() => {
      isOver = true;
    });
    const hasFollowed = (): boolean =>
      action === paste ? hand.link.said.some((said) => said.startsWith("down")) : isOver;
    while (!hasFollowed()) await hand.clock.live(5);
    const tookMs = hand.clock.nowMs() - beganMs;
    t.ok(tookMs >= leastMs && tookMs < leastMs + 20, `${action.kind}: ${tookMs} ms`);
    await hand.clock.live(5000);
    await done;
  }
});

t.test("keys wait until a target that answers offers knows of the text, and as long again", async (t) => {
  for (const [answerMs, keyMs] of [
    [5, 55],
    [300, 600],
    [null, 2000],
  ] as const) {
    const hand = new Hand();
    hand.link.isFenced = false;
    hand.link.provesClipboard = true;
    hand.input.offered();
    const { clipboard } = hand.link;
    hand.link.clipboard = (text) => {
      clipboard.call(hand.link, text);
      if (answerMs !== null) hand.clock.after(answerMs, () => hand.input.offered());
    };
    const beganMs = hand.clock.nowMs();
    const paste = { kind: "paste", text: "some text", keysyms: [CTRL, 0x76], name: "ctrl+v" } as const;
    const done = hand.performer.perform(paste, {});
    while (!hand.link.said.includes(`down ${CTRL.toString(16)}`)) await hand.clock.live(5);
    const tookMs = hand.clock.nowMs() - beganMs;
    t.ok(tookMs >= keyMs && tookMs <= keyMs + 10, `an answer after ${answerMs} ms: keys after ${tookMs} ms`);
    await hand.clock.live(5000);
    await done;
  }
});

t.test("chords go down in order and come up in reverse, each as often as asked", async (t) => {
  const chords = [[CTRL, 0x63], [0xff0d]];
  const action = { kind: "chords", chords, repeat: 2, holdMs: 0, names: [] } as const;
  const once = ["down ffe3", "down 63", "up 63", "up ffe3", "down ff0d", "up ff0d"];
  t.same(await new Hand().sent(action), [...once, ...once]);
});

t.test("a held button stays held while the pointer moves, until it is let go", async (t) => {
  const hand = new Hand();
  const button = { kind: "button", button: "left" } as const;
  t.same(await hand.sent({ ...button, x: 1, y: 2, isDown: true }).catch(String), [
    "pointer 1,2 0",
    "pointer 1,2 1",
    // A minute later, for whoever forgot.
    "pointer 1,2 0",
  ]);
});

t.test("a press that is let go in time is not let go twice", async (t) => {
  const hand = new Hand();
  const run = async (action: Action): Promise<void> => {
    const done = hand.performer.perform(action, {});
    await hand.clock.live(10);
    await done;
  };
  await run({ kind: "button", button: "left", x: 1, y: 2, isDown: true });
  await run({ kind: "move", x: 50, y: 60 });
  await run({ kind: "button", button: "left", x: null, y: null, isDown: false });
  await run({ kind: "hold", keysyms: [0xffe1], name: "Shift", isDown: true });
  await run({ kind: "release" });
  await hand.clock.live(120_000);
  t.same(hand.link.said, [
    ...["pointer 1,2 0", "pointer 1,2 1", "pointer 50,60 1", "pointer 50,60 1", "pointer 50,60 0"],
    ...["down ffe1", "up ffe1"],
  ]);
});

t.test("points outside the screen are refused before anything is sent", async (t) => {
  const { performer, link } = new Hand();
  const outside = [
    { kind: "move", x: 200, y: 0 },
    { kind: "button", x: 0, y: 100, button: "left", isDown: true },
    { kind: "scroll", x: -1, y: 0, notchesX: 0, notchesY: 1, holdKeysyms: [] },
    {
      kind: "drag",
      path: [
        { x: 0, y: 0 },
        { x: 0, y: 500 },
      ],
      button: "left",
      holdKeysyms: [],
      durationMs: null,
    },
  ] as const;
  for (const action of outside)
    t.throws(() => performer.check(action), { code: "out_of_bounds" }, action.kind);
  t.same(link.said, []);
});

/** Actions of every kind that presses something, within the screen. */
const point = fc.record({ x: fc.nat(199), y: fc.nat(99) });
const held = fc.subarray([0xffe1, 0xffe3, 0xffe9]);
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant("click" as const),
    x: fc.nat(199),
    y: fc.nat(99),
    button: fc.constantFrom("left" as const, "middle" as const, "back" as const),
    clicks: fc.integer({ min: 1, max: 3 }),
    holdKeysyms: held,
  }),
  fc.record({
    kind: fc.constant("drag" as const),
    path: fc.array(point, { minLength: 2, maxLength: 6 }),
    button: fc.constantFrom("left" as const, "right" as const),
    holdKeysyms: held,
    durationMs: fc.constantFrom(null, 500),
  }),
  fc.record({
    kind: fc.constant("scroll" as const),
    x: fc.nat(199),
    y: fc.nat(99),
    notchesX: fc.integer({ min: -40, max: 40 }),
    notchesY: fc.integer({ min: -40, max: 40 }),
    holdKeysyms: held,
  }),
  fc.record({
    kind: fc.constant("chords" as const),
    chords: fc.array(fc.subarray([CTRL, 0x61, 0x62, 0x010020ac], { minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    }),
    repeat: fc.integer({ min: 1, max: 9 }),
    holdMs: fc.constantFrom(0, 200),
    names: fc.constant([]),
  }),
);

/** Keys and buttons that were pressed and not let go, as the target sees it. */
function stillDown(said: readonly string[]): string[] {
  const keys = new Set<string>();
  let buttons = 0;
  for (const line of said) {
    const [what, value = "", mask = "0"] = line.split(" ");
    if (what === "down") keys.add(value);
    if (what === "up") keys.delete(value);
    if (what === "pointer") buttons = Number(mask);
  }
  return [...keys, ...(buttons === 0 ? [] : [`buttons ${buttons}`])];
}

t.test("nothing stays down, wherever an action is cancelled or its target lost", async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(900), fc.boolean(), async (action, atMs, isLost) => {
      const hand = new Hand();
      const abort = new AbortController();
      const done = hand.performer.perform(action, { signal: abort.signal }).catch(() => undefined);
      await hand.clock.live(atMs);
      if (isLost) hand.link.barrier = () => Promise.reject(new LinkError("target_closed", "gone"));
      else abort.abort(new Error("stop"));
      await hand.clock.live(5000);
      await done;
      return stillDown(hand.link.said).length === 0;
    }),
    { numRuns: 60 },
  );
});

t.test("letters are typed with caps lock off, which is as before afterwards", async (t) => {
  const type = (text: string): Action => ({ kind: "type", text, wordsPerMinute: null, clearExisting: false });
  const plain = ["down 61", "up 61", "down 42", "up 42"];
  const toggle = ["down ffe5", "up ffe5"];
  const hand = new Hand();
  t.same(await hand.sent(type("aB")), plain, "a target that does not tell");
  hand.capsLock = false;
  t.same(await hand.sent(type("aB")), plain, "off");
  hand.capsLock = true;
  t.same(await hand.sent(type("aB")), [...toggle, ...plain, ...toggle], "on");
  t.same(await hand.sent(type("1 2")), ["down 31", "up 31", "down 20", "up 20", "down 32", "up 32"]);

  const stuck = new Hand();
  stuck.capsLock = true;
  const aborted = AbortSignal.abort(new Error("enough"));
  const cut = stuck.sent(type("aB"), aborted);
  await t.rejects(cut, /enough/);
  const toggles = stuck.link.said.filter((said) => said === "down ffe5").length;
  t.equal(toggles % 2, 0, "cut short, it is as before as well");
});

import t from "tap";
import type { Action } from "../../../src/desktop/control/action.ts";
import { Hand } from "./hand.ts";

// Several clicks are several, and the presses of two actions are two.

const CLICK = { kind: "click", x: 5, y: 6, button: "left", clicks: 1, holdKeysyms: [] } as const;
const PATH = [
  { x: 10, y: 10 },
  { x: 90, y: 10 },
];
const DRAG = { kind: "drag", path: PATH, button: "left", holdKeysyms: [], durationMs: null } as const;
const DOWN = { kind: "button", x: 5, y: 6, button: "left", isDown: true } as const;
const RELEASE = { kind: "release" } as const;
const CHORD = { kind: "chords", chords: [[0xffe3, 0x61]], names: ["ctrl+a"], repeat: 1, holdMs: 0 } as const;
const TEXT = { kind: "type", text: "a", wordsPerMinute: null, clearExisting: false } as const;

t.test("of several clicks each is taken before the next, and none has the time of another", async (t) => {
  const hand = new Hand();
  const action = { kind: "click", x: 5, y: 6, button: "left", clicks: 3, holdKeysyms: [] } as const;
  const sent = (await hand.timed(action)).slice(1);
  t.same(
    sent.map(({ said }) => said),
    ["pointer 5,6 1", "pointer 5,6 0", "pointer 5,6 1", "pointer 5,6 0", "pointer 5,6 1", "pointer 5,6 0"],
  );
  t.equal(new Set(sent.map(({ atMs }) => atMs)).size, 6);
  t.ok((sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0) < 400, "before it is two clicks");
  t.equal(hand.barriers, 5 + 3, "waited for, and one for each release");
});

t.test("clicks that the target did not say it took are unverified", async (t) => {
  const hand = new Hand();
  hand.link.answers = false;
  t.equal((await hand.done(CLICK)).unverified, null);
  t.match((await hand.done({ ...CLICK, clicks: 2 })).unverified, /each click/);
});

/** Does an action while as much fake time passes as it takes. */
async function perform(hand: Hand, action: Action) {
  let isOver = false;
  const done = hand.performer.perform(action, {}).finally(() => {
    isOver = true;
  });
  while (!isOver) await hand.clock.live(5);
  return await done;
}

/** Does actions of which the target says that it took all, or all but the last end of a press. */
async function released(actions: readonly Action[], isTaken: boolean): Promise<Hand> {
  const hand = new Hand();
  const { link } = hand;
  const { pointer } = link;
  let wasDown = false;
  link.pointer = (x, y, buttons) => {
    pointer.call(link, x, y, buttons);
    if (wasDown && buttons === 0) link.answers = isTaken;
    wasDown = buttons !== 0;
  };
  for (const action of actions) await perform(hand, action);
  return hand;
}

t.test("what comes after a release that the target did not say it took is unverified", async (t) => {
  for (const release of [[CLICK], [DRAG], [DOWN, { ...DOWN, isDown: false }], [DOWN, RELEASE]]) {
    for (const next of [CLICK, { ...CLICK, clicks: 2 }, DRAG, DOWN]) {
      for (const isTaken of [false, true]) {
        // However long ago it was.
        for (const restMs of [0, 5000]) {
          const hand = await released(release, isTaken);
          await hand.clock.live(restMs);
          const done = perform(hand, next);
          await hand.clock.live(500);
          // Whatever was asked before is never answered, all that follows is.
          hand.link.answers = true;
          const { unverified } = await done;
          const what = `${release.map(({ kind }) => kind).join()}, ${next.kind} after ${restMs} ms`;
          if (isTaken) t.equal(unverified, null, what);
          else t.match(unverified, /did not say in time/, what);
        }
      }
    }
  }
});

t.test("keys that follow a click that the target did not say it took are unverified", async (t) => {
  for (const next of [CHORD, { ...CHORD, chords: [[0x61]] }, TEXT]) {
    for (const isTaken of [false, true]) {
      const hand = await released([CLICK], isTaken);
      const done = perform(hand, next);
      await hand.clock.live(500);
      hand.link.answers = true;
      const { unverified } = await done;
      if (isTaken) t.equal(unverified, null, next.kind);
      else t.match(unverified, /did not say in time/, next.kind);
    }
  }
});

t.test("a drag, a chord and a scroll that the target did not say it took are unverified", async (t) => {
  const scroll = { kind: "scroll", x: 5, y: 6, notchesX: 0, notchesY: 16, holdKeysyms: [] } as const;
  for (const action of [DRAG, CHORD, scroll]) {
    const hand = new Hand();
    t.equal((await perform(hand, action)).unverified, null);
    hand.link.answers = false;
    t.match((await perform(hand, action)).unverified, /did not say in time/);
  }
});

t.test("clicks further apart than programs take for one double click are unverified", async (t) => {
  for (const [delayMs, isSure] of [
    [100, true],
    [450, false],
  ] as const) {
    const hand = new Hand();
    const timing = { minDelayMs: delayMs, maxDelayMs: delayMs };
    const done = hand.performer.perform({ ...CLICK, clicks: 2 }, { timing });
    await hand.clock.live(90_000);
    const { unverified } = await done;
    if (isSure) t.equal(unverified, null);
    else t.match(unverified, /each as a single one/);
  }
});

t.test("a press waits until the release before it is over, and no longer", async (t) => {
  const up = { ...DOWN, isDown: false } as const;
  const isDown = (said: string): boolean => / [1-9]\d*$/.test(said);
  for (const first of [CLICK, DRAG, up]) {
    for (const next of [CLICK, DRAG, DOWN]) {
      // A drag ends elsewhere than where any of them begins.
      const wantedMs = first === DRAG || next === DRAG ? 120 : 30;
      for (const [restMs, least, most] of [
        [0, wantedMs, wantedMs + 5],
        [1000, 1000, 1005],
      ] as const) {
        const hand = new Hand();
        const actions = [...(first === up ? [DOWN] : []), first, next];
        const sent = await hand.timedEach(actions, restMs);
        const last = actions.length - 1;
        const press = sent.findIndex(({ said, of }) => of === last && isDown(said));
        const release = sent.findLastIndex(({ said, of }) => of < last && !isDown(said));
        const apartMs = (sent[press]?.atMs ?? Number.NaN) - (sent[release]?.atMs ?? Number.NaN);
        t.ok(apartMs >= least && apartMs <= most, `${first.kind}, ${next.kind}: ${apartMs} ms`);
      }
    }
  }
});

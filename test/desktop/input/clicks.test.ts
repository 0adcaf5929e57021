import t from "tap";
import { Hand } from "./hand.ts";

// Several clicks are several, and the presses of two actions are two.

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
  t.equal(hand.barriers, 5);
});

t.test("clicks that the target did not say it took are unverified", async (t) => {
  const hand = new Hand();
  hand.link.answers = false;
  const click = { kind: "click", x: 5, y: 6, button: "left", holdKeysyms: [] } as const;
  t.equal((await hand.done({ ...click, clicks: 1 })).unverified, null);
  t.match((await hand.done({ ...click, clicks: 2 })).unverified, /each click/);
});

t.test(
  "several clicks are unverified where the target did not say it took the release before them",
  async (t) => {
    for (const clicks of [1, 2]) {
      const hand = new Hand();
      const click = { kind: "click", x: 5, y: 6, button: "left", holdKeysyms: [] } as const;
      await hand.performer.perform({ ...click, clicks: 1 }, {});
      hand.link.answers = false;
      const done = hand.performer.perform({ ...click, clicks }, {});
      await hand.clock.live(500);
      // Whatever was asked before is never answered, all that follows is.
      hand.link.answers = true;
      await hand.clock.live(90_000);
      const { unverified } = await done;
      if (clicks === 1) t.equal(unverified, null);
      else t.match(unverified, /each click/);
    }
  },
);

t.test("clicks further apart than programs take for one double click are unverified", async (t) => {
  for (const [delayMs, isSure] of [
    [100, true],
    [450, false],
  ] as const) {
    const hand = new Hand();
    const timing = { minDelayMs: delayMs, maxDelayMs: delayMs };
    const click = { kind: "click", x: 5, y: 6, button: "left", clicks: 2, holdKeysyms: [] } as const;
    const done = hand.performer.perform(click, { timing });
    await hand.clock.live(90_000);
    const { unverified } = await done;
    if (isSure) t.equal(unverified, null);
    else t.match(unverified, /each as a single one/);
  }
});

t.test("a press waits until the release before it is over, and no longer", async (t) => {
  const click = { kind: "click", x: 5, y: 6, button: "left", clicks: 1, holdKeysyms: [] } as const;
  const path = [
    { x: 10, y: 10 },
    { x: 90, y: 10 },
  ];
  const drag = { kind: "drag", path, button: "left", holdKeysyms: [], durationMs: null } as const;
  const down = { kind: "button", x: 5, y: 6, button: "left", isDown: true } as const;
  const up = { ...down, isDown: false } as const;
  const isDown = (said: string): boolean => / [1-9]\d*$/.test(said);
  for (const first of [click, drag, up]) {
    for (const next of [click, drag, down]) {
      // A drag ends elsewhere than where any of them begins.
      const wantedMs = first === drag || next === drag ? 120 : 30;
      for (const [restMs, least, most] of [
        [0, wantedMs, wantedMs + 5],
        [1000, 1000, 1005],
      ] as const) {
        const hand = new Hand();
        const actions = [...(first === up ? [down] : []), first, next];
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

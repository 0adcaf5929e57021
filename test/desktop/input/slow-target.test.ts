import t, { type Test } from "tap";
import type { Action } from "../../../src/desktop/control/action.ts";
import { Input } from "../../../src/desktop/input/input.ts";
import { Performer } from "../../../src/desktop/input/performer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";

// A target that answers late has programs that see late what they are given: they get more time for it.

const DRAG: Action = {
  ...{ kind: "drag", button: "left", holdKeysyms: [], durationMs: null },
  path: [
    { x: 0, y: 0 },
    { x: 50, y: 0 },
    { x: 50, y: 50 },
  ],
};
const CHORD: Action = {
  kind: "chords",
  chords: [[0xffe9, 0xff09]],
  names: ["Alt+Tab"],
  repeat: 1,
  holdMs: 0,
};

/** How long each of two runs of an action takes: the first finds out how quick the target can be. */
async function took(
  t: Test,
  action: Action,
  [quick, late]: readonly [number, number],
  isFenced = true,
  reactionMs = 0,
) {
  const clock = new FakeClock();
  const link = new FakeLink();
  link.isFenced = isFenced;
  let answerMs = quick;
  link.barrier = () => new Promise((resolve) => clock.after(answerMs, resolve));
  const input = new Input();
  input.attach(link);
  const ports = { bounds: () => rect(0, 0, 200, 100), random: () => 0.5, reactionMs: () => reactionMs };
  const performer = new Performer(input, ports, clock);
  const run = async (): Promise<number> => {
    const sinceMs = clock.nowMs();
    let endMs = 0;
    const done = performer.perform(action, {}).then(() => {
      endMs = clock.nowMs();
    });
    await clock.live(90_000);
    await done;
    t.equal(input.heldCount, 0);
    return endMs - sinceMs;
  };
  const first = await run();
  answerMs = late;
  return { first, later: await run() };
}

t.test("the later a target answers, the longer it has for a drag and a chord", async (t) => {
  for (const action of [DRAG, CHORD]) {
    const same = await took(t, action, [30, 30]);
    t.equal(same.later, same.first, "what the way there takes is no lateness");
    const slow = await took(t, action, [0, 20]);
    const slower = await took(t, action, [0, 40]);
    t.ok(slow.later > slow.first + 3 * 20, `${slow.later} ms after ${slow.first}`);
    t.ok(slower.later > slow.later);
  }
});

t.test("a target that looks for pixels now and then tells nothing of its programs", async (t) => {
  const slow = await took(t, DRAG, [0, 40], false);
  t.ok(slow.later <= slow.first + 4 * 40, `${slow.later} ms after ${slow.first}`);
});

t.test("keys stay down until a target that stood still has taken them", async (t) => {
  const still = await took(t, CHORD, [0, 600]);
  // Two answers and the time for its programs; one that answers with its pixels may have had the keys all along.
  t.ok(still.later >= 2 * 600 + 300, `${still.later} ms`);
  const unfenced = await took(t, CHORD, [0, 600], false);
  t.ok(unfenced.later < 2 * 600, `${unfenced.later} ms`);
});

t.test("a path of many points takes no more than so much longer", async (t) => {
  const path = Array.from({ length: 101 }, (_, i) => ({ x: i, y: i % 2 }));
  const { first, later } = await took(t, { ...DRAG, path }, [0, 100]);
  // Four rests at the ends of 500 ms at most, 5 s for the points, and each answer itself.
  t.ok(later - first <= 4 * 500 + 5000 + 104 * 100, `${later - first} ms longer`);
});

t.test(
  "a drag rests longer where programs showed late what they did, though the target is quick",
  async (t) => {
    const usual = (await took(t, DRAG, [0, 0])).first;
    t.equal((await took(t, DRAG, [0, 0], true, 60)).first, usual, "a quick desktop is not waited for");
    const late = (await took(t, DRAG, [0, 0], true, 700)).first;
    // At the press, the first small move, just before the end and at the end.
    t.equal(late - usual, 4 * 600);
  },
);

t.test(
  "the modifiers of a chord stay down longer where programs were late, and no longer than keys may",
  async (t) => {
    const usual = (await took(t, CHORD, [0, 0])).first;
    t.equal((await took(t, CHORD, [0, 0], true, 50)).first, usual, "a quick desktop is not waited for");
    // While they are down, and before the next key.
    t.equal((await took(t, CHORD, [0, 0], true, 200)).first - usual, 2 * 150);
    t.equal((await took(t, CHORD, [0, 0], true, 1500)).first - usual, 2 * 300);
  },
);

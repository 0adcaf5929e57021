import t from "tap";
import { LoopTurns, loopTurns, nextTurn, Slice, type WorkKind } from "../../src/platform/loop-turns.ts";
import { FakeClock } from "../fake-clock.ts";

t.test(
  "of all who work in slices one goes on in each turn of the loop, in the order of asking",
  async (t) => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const went: { readonly who: number; readonly turn: number }[] = [];
    const work = async (who: number): Promise<void> => {
      for (let slice = 0; slice < 3; slice++) {
        await nextTurn();
        went.push({ who, turn });
      }
    };
    const all = Array.from({ length: 20 }, (_, who) => work(who));
    t.ok(loopTurns.isShared);
    await Promise.all(all);
    isOver = true;
    t.equal(went.length, 60);
    t.equal(new Set(went.map((slice) => slice.turn)).size, 60, "no turn held two slices");
    t.same(
      went.slice(0, 40).map(({ who }) => who),
      Array.from({ length: 40 }, (_, i) => i % 20),
      "nobody goes on twice before all went once",
    );
    t.notOk(loopTurns.isShared);
  },
);

t.test("a turn is claimed once: who comes next waits, and the turn after is free again", async (t) => {
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(loopTurns.claim(), null);
  const second = loopTurns.claim();
  const third = loopTurns.claim();
  t.ok(second !== null && third !== null);
  await second;
  await third;
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(loopTurns.claim(), null);
});

t.test("while connections arrive slices wait, and go on all the same", async (t) => {
  let turn = 0;
  let arriving = 100;
  const arrive = (): void => {
    turn++;
    if (arriving-- === 0) return;
    loopTurns.arrived();
    setImmediate(arrive);
  };
  const went: number[] = [];
  const work = async (): Promise<void> => {
    for (let slice = 0; slice < 5; slice++) {
      await nextTurn();
      went.push(turn);
    }
  };
  arrive();
  await work();
  const during = went.filter((at) => at <= 100).length;
  t.ok(during >= 2 && during <= 4, `${during} slices in 100 turns in which somebody arrived`);
});

/** Work of several kinds whose pieces take time of a fake clock, and what each turn of the loop held of them. */
class Workers {
  readonly turns = new LoopTurns();
  readonly clock = new FakeClock();
  /** Milliseconds of work in each turn of the loop so far. */
  readonly heldMs: number[] = [0];
  readonly done = new Map<string, number>();
  #isOver = false;

  constructor() {
    const count = (): void => {
      this.heldMs.push(0);
      if (!this.#isOver) setImmediate(count);
    };
    setImmediate(count);
  }

  end(): void {
    this.#isOver = true;
  }

  work(name: string, ms: number): void {
    this.clock.advance(ms);
    this.heldMs.push((this.heldMs.pop() ?? 0) + ms);
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
  }

  /** Pieces done as soon as there is time for them, as targets are read and viewers are encoded for. */
  async pieces(kind: WorkKind, name: string, count: number, ms: number): Promise<void> {
    const piece = (): void => {
      this.work(name, ms);
      this.turns.took(kind, ms);
    };
    for (let left = count; left > 0; left--) {
      if (this.turns.hasTimeFor(kind, ms)) {
        piece();
        continue;
      }
      await new Promise<void>((resolve) => {
        this.turns.next(kind, ms, () => {
          piece();
          resolve();
        });
      });
    }
  }

  /** As pictures are made: steps of half a millisecond in slices. */
  async slices(name: string, steps: number): Promise<void> {
    const slice = new Slice("free", this.turns, () => this.clock.nowMs());
    for (let step = 0; step < steps; step++) {
      if (slice.isOver) await slice.next();
      this.work(name, 0.5);
    }
  }
}

t.test("work of several kinds shares one budget of a turn, and all of it goes on", async (t) => {
  const workers = new Workers();
  await Promise.all([
    ...["a", "b", "c", "d"].map((name) => workers.pieces("targets", name, 50, 2)),
    ...["e", "f"].map((name) => workers.pieces("viewers", name, 50, 1)),
    ...["g", "h"].map((name) => workers.slices(name, 200)),
    workers.pieces("copies", "i", 50, 2),
  ]);
  workers.end();
  const longest = Math.max(...workers.heldMs);
  t.ok(longest <= 8, `the longest turn held ${longest} ms of work`);
  t.equal(workers.done.size, 9);
  const all = 4 * 50 * 2 + 2 * 50 + 2 * 200 * 0.5 + 50 * 2;
  t.ok(workers.heldMs.length <= all / 3, `${workers.heldMs.length} turns for ${all} ms of work`);
});

t.test("two kinds that fill a turn by themselves do not add up in one", async (t) => {
  const workers = new Workers();
  await Promise.all([
    workers.pieces("targets", "targets", 60, 3),
    workers.pieces("viewers", "viewers", 60, 3),
    workers.slices("pictures", 300),
  ]);
  workers.end();
  t.ok(Math.max(...workers.heldMs) <= 8, `the longest turn held ${Math.max(...workers.heldMs)} ms of work`);
});

t.test("a piece longer than a turn is done, alone, however much of other kinds waits", async (t) => {
  const workers = new Workers();
  const order: string[] = [];
  const flood = workers.pieces("targets", "targets", 400, 2);
  await workers.pieces("viewers", "viewers", 3, 20).then(() => order.push("viewers"));
  order.push(workers.done.get("targets") === 400 ? "late" : "among the others");
  await flood;
  workers.end();
  t.same(order, ["viewers", "among the others"]);
  t.ok(Math.max(...workers.heldMs) <= 20, "nothing went on beside it");
});

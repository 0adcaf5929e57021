import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/platform/clock.ts";
import { FileLock } from "../../src/platform/file-lock.ts";

t.test("those who want the same lock hold it one after the other, by one object or by several", async (t) => {
  const path = join(t.testdir(), "some.lock");
  const shared = new FileLock(path, systemClock);
  let holders = 0;
  let most = 0;
  const held: number[] = [];
  const hold = (lock: FileLock, nth: number): Promise<void> =>
    lock.hold(async () => {
      most = Math.max(most, ++holders);
      await new Promise(setImmediate);
      held.push(nth);
      holders--;
    });
  await Promise.all([
    hold(shared, 1),
    hold(shared, 2),
    hold(new FileLock(path, systemClock), 3),
    hold(shared, 4),
  ]);
  t.equal(most, 1);
  t.same(held, [1, 2, 3, 4]);
});

t.test("who fails while it holds a lock lets the next one have it", async (t) => {
  const lock = new FileLock(join(t.testdir(), "some.lock"), systemClock);
  const [failed, next] = await Promise.allSettled([
    lock.hold(() => Promise.reject(new Error("no"))),
    lock.hold(() => Promise.resolve("held")),
  ]);
  t.equal(failed.status, "rejected");
  t.same(next, { status: "fulfilled", value: "held" });
});

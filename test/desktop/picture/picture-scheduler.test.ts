import t from "tap";
import { PictureScheduler } from "../../../src/desktop/picture/picture-scheduler.ts";

const NEVER = new AbortController().signal;

/** What begins by itself has begun. */
const begun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Pictures that are done when the test says so. */
function studio(turns: PictureScheduler) {
  const open: (() => void)[] = [];
  const ask = (who: string, signal = NEVER): Promise<string> =>
    turns.run(who, signal, () => new Promise((resolve) => open.push(() => resolve(who))));
  return { open, ask };
}

t.test("four pictures of a principal are made at a time, the others in the order of asking", async (t) => {
  const turns = new PictureScheduler();
  const { open, ask } = studio(turns);
  const asked = Array.from({ length: 6 }, () => ask("a"));
  const other = ask("b");
  await begun();
  t.equal(open.length, 5, "four of the one, and nobody waits for somebody else");
  open[0]?.();
  t.equal(await asked[0], "a");
  await begun();
  t.equal(open.length, 6);
  for (let n = 1; n < 6; n++) open[n]?.();
  await asked[3];
  await begun();
  open[6]?.();
  await Promise.all([...asked, other]);
  t.equal(turns.size, 0, "nothing is left");
});

t.test("more than wait in line are refused with the time to come back", async (t) => {
  const turns = new PictureScheduler();
  const { open, ask } = studio(turns);
  const asked = Array.from({ length: 64 }, () => ask("a"));
  await t.rejects(ask("a"), { code: "rate_limited", retryAfterMs: 1000 });
  for (let n = 0; n < asked.length; n++) {
    await begun();
    open[n]?.();
    await asked[n];
  }
  t.equal(turns.size, 0);
});

t.test("who goes away while waiting, and what fails, makes room for the next", async (t) => {
  const turns = new PictureScheduler();
  const { open, ask } = studio(turns);
  const first = Array.from({ length: 3 }, () => ask("a"));
  const broken = turns.run("a", NEVER, () => Promise.reject(new Error("broken")));
  const gone = new AbortController();
  const left = ask("a", gone.signal);
  const last = ask("a");
  gone.abort(new Error("gone"));
  await t.rejects(broken, { message: "broken" });
  await t.rejects(left, { message: "gone" });
  await begun();
  t.equal(open.length, 4);
  for (const end of open) end();
  await Promise.all([...first, last]);
  t.equal(turns.size, 0);
});

t.test("who goes away while waiting is told at once, and its place in line is free", async (t) => {
  const turns = new PictureScheduler({ mostAtOnce: 1, mostWaiting: 1 });
  const { open, ask } = studio(turns);
  const first = ask("a");
  const gone = new AbortController();
  const left = ask("a", gone.signal);
  const refused = t.rejects(left, { message: "gone" });
  await begun();
  gone.abort(new Error("gone"));
  await refused;
  const next = ask("a");
  open[0]?.();
  t.equal(await first, "a");
  await begun();
  open[1]?.();
  t.equal(await next, "a");
  t.equal(turns.size, 0);
});

t.test("of all together so many are made at a time, by turns, and what is urgent goes first", async (t) => {
  const turns = new PictureScheduler({ mostInAll: 1, mostAtOnce: 4, mostWaiting: 60 });
  const order: string[] = [];
  let end = (): void => {};
  const first = turns.run("a", NEVER, () => new Promise<void>((resolve) => (end = resolve)));
  const ask = (who: string, urgency: "act" | "look" | "glance"): Promise<void> =>
    turns.run(who, NEVER, async () => void order.push(`${who} ${urgency}`), urgency);
  const asked = [
    ask("a", "glance"),
    ask("a", "look"),
    ask("a", "look"),
    ask("b", "look"),
    ask("c", "look"),
    ask("c", "act"),
  ];
  await begun();
  end();
  await Promise.all([first, ...asked]);
  t.same(order, ["c act", "a look", "b look", "c look", "a look", "a glance"]);
  t.equal(turns.size, 0);
});

import t from "tap";
import { CredentialWatch } from "../../src/auth/credential-watch.ts";
import { FakeClock } from "../fake-clock.ts";

function watched(...valid: string[]) {
  const clock = new FakeClock();
  const right = new Set(valid);
  const watch = new CredentialWatch<string>((credential) => right.has(credential), clock);
  const voided: string[] = [];
  const add = (name: string) => watch.add(name, () => voided.push(name));
  return { clock, right, watch, voided, add };
}

t.test("who watches is told once, within a second, and others go on", async (t) => {
  const { clock, right, watch, voided, add } = watched("a", "b");
  add("a");
  add("b");
  clock.advance(1000);
  t.same(voided, []);
  right.delete("a");
  clock.advance(1000);
  t.same(voided, ["a"]);
  t.equal(watch.size, 1);
  clock.advance(5000);
  t.same(voided, ["a"]);
  right.delete("b");
  clock.advance(1000);
  t.same(voided, ["a", "b"]);
  t.equal(clock.waiting, 0, "nobody is watched: no timer");
});

t.test("who knows of an end has all looked at in that moment", async (t) => {
  const { clock, right, watch, voided, add } = watched("a", "b");
  add("a");
  add("b");
  right.delete("a");
  watch.check();
  t.same(voided, ["a"]);
  watch.check();
  clock.advance(1000);
  t.same(voided, ["a"], "once");
});

t.test("who stops watching is not told, and the last leaves no timer", async (t) => {
  const { clock, right, watch, voided, add } = watched("a");
  const stop = [add("a"), add("a")];
  stop[0]?.();
  t.equal(clock.waiting, 1, "one timer for all");
  stop[1]?.();
  stop[1]?.();
  t.equal(watch.size, 0);
  t.equal(clock.waiting, 0);
  right.delete("a");
  clock.advance(5000);
  t.same(voided, []);
  add("a");
  clock.advance(1000);
  t.same(voided, ["a"], "it begins again");
});

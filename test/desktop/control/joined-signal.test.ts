import { getEventListeners } from "node:events";
import t from "tap";
import { joinSignals } from "../../../src/desktop/control/joined-signal.ts";

t.test("the first one that aborts says why, also where it did so before", async (t) => {
  const [stop, call] = [new AbortController(), new AbortController()];
  const { signal } = joinSignals([stop.signal, call.signal]);
  t.notOk(signal.aborted);
  call.abort("the call");
  stop.abort("the stop");
  t.equal(signal.reason, "the call");
  t.equal(joinSignals([stop.signal]).signal.reason, "the stop");
  t.notOk(joinSignals([]).signal.aborted);
});

t.test("let go, it leaves nothing behind in the others", async (t) => {
  const stop = new AbortController();
  const joined = Array.from({ length: 5 }, () => joinSignals([stop.signal]));
  t.equal(getEventListeners(stop.signal, "abort").length, 5);
  for (const { release } of joined) release();
  t.equal(getEventListeners(stop.signal, "abort").length, 0);
  stop.abort();
  t.notOk(joined[0]?.signal.aborted);
});

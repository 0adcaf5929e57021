import { getEventListeners } from "node:events";
import t from "tap";
import { RunningActions } from "../../../src/desktop/control/running-actions.ts";

/** An action that goes on until it is called off; resolves with why. */
function running(actions: RunningActions, isHuman: boolean, caller?: AbortSignal, isUnderWay = false) {
  return actions.run(isHuman, caller, async (action) => {
    if (isUnderWay) action.begin();
    if (!action.signal.aborted) {
      await new Promise((resolve) => action.signal.addEventListener("abort", resolve, { once: true }));
    }
    return action.signal.reason;
  });
}

t.test("the first reason counts, also one from before", async (t) => {
  const actions = new RunningActions();
  const call = new AbortController();
  const called = running(actions, false, call.signal);
  call.abort("the call");
  actions.end(new Error("a stop"), true);
  t.equal(await called, "the call");
  t.equal(await running(actions, false, call.signal), "the call");
});

t.test("nothing of an action that is over stays in its caller's signal", async (t) => {
  const actions = new RunningActions();
  const call = new AbortController();
  const all = Array.from({ length: 5 }, () => running(actions, false, call.signal));
  t.equal(getEventListeners(call.signal, "abort").length, 5);
  actions.end(new Error("a stop"), true);
  await Promise.all(all);
  t.equal(getEventListeners(call.signal, "abort").length, 0);
});

t.test("a stop ends all of agents and what is under way; a lost target only that", async (t) => {
  const actions = new RunningActions();
  const ended: string[] = [];
  const start = (name: string, isHuman: boolean, isUnderWay: boolean) =>
    running(actions, isHuman, undefined, isUnderWay).then(() => ended.push(name));
  const all = [
    start("agent asking", false, false),
    start("agent acting", false, true),
    start("person acting", true, true),
  ];
  actions.end(new Error("lost"), false);
  await Promise.all(all.slice(1));
  t.same(ended, ["agent acting", "person acting"]);
  const asking = start("person asking", true, false);
  actions.end(new Error("a stop"), true);
  await all[0];
  t.equal(ended.at(-1), "agent asking");
  t.notOk(ended.includes("person asking"));
  void asking;
});

t.test("new rules end what they do not let be done", async (t) => {
  const actions = new RunningActions();
  const reason = new Error("not any more");
  let isAllowed = true;
  const act = (check?: () => void) =>
    actions.run(false, undefined, async (action) => {
      if (check !== undefined) action.begin(check);
      await new Promise((resolve) => setImmediate(resolve));
      action.signal.throwIfAborted();
    });
  const acting = () =>
    act(() => {
      if (!isAllowed) throw reason;
    });
  const allowed = acting();
  actions.recheck();
  await t.resolves(allowed);
  isAllowed = false;
  const refused = acting();
  const asking = act();
  actions.recheck();
  await t.rejects(refused, reason);
  await t.resolves(asking, "what has not begun is judged when its turn comes");
});

import t from "tap";
import { AgentRates, type RateClass } from "../../../src/desktop/control/agent-rates.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { FakeClock } from "../../fake-clock.ts";

const SOMEONE = { id: "someone", role: "agent" };

function takeAll(limits: AgentRates, rateClass: RateClass, who = SOMEONE): number {
  for (let taken = 0; ; taken++) {
    try {
      limits.take(rateClass, who, "desktop");
    } catch (error) {
      if (error instanceof RefusedError && error.code === "rate_limited") return taken;
      throw error;
    }
  }
}

t.test("screenshots: 10 at once, 10 a second, 60 in a burst, then 1 a second", async (t) => {
  const clock = new FakeClock();
  const limits = new AgentRates(clock, { isOn: true });
  let total = 0;
  for (let second = 0; second < 6; second++) {
    total += takeAll(limits, "screenshot");
    clock.advance(1000);
  }
  t.equal(total, 60);
  t.ok(takeAll(limits, "screenshot") <= 6, "what came back meanwhile");
  clock.advance(10_000);
  t.equal(takeAll(limits, "screenshot"), 10);
});

t.test("each class gets back what its rate says, and no more than its burst", async (t) => {
  for (const [rateClass, burst, inASecond] of [
    ["default", 20, 10],
    ["input", 10, 5],
    ["autopilot_input", 40, 20],
    ["overlay", 40, 20],
  ] as const) {
    const clock = new FakeClock();
    const limits = new AgentRates(clock, { isOn: true });
    t.equal(takeAll(limits, rateClass), burst);
    clock.advance(1000);
    t.equal(takeAll(limits, rateClass), inASecond);
    clock.advance(3_600_000);
    t.equal(takeAll(limits, rateClass), burst);
  }
});

t.test("connection tests: 10 a minute, and it says how long to wait", async (t) => {
  const clock = new FakeClock();
  const limits = new AgentRates(clock, { isOn: true });
  t.equal(takeAll(limits, "connection_test"), 10);
  try {
    limits.take("connection_test", SOMEONE, "desktop");
    t.fail("it went through");
  } catch (error) {
    t.match(error, { code: "rate_limited", retryAfterMs: 6000 });
  }
  clock.advance(6000);
  t.equal(takeAll(limits, "connection_test"), 1);
});

t.test("what one caller takes on one desktop is no other's, and not another desktop's", async (t) => {
  const limits = new AgentRates(new FakeClock(), { isOn: true });
  t.equal(takeAll(limits, "input"), 10);
  t.equal(takeAll(limits, "input"), 0);
  t.doesNotThrow(() => limits.take("input", { ...SOMEONE, id: "someone else" }, "desktop"));
  t.doesNotThrow(() => limits.take("input", SOMEONE, "another desktop"));
});

t.test("what is given back can be taken again", async (t) => {
  const limits = new AgentRates(new FakeClock(), { isOn: true });
  const giveBack = limits.take("input", SOMEONE, "desktop");
  t.equal(takeAll(limits, "input"), 9);
  giveBack();
  t.equal(takeAll(limits, "input"), 1);
});

t.test("switched off, nothing is counted", async (t) => {
  const limits = new AgentRates(new FakeClock(), { isOn: false });
  for (let i = 0; i < 1000; i++) limits.take("input", SOMEONE, "desktop");
  t.pass("no refusal");
});

t.test("memory is bounded however many callers come", async (t) => {
  const limits = new AgentRates(new FakeClock(), { isOn: true });
  takeAll(limits, "input");
  for (let i = 0; i < 10_001; i++) limits.take("input", { ...SOMEONE, id: `caller ${i}` }, "desktop");
  t.equal(takeAll(limits, "input"), 10, "the oldest was forgotten");
});

t.test("rates are as the configuration says, for a role before all, and the rest is as usual", async (t) => {
  const clock = new FakeClock();
  const limits = new AgentRates(clock, {
    isOn: true,
    rates: { input: "2/s", overlay: "1/min burst 3 and 2/s" },
    ofRoles: { operator: { input: "3/s burst 7" } },
  });
  t.equal(takeAll(limits, "input"), 2);
  t.equal(takeAll(limits, "default"), 20);
  t.equal(takeAll(limits, "input", { id: "other", role: "operator" }), 7);
  t.equal(takeAll(limits, "overlay"), 2);
  clock.advance(1000);
  t.equal(takeAll(limits, "overlay"), 1, "both rates are kept");
  t.throws(() => limits.take("overlay", SOMEONE, "desktop"), {
    code: "rate_limited",
    message: /more than 3 at once and 1 a minute, or 2 at once and 2 a second$/,
  });
});

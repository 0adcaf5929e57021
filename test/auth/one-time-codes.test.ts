import t from "tap";
import { OneTimeCodes } from "../../src/auth/one-time-codes.ts";
import { FakeClock } from "../fake-clock.ts";

const ADMIN = { id: "a", name: "Admin", role: "admin" } as const;

t.test("a code works once", async (t) => {
  const codes = new OneTimeCodes(new FakeClock());
  const code = codes.issue(ADMIN);
  t.equal(codes.redeem("not it"), null);
  t.equal(codes.redeem(code), ADMIN);
  t.equal(codes.redeem(code), null);
});

t.test("a code is void after ten minutes", async (t) => {
  const clock = new FakeClock();
  const codes = new OneTimeCodes(clock);
  const young = codes.issue(ADMIN);
  clock.advance(10 * 60_000 - 1);
  t.equal(codes.redeem(young), ADMIN);
  const old = codes.issue(ADMIN);
  clock.advance(10 * 60_000);
  t.equal(codes.redeem(old), null);
});

t.test("no more than 64 codes are open, and the newest are", async (t) => {
  const codes = new OneTimeCodes(new FakeClock());
  const issued = Array.from({ length: 65 }, () => codes.issue(ADMIN));
  t.equal(codes.redeem(issued[0] ?? ""), null);
  t.equal(codes.redeem(issued[1] ?? ""), ADMIN);
  t.equal(codes.redeem(issued[64] ?? ""), ADMIN);
});

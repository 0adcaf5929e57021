import t from "tap";
import { addressKey } from "../../src/auth/address.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { FakeClock } from "../fake-clock.ts";

t.test(
  "five failures lock for ten seconds, and each further one doubles it up to five minutes",
  async (t) => {
    const clock = new FakeClock();
    const lockout = new Lockout(clock);
    const waits = [];
    for (let failure = 0; failure < 12; failure++) {
      waits.push(lockout.fail("10.0.0.1") / 1000);
      clock.advance(lockout.waitMs("10.0.0.1"));
      t.equal(lockout.waitMs("10.0.0.1"), 0);
    }
    t.strictSame(waits, [0, 0, 0, 0, 10, 20, 40, 80, 160, 300, 300, 300]);
  },
);

t.test("other addresses are not touched, and a success clears the count", async (t) => {
  const lockout = new Lockout(new FakeClock());
  for (let failure = 0; failure < 5; failure++) lockout.fail("10.0.0.1");
  t.equal(lockout.waitMs("10.0.0.1"), 10_000);
  t.equal(lockout.waitMs("10.0.0.2"), 0);
  lockout.succeed("10.0.0.1");
  t.equal(lockout.waitMs("10.0.0.1"), 0);
  t.equal(lockout.fail("10.0.0.1"), 0);
});

t.test("an address that was quiet for a quarter of an hour starts anew", async (t) => {
  const clock = new FakeClock();
  const lockout = new Lockout(clock);
  for (let failure = 0; failure < 7; failure++) lockout.fail("10.0.0.1");
  clock.advance(15 * 60_000 + 40_000);
  t.equal(lockout.fail("10.0.0.1"), 0);
});

t.test("the table is bounded however many addresses fail", async (t) => {
  const lockout = new Lockout(new FakeClock());
  for (let n = 0; n < 20_000; n++) lockout.fail(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  t.equal(lockout.size, 10_000);
});

t.test("IPv6 is counted by /64, mapped IPv4 as IPv4", async (t) => {
  t.equal(addressKey("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  t.equal(addressKey("2001:DB8:1:2::9"), "2001:db8:1:2::/64");
  t.equal(addressKey("2001:db8::9"), "2001:db8:0:0::/64");
  t.equal(addressKey("::1"), "0:0:0:0::/64");
  t.equal(addressKey("fe80::1%eth0"), "fe80:0:0:0::/64");
  t.equal(addressKey("::ffff:10.0.0.1"), "10.0.0.1");
  t.equal(addressKey("10.0.0.1"), "10.0.0.1");
});

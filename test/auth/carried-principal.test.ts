import t from "tap";
import { carriedPrincipal, principalCarried } from "../../src/auth/carried-principal.ts";
import type { Principal } from "../../src/auth/principal.ts";
import { FakeClock } from "../fake-clock.ts";

const ANN: Principal = { id: "t1", name: "Ann", role: "operator", desktops: ["d1"], ip: "192.0.2.1" };

t.test("who calls is at the other node who they are here", async (t) => {
  const [here, there] = [new FakeClock(), new FakeClock()];
  there.advance(5000);
  const guest = { hostId: "t1", endsAtMs: here.nowMs() + 60_000, isViewOnly: true };
  const all: readonly Principal[] = [
    ANN,
    { ...ANN, door: "vnc" },
    { ...ANN, toolsets: ["core"], owner: "p1", mayElicit: true },
    { ...ANN, guest },
  ];
  for (const one of all) {
    const told = JSON.parse(JSON.stringify(carriedPrincipal(one, here)));
    const ends = { ...guest, endsAtMs: there.nowMs() + 60_000 };
    const wanted = { ...one, via: "a", ...(one.guest === undefined ? {} : { guest: ends }) };
    t.same(principalCarried(told, "a", there), wanted);
  }
  t.equal(principalCarried({ ...ANN, role: "king" }, "a", there), null);
  t.equal(principalCarried({ name: "nobody" }, "a", there), null);
});

t.test("what a later version tells beside it is left out, but for what nobody may leave out", async (t) => {
  const clock = new FakeClock();
  const ann = { ...ANN, via: "a" };
  t.same(principalCarried({ ...ANN, door: "hatch", badge: 7 }, "a", clock), ann);
  t.same(principalCarried({ ...ANN, mustKnow: ["desktops"] }, "a", clock), ann);
  t.equal(principalCarried({ ...ANN, hours: "9-17", mustKnow: ["hours"] }, "a", clock), null);
});

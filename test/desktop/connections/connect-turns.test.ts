import t from "tap";
import { ConnectTurns } from "../../../src/desktop/connections/connect-turns.ts";
import { FakeClock } from "../../fake-clock.ts";

function setUp() {
  const clock = new FakeClock();
  const turns = new ConnectTurns(clock);
  const begun: string[] = [];
  const take = (host: string, name: string) => turns.take(host, () => begun.push(name));
  return { clock, begun, take };
}

t.test("four handshakes with a host are under way at once, the others follow in their order", async (t) => {
  const { begun, take } = setUp();
  const ends = ["a", "b", "c", "d", "e", "f"].map((name) => take("Host.example", name));
  t.same(begun, ["a", "b", "c", "d"]);
  take("other.example", "other");
  t.equal(begun.at(-1), "other", "another host waits for nobody");
  ends[1]?.();
  ends[1]?.();
  t.same(begun.slice(5), ["e"], "one more for one that is over, however often that is said");
  ends[2]?.();
  t.same(begun.slice(5), ["e", "f"]);
  take("host.example", "g");
  t.equal(begun.length, 7, "the same host in other letters");
  for (const end of ends) end();
  t.equal(begun.at(-1), "g");
});

t.test("one that is not wanted any more never begins, and one that is slow holds nobody up", async (t) => {
  const { clock, begun, take } = setUp();
  const ends = ["a", "b", "c", "d", "e", "f"].map((name) => take("host", name));
  ends[4]?.();
  clock.advance(999);
  t.same(begun, ["a", "b", "c", "d"]);
  clock.advance(1);
  t.same(begun.slice(4), ["f"]);
  ends[0]?.();
  for (const name of ["g", "h", "i", "j"]) take("host", name);
  t.same(begun.slice(4), ["f", "g", "h", "i"], "the slow ones, which end later, count once");
});

import t from "tap";
import {
  IDLE_MS,
  MAX_SESSIONS,
  MAX_SESSIONS_A_PRINCIPAL,
  Sessions,
} from "../../../src/mcp/server/sessions.ts";
import { FakeClock } from "../../fake-clock.ts";

function make() {
  const clock = new FakeClock();
  const ended: string[] = [];
  return { clock, ended, sessions: new Sessions<string>(clock, (value) => ended.push(value)) };
}

t.test("a session belongs to the principal that opened it", async (t) => {
  const { sessions } = make();
  sessions.add("id", "ann", "hers");
  t.equal(sessions.get("id", "ann"), "hers");
  t.equal(sessions.get("id", "bob"), null);
  t.equal(sessions.get("other", "ann"), null);
});

t.test("an idle session ends after half an hour, one in use does not", async (t) => {
  const { clock, ended, sessions } = make();
  sessions.add("idle", "ann", "idle");
  sessions.add("busy", "ann", "busy");
  sessions.add("touched", "ann", "touched");
  const release = sessions.use("busy");
  clock.advance(IDLE_MS - 1);
  sessions.use("touched")();
  t.same(ended, []);
  clock.advance(1);
  t.same(ended, ["idle"]);
  clock.advance(IDLE_MS - 1);
  t.same(ended, ["idle", "touched"]);
  release();
  release();
  clock.advance(2 * IDLE_MS);
  t.same(ended, ["idle", "touched", "busy"]);
  t.equal(sessions.size, 0);
});

t.test("a principal that opens too many loses its own idlest", async (t) => {
  const { clock, ended, sessions } = make();
  sessions.add("other", "bob", "other");
  for (let i = 0; i < MAX_SESSIONS_A_PRINCIPAL; i++) {
    clock.advance(1);
    t.ok(sessions.makeRoom("ann"));
    sessions.add(`${i}`, "ann", `${i}`);
  }
  sessions.use("0");
  t.ok(sessions.makeRoom("ann"));
  t.same(ended, ["1"]);
});

t.test("when every session is in use there is no room", async (t) => {
  const { ended, sessions } = make();
  for (let i = 0; i < MAX_SESSIONS; i++) {
    sessions.add(`${i}`, `principal ${i % 10}`, `${i}`);
    sessions.use(`${i}`);
  }
  t.notOk(sessions.makeRoom("somebody new"));
  sessions.add("idle", "principal 1", "idle");
  t.ok(sessions.makeRoom("somebody new"));
  t.same(ended, ["idle"]);
});

t.test("each session ends once", async (t) => {
  const { clock, ended, sessions } = make();
  sessions.add("a", "ann", "a");
  sessions.add("b", "ann", "b");
  sessions.end("a");
  sessions.end("a");
  sessions.close();
  clock.advance(2 * IDLE_MS);
  t.same(ended, ["a", "b"]);
});

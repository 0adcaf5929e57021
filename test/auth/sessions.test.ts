import t from "tap";
import { Sessions } from "../../src/auth/sessions.ts";
import { FakeClock } from "../fake-clock.ts";

const ADMIN = { id: "a", name: "Admin", role: "admin" } as const;

t.test("a session is found by its identifier until it is ended", async (t) => {
  const sessions = new Sessions(new FakeClock());
  const id = sessions.open(ADMIN);
  t.match(id, /^[A-Za-z0-9_-]{43}$/);
  t.not(sessions.open(ADMIN), id);
  t.equal(sessions.find(id), ADMIN);
  t.equal(sessions.find(`${id}x`), null);
  t.equal(sessions.end(id), true);
  t.equal(sessions.end(id), false);
  t.equal(sessions.find(id), null);
});

t.test("use keeps a session from idling out, but not from its absolute end", async (t) => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock, { idleMs: 100, absoluteMs: 250, maxSessions: 10, maxOfPrincipal: 10 });
  const idle = sessions.open(ADMIN);
  const used = sessions.open(ADMIN);
  clock.advance(99);
  t.ok(sessions.find(used));
  clock.advance(99);
  t.equal(sessions.find(idle), null);
  t.ok(sessions.find(used));
  clock.advance(51);
  t.ok(sessions.find(used));
  clock.advance(1);
  t.equal(sessions.find(used), null);
});

t.test("beyond the bound the session idle longest ends", async (t) => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock, { idleMs: 1000, absoluteMs: 1000, maxSessions: 2, maxOfPrincipal: 2 });
  const a = sessions.open(ADMIN);
  const b = sessions.open(ADMIN);
  clock.advance(1);
  sessions.find(a);
  const c = sessions.open(ADMIN);
  t.equal(sessions.size, 2);
  t.equal(sessions.find(b), null);
  t.ok(sessions.find(a));
  t.ok(sessions.find(c));
});

t.test("who signs in again and again ends their own sessions, not other people's", async (t) => {
  const sessions = new Sessions(new FakeClock());
  const admin = sessions.open(ADMIN);
  const viewer = { id: "v", name: "Viewer", role: "viewer" } as const;
  const ids = Array.from({ length: 2000 }, () => sessions.open(viewer));
  t.ok(sessions.find(admin));
  t.ok(sessions.find(ids.at(-1) ?? ""));
  t.equal(sessions.find(ids[0] ?? ""), null);
  t.equal(sessions.size, 101);
});

t.test("who shows the identifier of a session that is over is told why", async (t) => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock, { idleMs: 100, absoluteMs: 250, maxSessions: 10, maxOfPrincipal: 2 });
  const idle = sessions.open(ADMIN);
  t.equal(sessions.fate(idle), ADMIN, "it is open");
  clock.advance(60);
  t.equal(sessions.fate(idle), ADMIN);
  clock.advance(40);
  t.equal(sessions.fate(idle), "idle", "asking was no use of it");
  t.equal(sessions.find(idle), null);
  t.equal(sessions.fate(idle), "idle", "also when it is gone");
  const ended = sessions.open(ADMIN);
  sessions.end(ended);
  t.equal(sessions.fate(ended), "ended");
  const [first, , third] = [sessions.open(ADMIN), sessions.open(ADMIN), sessions.open(ADMIN)];
  t.equal(sessions.fate(first ?? ""), "replaced");
  for (let times = 0; times < 5; times++) {
    clock.advance(50);
    sessions.find(third ?? "");
  }
  t.equal(sessions.fate(third ?? ""), "expired");
  t.equal(sessions.fate("x".repeat(43)), "unknown", "of before the start, or nobody's");
});

t.test("ends are told of a bounded number", async (t) => {
  const sessions = new Sessions(new FakeClock());
  const first = sessions.open(ADMIN);
  sessions.end(first);
  for (let more = 0; more < 1000; more++) sessions.end(sessions.open(ADMIN));
  t.equal(sessions.fate(first), "unknown");
});

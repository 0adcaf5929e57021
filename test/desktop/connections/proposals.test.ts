import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { makeConnection } from "../../../src/desktop/connections/connection.ts";
import {
  type AllowedTargets,
  allowedTargets,
  isAllowed,
} from "../../../src/desktop/connections/target-rules.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { type ConnectionTested, Desktops, type DesktopsPorts } from "../../../src/desktop/desktops.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";

const AGENT: Actor = { kind: "agent", id: "a", name: "agent" };
const HUMAN: Actor = { kind: "human", id: "h", name: "Ann" };

function registry(allowed: readonly string[] = [], ports: Partial<DesktopsPorts> = {}, approvalArmingMs = 0) {
  const clock = new FakeClock();
  const saved: unknown[] = [];
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000, approvalArmingMs },
    {
      ...PLATFORM,
      clock,
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: () => new FakeLink(),
      store: { load: async () => [], save: async (kept) => void saved.push(kept) },
      ownListeners: () => [{ port: 3000 }],
      allowedTargets: allowed.flatMap((text) => allowedTargets(text) ?? []),
      ...ports,
    },
  );
  const propose = (host: string, port = 5900, signal = new AbortController().signal) => {
    const work = desktops.propose({ name: "New", protocol: "vnc", host, port }, AGENT, signal);
    work.catch(() => undefined);
    return work;
  };
  /** Resolves with the next question. */
  const asked = () =>
    new Promise<string>((resolve) => {
      const stop = desktops.questions.on(({ id }) => {
        stop();
        resolve(id);
      });
    });
  return { desktops, clock, saved, propose, asked };
}

t.test(
  "an agent's wish for a desktop is asked with its address; yes adds it, no and silence do not",
  async (t) => {
    const { desktops, clock, saved, propose, asked } = registry();
    let question = asked();
    const granted = propose("192.0.2.7");
    let id = await question;
    t.match(desktops.questions.pending, [
      {
        desktopId: "",
        summary: "Add the desktop vnc://192.0.2.7:5900",
        actor: AGENT,
        action: {
          kind: "add_connection",
          host: "192.0.2.7",
          details: [
            { name: "Name", value: "New" },
            { name: "Transport", value: "tcp" },
            { name: "Sends a password", value: "no" },
          ],
        },
      },
    ]);
    t.equal(desktops.all.length, 0, "nothing is opened before");
    t.throws(() => desktops.questions.decide(id, { kind: "approve" }, AGENT), { code: "permission_denied" });
    desktops.questions.decide(id, { kind: "approve" }, HUMAN);
    t.equal((await granted).connection.host, "192.0.2.7");
    t.equal(saved.length, 1);
    question = asked();
    const denied = propose("192.0.2.8");
    id = await question;
    desktops.questions.decide(id, { kind: "deny" }, HUMAN);
    await t.rejects(denied, { code: "denied_by_human" });
    question = asked();
    const silent = propose("192.0.2.9");
    await question;
    clock.advance(45_000);
    await t.rejects(silent, { code: "approval_expired" });
    question = asked();
    const abort = new AbortController();
    const cancelled = propose("192.0.2.9", 5900, abort.signal);
    await question;
    abort.abort();
    await t.rejects(cancelled, { code: "cancelled" });
    t.equal(desktops.all.length, 1);
    await desktops.close();
  },
);

t.test(
  "all that would be sent is on the card but the password, and only plain TCP is asked about",
  async (t) => {
    const { desktops, asked } = registry();
    const propose = (input: Parameters<Desktops["propose"]>[0]) => {
      const work = desktops.propose(input, AGENT, new AbortController().signal);
      work.catch(() => undefined);
      return work;
    };
    const question = asked();
    const waits = propose({
      ...{ name: "N\u202eew", protocol: "vnc", host: "192.0.2.7", username: "bo b", password: "hunter2" },
      security: ["VncAuth"],
    });
    await question;
    const [approval] = desktops.questions.pending;
    t.equal(approval?.summary, "Add the desktop vnc://bo%20b@192.0.2.7:5900");
    t.match(approval?.action, {
      details: [
        { name: "Name", value: "New" },
        { name: "Transport", value: "tcp" },
        { name: "Sends the user name", value: "bo b" },
        { name: "Sends a password", value: "yes, not shown" },
        { name: "Signs in by", value: "VncAuth" },
      ],
    });
    t.notMatch(JSON.stringify(approval), "hunter2");
    for (const way of [
      { transport: "ws", path: "/latest/meta-data/", http_headers: { cookie: "a=b" } },
      { transport: "wss" },
      { transport: "repeater", repeater_id: "1" },
      { transport: "reverse" },
      { transport: "unix", path: "/run/x" },
    ] as const) {
      await t.rejects(propose({ protocol: "vnc", host: "192.0.2.7", ...way }), {
        code: "permission_denied",
        message: /expected tcp/,
      });
    }
    await t.rejects(propose({ protocol: "kasmvnc", host: "192.0.2.7", transport: "ws" }), {
      code: "permission_denied",
    });
    t.equal(desktops.questions.pending.length, 1);
    await desktops.close();
    await t.rejects(waits, { code: "cancelled" });
  },
);

t.test(
  "loopback is asked and said; our own port, metadata and other spellings are refused unasked",
  async (t) => {
    const { desktops, propose, asked } = registry();
    const question = asked();
    propose("localhost").catch(() => undefined);
    await question;
    t.match(
      desktops.questions.pending[0]?.summary,
      /localhost:5900 \((127\.0\.0\.1|::1)\), on this very machine/,
    );
    for (const host of [
      "169.254.169.254",
      "0.0.0.0",
      "0",
      "[::ffff:169.254.169.254]",
      "::ffff:a9fe:a9fe",
      "64:ff9b::7f00:1",
      "2852039166",
      "0xa9.0xfe.0xa9.0xfe",
      "0251.0376.0251.0376",
    ]) {
      await t.rejects(propose(host), { code: /permission_denied|invalid_parameters/ }, host);
    }
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "::ffff:7f00:1"]) {
      await t.rejects(propose(host, 3000), { code: /permission_denied|invalid_parameters/ }, host);
    }
    t.equal(desktops.questions.pending.length, 1);
    await desktops.close();
  },
);

t.test("an allowed network is added unasked, and what is kept is the address that was judged", async (t) => {
  const { desktops, propose } = registry(["127.0.0.0/8:5900-5910", "[::1]:5900"]);
  const desktop = await propose("localhost");
  t.match(desktop.connection.host, /^(127\.0\.0\.1|::1)$/);
  t.equal(desktop.name, "New");
  await desktops.close();
});

t.test("networks and ports are read strictly and matched exactly", async (t) => {
  const read = (text: string): readonly AllowedTargets[] => {
    const found = allowedTargets(text);
    return found === null ? [] : [found];
  };
  for (const bad of [
    "",
    "example.com",
    "10.0.0.0/33",
    "10.0.0",
    "[fd00::]/129",
    "fd00::/8",
    "10.0.0.1:0",
    "10.0.0.1:70000",
    "10.0.0.1:9-8",
    "[10.0.0.1]",
  ]) {
    t.equal(allowedTargets(bad), null, bad);
  }
  for (const [text, address, port, isIt] of [
    ["10.0.0.0/8:5900", "10.9.9.9", 5900, true],
    ["10.0.0.0/8:5900", "10.9.9.9", 5901, false],
    ["10.0.0.0/8:5900", "11.0.0.1", 5900, false],
    ["192.168.1.5", "192.168.1.5", 65_535, true],
    ["192.168.1.5", "192.168.1.6", 5900, false],
    ["[fd00::]/8:5900-5999", "fd12::1", 5999, true],
    ["[fd00::]/8:5900-5999", "fe80::1", 5999, false],
  ] as const) {
    t.equal(isAllowed(read(text), [address], port), isIt, `${text} ${address}:${port}`);
  }
  t.equal(isAllowed(read("0.0.0.0/0"), [], 5900), false, "no address is no permission");
});

t.test("a yes that cannot be written down adds nothing", async (t) => {
  const secured = async (): Promise<void> => {
    throw new RefusedError("audit_down", "the audit log cannot be written");
  };
  const { desktops, propose, asked } = registry([], { secured });
  const question = asked();
  const work = propose("192.0.2.7");
  desktops.questions.decide(await question, { kind: "approve" }, HUMAN);
  await t.rejects(work, { code: "audit_down" });
  t.equal(desktops.all.length, 0);
});

t.test("a test of a connection is told, with who asked for it", async (t) => {
  const told: ConnectionTested[] = [];
  const { desktops, clock } = registry([], { tested: (test) => told.push(test) });
  const connection = makeConnection({ id: "c1", protocol: "vnc", host: "192.0.2.7" }, clock.date());
  const work = desktops.test(connection, AGENT);
  await clock.live(20_000);
  const { success } = await work;
  t.match(told, [{ connectionId: "c1", success, by: AGENT, durationMs: Number }]);
});

t.test("what has no picture can be granted once its words were shown for the arming time", async (t) => {
  const { desktops, clock, propose, asked } = registry([], {}, 500);
  const question = asked();
  const granted = propose("192.0.2.7");
  const id = await question;
  const yes = (): unknown => desktops.questions.decide(id, { kind: "approve" }, HUMAN);
  t.throws(yes, { code: "too_early", message: /never listed/ });
  desktops.questions.shown(id, HUMAN, "words");
  clock.advance(499);
  t.throws(yes, { code: "too_early", retryAfterMs: 1 });
  clock.advance(1);
  yes();
  t.equal((await granted).connection.host, "192.0.2.7");
});

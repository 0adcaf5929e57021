import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SecretBox } from "../../src/auth/secret-box.ts";
import type { GuardedPost } from "../../src/push/guarded-post.ts";
import type { Notice } from "../../src/push/notice.ts";
import { PushError, type PushReceiver } from "../../src/push/receiver.ts";
import { Subscriptions } from "../../src/push/subscriptions.ts";
import { isServed, WebPushes } from "../../src/push/web-pushes.ts";
import { FakeClock } from "../fake-clock.ts";
import { browserOf, noticeOf } from "./push-house.ts";

const EVA = { id: "tok-eva" };
const A = browserOf("https://push.example/SECRET-a");
const B = browserOf("https://push.example/SECRET-b");

async function open(t: Test, dir = t.testdir(), clock = new FakeClock()) {
  const path = join(dir, "push.json");
  const receivers = new Set<PushReceiver>();
  const posted: GuardedPost[] = [];
  const faults: unknown[] = [];
  const state = { isActive: true, status: 201 };
  const pushes = new WebPushes({
    clock,
    subscriptions: await Subscriptions.open(path, await SecretBox.open(dir)),
    pushes: { add: (one) => void receivers.add(one), remove: (one) => void receivers.delete(one) },
    post: async (request) => {
      posted.push(request);
      if (state.status >= 300) throw new PushError("no", { status: state.status, isFinal: true });
    },
    ...{ subject: "mailto:ops@example.com", services: ["push.example"] },
    isActive: () => state.isActive,
    linkOf: ({ id }, by) => `/approvals?card=${id}&to=${by.id}`,
    onFault: (error) => void faults.push(error),
  });
  /** As a courier does it. */
  const tell = async (notice: Notice): Promise<void> => {
    for (const receiver of [...receivers]) {
      if (receiver.wants(notice)) await receiver.send({ notice, link: receiver.linkOf(notice) });
    }
  };
  return { dir, path, clock, receivers, posted, faults, state, pushes, tell };
}

t.test("a browser reads what it is told, and nobody on the way does", async (t) => {
  const { pushes, tell, posted, clock } = await open(t);
  await pushes.subscribe(A.endpoint, A.keys, EVA);
  clock.advance(20_000);
  await tell(noticeOf("7"));
  const [request] = posted;
  t.match(request, {
    url: A.endpoint,
    headers: { ttl: "100", urgency: "high", "content-encoding": "aes128gcm" },
  });
  t.match(request?.headers["authorization"], new RegExp(`, k=${pushes.publicKey}$`));
  const body = Buffer.from(request?.body ?? "");
  t.same(JSON.parse(A.read(body)), {
    ...{ title: "Approval wanted on Build VM", message: "Asked by claude: click" },
    ...{ tag: "7", url: "/approvals?card=7&to=tok-eva" },
  });
  t.notMatch(body.toString("latin1"), /claude|Build VM/);
});

t.test("people are told in what they read there, after a restart too", async (t) => {
  const first = await open(t);
  await first.pushes.subscribe(A.endpoint, A.keys, { ...EVA, language: "de" });
  await first.pushes.close();
  const { tell, posted } = await open(t, first.dir);
  await tell(noticeOf("1", { kind: "write_clipboard" }));
  await tell(noticeOf("2", { subject: "request", kind: "login", desktop: null }));
  await tell(noticeOf("3", { kind: "some_new_thing" }));
  t.match(
    posted.map(({ body }) => JSON.parse(A.read(Buffer.from(body ?? "")))),
    [
      { title: "Freigabe erbeten auf Build VM", message: "Gefragt von claude: Zwischenablage setzen" },
      { title: "Ein Mensch wird gebraucht", message: "Gefragt von claude: Anmeldung" },
      { message: "Gefragt von claude: some new thing" },
    ],
  );
});

t.test("only push services are asked, with keys that are some", async (t) => {
  const { pushes, receivers } = await open(t);
  for (const endpoint of [
    "https://127.0.0.1/x",
    "http://push.example/x",
    "https://push.example:8443/x",
    "https://push.example.evil.net/x",
    "https://evil.net/push.example",
    "https://user@push.example/x",
    `https://push.example/${"x".repeat(2100)}`,
    "push.example",
  ]) {
    await t.rejects(
      pushes.subscribe(endpoint, A.keys, EVA),
      { code: "invalid_parameters" },
      endpoint.slice(0, 40),
    );
  }
  await t.rejects(pushes.subscribe(A.endpoint, { ...A.keys, auth: "AAAA" }, EVA), {
    code: "invalid_parameters",
  });
  t.equal(receivers.size, 0);
  t.ok(isServed("https://web.push.apple.com/x", ["*.push.apple.com"]));
  t.notOk(isServed("https://push.apple.com.evil.net/x", ["*.push.apple.com"]));
  t.notOk(isServed("https://evilpush.apple.com/x", ["*.push.apple.com"]));
  t.ok(isServed("https://127.0.0.1:8443/x", ["127.0.0.1:8443"]));
});

t.test("keys and subscriptions outlast the server, sealed", async (t) => {
  const first = await open(t);
  await first.pushes.subscribe(A.endpoint, A.keys, EVA);
  const text = readFileSync(first.path, "utf8");
  t.notMatch(text, /SECRET|push\.example/);
  t.notMatch(text, A.keys.auth);
  t.equal(statSync(first.path).mode & 0o777, 0o600);
  const second = await open(t, first.dir);
  t.equal(second.pushes.publicKey, first.pushes.publicKey);
  await second.tell(noticeOf("8"));
  t.match(A.read(Buffer.from(second.posted[0]?.body ?? "")), /"tag":"8"/);
});

t.test("who is for certain desktops is told of those alone", async (t) => {
  const { pushes, tell, posted } = await open(t);
  await pushes.subscribe(A.endpoint, A.keys, { ...EVA, desktops: ["vm"] });
  await tell(noticeOf("1", { desktop: { id: "other", name: "Other" } }));
  await tell(noticeOf("2", { desktop: null }));
  t.same(posted, []);
  await tell(noticeOf("3"));
  t.equal(posted.length, 1);
});

t.test("who may no longer, and who was not here for long, is told no more", async (t) => {
  const dir = t.testdir();
  const { pushes, tell, posted, state, clock, receivers } = await open(t, dir);
  await pushes.subscribe(A.endpoint, A.keys, EVA);
  state.isActive = false;
  await tell(noticeOf("1"));
  t.equal(receivers.size, 0);
  state.isActive = true;
  await pushes.subscribe(B.endpoint, B.keys, EVA);
  clock.advance(13 * 86_400_000);
  await pushes.subscribe(B.endpoint, B.keys, EVA);
  clock.advance(13 * 86_400_000);
  await tell(noticeOf("2"));
  t.equal(posted.length, 1, "a visit renews it");
  clock.advance(2 * 86_400_000);
  await tell(noticeOf("3"));
  t.equal(posted.length, 1);
  t.equal(receivers.size, 0);
  await pushes.close();
  t.same(JSON.parse(readFileSync(join(dir, "push.json"), "utf8")).subscriptions, []);
});

t.test("what its push service says is gone is forgotten", async (t) => {
  const { pushes, tell, state, receivers } = await open(t);
  await pushes.subscribe(A.endpoint, A.keys, EVA);
  state.status = 500;
  await t.rejects(tell(noticeOf("1")));
  t.equal(receivers.size, 1);
  state.status = 410;
  await t.rejects(tell(noticeOf("1")));
  t.equal(receivers.size, 0);
});

t.test("nobody ends another's, and one person has some browsers, not any number", async (t) => {
  const { pushes, receivers } = await open(t);
  await pushes.subscribe(A.endpoint, A.keys, EVA);
  await t.rejects(pushes.unsubscribe(A.endpoint, { id: "tok-other" }), { code: "not_found" });
  t.equal(receivers.size, 1);
  await pushes.unsubscribe(A.endpoint, EVA);
  t.equal(receivers.size, 0);
  await t.rejects(pushes.unsubscribe(A.endpoint, EVA), { code: "not_found" });
  for (let i = 0; i < 10; i += 1) await pushes.subscribe(`https://push.example/${i}`, A.keys, EVA);
  await t.rejects(pushes.subscribe("https://push.example/10", A.keys, EVA), { code: "too_many" });
  await pushes.subscribe("https://push.example/9", A.keys, EVA);
  t.equal(receivers.size, 10);
});

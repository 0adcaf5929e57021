import { createHmac } from "node:crypto";
import t from "tap";
import { targetRule } from "../../src/desktop/connections/target-rules.ts";
import { guardedLook } from "../../src/push/guarded-post.ts";
import { Webhook, type WebhookOptions } from "../../src/push/webhook.ts";
import { FakeClock } from "../fake-clock.ts";
import { noticeOf, PostServer } from "./push-house.ts";

const KEY = "a key of sixteen characters or more";
const OPEN = { only: [], deny: [], own: [] };
const clock = new FakeClock();
const webhook = (options: Partial<WebhookOptions> & { url: string }, reach = OPEN): Webhook =>
  new Webhook({ format: "json", ...options }, reach, clock);
const message = { notice: noticeOf("7"), link: "https://desks.example/approvals?card=7" };

t.test("JSON, signed over its time", async (t) => {
  const server = await PostServer.open(t);
  await webhook({ url: `${server.url}/hook?a=1`, key: KEY, token: "abc" }).send(message);
  const [posted] = server.had;
  t.equal(posted?.path, "/hook?a=1");
  t.match(posted?.headers, { "content-type": "application/json", authorization: "Bearer abc" });
  t.same(JSON.parse(posted?.body ?? ""), {
    ...{ version: 1, id: "7", subject: "approval", kind: "click", agent: "claude" },
    desktop: { id: "vm", name: "Build VM" },
    ...{ asked_at: message.notice.askedAt, expires_at: message.notice.expiresAt, url: message.link },
    ...{ title: "Approval wanted on Build VM", message: "Asked by claude: click" },
  });
  const seconds = clock.date().getTime() / 1000;
  const mac = createHmac("sha256", KEY).update(`${seconds}.${posted?.body}`).digest("hex");
  t.equal(posted?.headers["x-overlay-signature"], `t=${seconds},v1=${mac}`);
});

t.test("without a key nothing is signed", async (t) => {
  const server = await PostServer.open(t);
  await webhook({ url: server.url }).send({ ...message, link: null });
  t.notHas(server.had[0]?.headers, { "x-overlay-signature": /./ });
  t.match(JSON.parse(server.had[0]?.body ?? ""), { url: null });
});

t.test("as ntfy's servers publish it", async (t) => {
  const server = await PostServer.open(t);
  await webhook({ url: `${server.url}/sub/desks%207`, format: "ntfy" }).send(message);
  t.equal(server.had[0]?.path, "/sub/");
  t.match(JSON.parse(server.had[0]?.body ?? ""), {
    ...{ topic: "desks 7", title: "Approval wanted on Build VM", click: message.link },
  });
  await t.rejects(webhook({ url: server.url, format: "ntfy" }).send(message), {
    message: /no topic/,
    isFinal: true,
  });
});

t.test("answers: what may be otherwise the next time, and what may not", async (t) => {
  const server = await PostServer.open(t);
  server.headers = { "retry-after": "7" };
  for (const [status, isFinal] of [
    [500, false],
    [429, false],
    [408, false],
    [404, true],
    [401, true],
  ] as const) {
    server.status = status;
    await t.rejects(webhook({ url: server.url }).send(message), {
      ...{ isFinal, pauseMs: 7000, message: `answered ${status}, expected 200 to 299` },
    });
  }
});

t.test("a redirect is not followed", async (t) => {
  const [server, other] = [await PostServer.open(t), await PostServer.open(t)];
  server.status = 307;
  server.headers = { location: `${other.url}/stolen` };
  await t.rejects(webhook({ url: server.url, token: "abc" }).send(message), { message: /answered 307/ });
  t.same(other.had, []);
});

t.test("a lost network is tried again, and no error names the address", async (t) => {
  const server = await PostServer.open(t);
  await server.down();
  const url = `${server.url}/secret-topic`;
  await t.rejects(webhook({ url }).send(message), {
    isFinal: false,
    message: "cannot be reached: ECONNREFUSED",
  });
  await server.up();
  await webhook({ url }).send(message);
  t.equal(server.had.length, 1);
});

t.test("nothing is sent to metadata, our own ports and what the operator denies", async (t) => {
  const server = await PostServer.open(t);
  const denied = targetRule(`127.0.0.0/8:${server.port}`);
  if (denied === null) throw new Error("no rule");
  const refusals = [
    webhook({ url: "http://169.254.169.254/latest" }).send(message),
    webhook({ url: "http://0x7f.1/" }, { ...OPEN, own: [{ port: 80 }] } as never).send(message),
    webhook({ url: server.url }, { ...OPEN, own: [{ port: server.port }] } as never).send(message),
    webhook({ url: server.url }, { ...OPEN, deny: [denied] } as never).send(message),
    guardedLook("http://[::ffff:169.254.169.254]/", OPEN),
  ];
  for (const refusal of refusals)
    await t.rejects(refusal, { isFinal: true, message: "lies where nothing is sent to" });
  t.same(server.had, []);
});

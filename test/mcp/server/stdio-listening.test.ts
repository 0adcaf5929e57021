import { PassThrough } from "node:stream";
import { Client, type Transport } from "@modelcontextprotocol/client";
import t, { type Test } from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { until } from "../../support/until.ts";
import { AGENT, fakeHouse } from "../fake-house.ts";

// subscriptions/listen of 2026-07-28 over stdio.

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const listen = (id: number, ...uris: string[]): object => ({
  ...{ jsonrpc: "2.0", id, method: "subscriptions/listen" },
  params: { _meta: META, notifications: { resourceSubscriptions: uris } },
});

const cancel = (requestId: number): object => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled" },
  params: { requestId },
});

function start(t: Test) {
  const house = fakeHouse();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const mcp = createMcp(house.ports);
  t.teardown(() => mcp.close());
  const conversation = mcp.serveStdio(stdin, stdout, AGENT);
  const { listeners } = house.desktops.get("one");
  const before = listeners.size;
  return {
    ...{ conversation, stdin, stdout, desktops: house.desktops },
    isFollowed: () => listeners.size > before,
  };
}

/** A conversation in lines, each read as JSON. */
function startRaw(t: Test) {
  const started = start(t);
  let written = "";
  started.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
  });
  return {
    ...started,
    send: (...messages: object[]) =>
      started.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join("")),
    lines: (): Record<string, unknown>[] =>
      written
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

/** The other ends of both streams, for the official client. */
function pipes(stdin: PassThrough, stdout: PassThrough): Transport {
  let rest = "";
  const transport: Transport = {
    async start() {
      stdout.on("data", (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString("utf8")}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      stdin.end();
      transport.onclose?.();
    },
  };
  return transport;
}

t.test("the official client is told of the screen that it listens to, until it has enough", async (t) => {
  const { stdin, stdout, desktops, isFollowed } = start(t);
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(pipes(stdin, stdout));
  t.teardown(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  const subscription = await client.listen({ resourceSubscriptions: ["screen://one"] });
  desktops.get("two").paint(rect(0, 0, 10, 10));
  desktops.get("one").paint(rect(0, 0, 10, 10));
  await until("the update", () => heard.length > 0);
  t.same(heard, ["screen://one"]);
  await subscription.close();
  await until("nobody to follow it", () => !isFollowed());
});

t.test("each of two is told under its own id, and who cancelled hears no more", async (t) => {
  const { stdin, conversation, desktops, isFollowed, send, lines } = startRaw(t);
  const told = (): unknown[] => lines().filter(({ method }) => method === "notifications/resources/updated");
  send(listen(1, "screen://one"), listen(2, "screen://one", "screen://one"), listen(3, "screen://one"));
  send(cancel(3), listen(4, "screen://nine"));
  await until("four are acknowledged", () => lines().length === 4);
  desktops.get("one").paint(rect(0, 0, 10, 10));
  await until("both are told", () => told().length >= 2);
  const update = (id: number) => ({
    params: { uri: "screen://one", _meta: { "io.modelcontextprotocol/subscriptionId": id } },
  });
  t.match(told(), [update(1), update(2)]);
  send(cancel(1));
  send(cancel(2));
  await until("nobody to follow it", () => !isFollowed());
  send(listen(5, "screen://one"));
  await until("another one", isFollowed);
  // What is listened to has no answer that the end would have to wait for.
  stdin.end();
  await conversation.closed;
  t.notOk(isFollowed());
});

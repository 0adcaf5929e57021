import { once } from "node:events";
import { PassThrough } from "node:stream";
import t from "tap";
import { createMcp } from "../../src/mcp/server/server.ts";
import { MAX_LINE_CHARS } from "../../src/mcp/server/stdio-gate.ts";
import { AGENT, fakeHouse } from "./fake-house.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw \u0007client", version: "1" },
  },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

function start() {
  const house = fakeHouse();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
  });
  const conversation = createMcp(house.ports).serveStdio(stdin, stdout, AGENT);
  return {
    house,
    conversation,
    stdin,
    stdout,
    send: (...messages: object[]) =>
      stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join("")),
    /** Every line that was written, parsed: throws where something that is no JSON got out. */
    lines: (): Record<string, unknown>[] =>
      written
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

const call = (id: number, name: string, args: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

t.test("what is left pressed is let go when the client goes", async (t) => {
  const { house, conversation, stdin, send, lines } = start();
  send(INITIALIZE, INITIALIZED, call(2, "mouse_down", { x: 1, y: 1 }));
  const desktop = house.desktops.get("one");
  desktop.onPerform = async () => {
    desktop.pressedBy.add(AGENT.id);
    return {};
  };
  stdin.end();
  await conversation.closed;
  t.equal(lines().length, 2);
  t.same(
    desktop.performed.map(({ action }) => action.kind),
    ["button", "release"],
  );
});

t.test("what was piped in is answered before the end, in lines of JSON", async (t) => {
  const { house, conversation, stdin, send, lines } = start();
  const { promise, resolve } = withResolvers();
  house.desktops.get("one").onPerform = async () => {
    await promise;
    return {};
  };
  send(INITIALIZE, INITIALIZED, call(2, "click_at", { x: 1, y: 1 }), call(3, "list_connections"));
  stdin.end();
  await once(stdin, "end");
  resolve();
  await conversation.closed;
  t.same(
    lines()
      .map(({ id }) => id)
      .sort(),
    [1, 2, 3],
  );
  t.match(lines()[0], {
    result: {
      protocolVersion: "2025-11-25",
      serverInfo: { name: "overlay-companion-mcp", version: "2026.11.21", title: /./, description: /./ },
      capabilities: { tools: {} },
      instructions: /take_screenshot/,
    },
  });
  t.match(
    lines().find(({ id }) => id === 2),
    { result: { structuredContent: { success: true } } },
  );
  t.match(house.clients, [{ name: "raw client", version: "1", principal: AGENT }], "the name is cleaned");
});

t.test("faulty lines are answered and the conversation goes on", async (t) => {
  const { conversation, stdin, send, lines } = start();
  stdin.write("this is not JSON\n\r\n");
  stdin.write('{"jsonrpc":"1.0","id":7,"method":"ping"}\n');
  stdin.write('{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
  stdin.write("[]\n");
  stdin.write(`{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}\n`);
  stdin.write(`"${"x".repeat(MAX_LINE_CHARS)}"\n`);
  const message = Buffer.from(`${JSON.stringify(INITIALIZE)}\n`);
  // One byte at a time: lines and characters arrive in any pieces.
  for (const byte of message) stdin.write(Buffer.of(byte));
  send(INITIALIZED, { jsonrpc: "2.0", id: 2, method: "no/such" }, call(3, "no_such_tool"));
  stdin.end();
  await conversation.closed;
  const answers = lines().map(({ id, error }) => ({ id: Number(id ?? 0), error }));
  // Requests run side by side; faults are answered in the order of their lines.
  t.match(
    answers.sort((a, b) => a.id - b.id),
    [
      { id: 0, error: { code: -32700 } },
      { id: 0, error: { code: -32600 } },
      { id: 0, error: { code: -32600 } },
      { id: 0, error: { code: -32600, message: /more than 4194304/ } },
      { id: 1, error: undefined },
      { id: 2, error: { code: -32601 } },
      { id: 3, error: { code: -32602, message: /no_such_tool/ } },
      { id: 7, error: { code: -32600 } },
      { id: 8, error: { code: -32600 } },
    ],
  );
  t.notMatch(JSON.stringify(lines()), "this is not", "the fault does not repeat what it refused");
});

t.test("a client of 2026-07-28 needs no handshake", async (t) => {
  const { house, conversation, stdin, send, lines } = start();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "modern", version: "2" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  send({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: meta } });
  send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_connections", _meta: meta } });
  stdin.end();
  await conversation.closed;
  t.match(lines(), [
    { id: 1, result: { supportedVersions: ["2026-07-28"] } },
    { id: 2, result: { structuredContent: { total_connections: 2 } } },
  ]);
  t.match(house.clients, [{ name: "modern", version: "2" }]);
});

t.test("a cancelled call aborts the action and holds nothing back", async (t) => {
  const { house, conversation, stdin, send, lines } = start();
  const started = new Promise<AbortSignal>((resolve) => {
    house.desktops.get("one").onPerform = ({ options: { signal } }) =>
      new Promise((_done, reject) => {
        if (signal === undefined) throw new Error("no signal");
        signal.addEventListener("abort", () => reject(signal.reason));
        resolve(signal);
      });
  });
  send(INITIALIZE, INITIALIZED, call(2, "click_at", { x: 1, y: 1 }));
  const signal = await started;
  send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  stdin.end();
  await conversation.closed;
  t.ok(signal.aborted);
  t.same(
    lines().map(({ id }) => id),
    [1],
  );
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

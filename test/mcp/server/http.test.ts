import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import t from "tap";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { AGENT, fakeHouse, listen, serveHouse } from "../fake-house.ts";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "modern", version: "2" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Headers = Readonly<Record<string, string>>;

function post(url: URL, body: unknown, headers: Headers = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", body: text, headers: { ...HEADERS, ...headers } });
}

function modern(url: URL, id: number, name: string, args: object = {}): Promise<Response> {
  const params = { name, arguments: args, _meta: META };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  return post(url, { jsonrpc: "2.0", id, method: "tools/call", params }, headers);
}

/** The messages of an answer, whether it is JSON or a stream that ends. */
async function messages(response: Response): Promise<unknown[]> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json")) return [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

async function openSession(url: URL, headers: Headers = {}): Promise<string> {
  const response = await post(url, INITIALIZE, headers);
  await response.text();
  const id = response.headers.get("mcp-session-id") ?? "";
  await post(
    url,
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { ...headers, "mcp-session-id": id },
  );
  return id;
}

t.test("malformed bodies get the JSON-RPC code and 400", async (t) => {
  const { url, close, logged } = await serveHouse();
  t.teardown(close);
  for (const [body, code] of [
    ["{", -32700],
    ["", -32700],
    ["\u0000", -32700],
    ['"text"', -32600],
    ["null", -32600],
    ["[]", -32600],
    ["{}", -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', -32600],
    ["[".repeat(100_000), -32700],
  ] as const) {
    const response = await post(url, body);
    t.equal(response.status, 400);
    t.match(await response.json(), { jsonrpc: "2.0", error: { code } }, body.slice(0, 60));
  }
  t.same(logged, []);
});

t.test("a call is told with where it stands in its client's trace, of both eras", async (t) => {
  const { url, close, begun } = await serveHouse();
  t.teardown(close);
  const [inMeta, inHeader] = ["1111111111111111", "2222222222222222"];
  const parent = (spanId: string): string => `00-4bf92f3577b34da6a3ce929d0e0e4736-${spanId}-01`;
  const call = { name: "get_display_info", arguments: {} };
  const ask = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const header = { traceparent: parent(inHeader) };
  const now = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": call.name };
  const meta = { ...META, traceparent: parent(inMeta) };
  for (const [params, headers] of [
    [
      { ...call, _meta: meta },
      { ...now, ...header },
    ],
    [
      { ...call, _meta: META },
      { ...now, ...header },
    ],
    [{ ...call, _meta: { traceparent: parent(inMeta) } }, header],
    [call, header],
    [call, { traceparent: "nonsense" }],
    [call, {}],
  ] as const) {
    await (await post(url, { ...ask, params }, headers)).text();
  }
  t.same(
    begun.map(({ trace }) => trace?.spanId ?? null),
    [inMeta, inHeader, inMeta, inHeader, null, null],
    "the message's own goes before the header",
  );
});

t.test("what is no JSON, too long or for nobody is refused with its status", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  t.equal((await post(url, "{}", { "content-type": "text/plain" })).status, 415);
  t.equal((await post(url, `"${"x".repeat(4 * 1024 * 1024)}"`)).status, 413);
  t.equal((await fetch(url, { method: "PUT", body: "{}", headers: HEADERS })).status, 405);
  const viewer = await post(url, INITIALIZE, { authorization: "Bearer viewer" });
  t.equal(viewer.status, 403);
  t.match(await viewer.json(), { error: { message: /role viewer may not use MCP/ } });
  const toolset = await post(new URL("?toolsets=everything", url), INITIALIZE);
  t.equal(toolset.status, 400);
  t.match(await toolset.json(), { error: { message: /expected core, read, overlay, input, admin/ } });
});

t.test("a body that grows without end is cut off, and nothing is kept", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  const request = httpRequest(url, { method: "POST", headers: HEADERS });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  for (let i = 0; i < 5; i++) request.write(chunk);
  const response = await answered;
  t.equal(response.statusCode, 413);
  request.on("error", () => {});
  request.destroy();
});

t.test("unknown methods, tools and cursors have their codes in both eras", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  const session = { "mcp-session-id": await openSession(url) };
  const ask = async (method: string, params: object): Promise<unknown> =>
    (await messages(await post(url, { jsonrpc: "2.0", id: 5, method, params }, session)))[0];
  t.match(await ask("no/such", {}), { error: { code: -32601 } });
  t.match(await ask("tools/call", { name: "no_such_tool" }), { error: { code: -32602 } });
  t.match(await ask("tools/list", { cursor: "x" }), { error: { code: -32602 } });
  t.match(await ask("tools/call", { name: 5 }), { error: { code: -32602 } });
  t.match(await messages(await modern(url, 6, "no_such_tool")), [{ id: 6, error: { code: -32602 } }]);
});

t.test("a session is its principal's alone, and DELETE ends it", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  const id = await openSession(url);
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  t.equal((await post(url, ping, { "mcp-session-id": id })).status, 200);
  for (const headers of [{ authorization: "Bearer agent-2" }, { authorization: "Bearer admin" }]) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await fetch(url, {
        method,
        headers: { ...HEADERS, ...headers, "mcp-session-id": id },
        ...(method === "POST" ? { body: JSON.stringify(ping) } : {}),
      });
      t.equal(response.status, 404, `${method} of another principal`);
      t.match(await response.json(), { error: { code: -32001 } });
    }
  }
  t.equal((await post(url, ping, { "mcp-session-id": "made-up" })).status, 404);
  const ended = await fetch(url, { method: "DELETE", headers: { ...HEADERS, "mcp-session-id": id } });
  t.equal(ended.status, 200);
  t.equal((await post(url, ping, { "mcp-session-id": id })).status, 404);
});

t.test("what an agent left pressed is let go when its last session ends, not before", async (t) => {
  const { url, close, desktops } = await serveHouse();
  t.teardown(close);
  const [first, second] = [await openSession(url), await openSession(url)];
  desktops.get("two").pressedBy.add("agent-1");
  const end = (id: string) => fetch(url, { method: "DELETE", headers: { ...HEADERS, "mcp-session-id": id } });
  await end(first);
  t.same(desktops.get("two").performed, [], "the other one may still come back for it");
  await end(second);
  t.match(desktops.get("two").performed, [
    { action: { kind: "release" }, actor: { kind: "agent", id: "agent-1" } },
  ]);
  t.same(desktops.get("one").performed, [], "and nothing is done where nothing is pressed");
});

t.test("a script that just posts a call is served, in both eras", async (t) => {
  const { url, close, clients } = await serveHouse();
  t.teardown(close);
  const params = { name: "get_display_info", arguments: {} };
  const legacy = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  t.match(await messages(legacy), [{ id: 1, result: { structuredContent: { displays: [{}, {}] } } }]);
  const answer = await modern(url, 2, "get_display_info");
  t.equal(answer.headers.get("content-type"), "application/json");
  t.match(await messages(answer), [{ id: 2, result: { structuredContent: { displays: [{}, {}] } } }]);
  await modern(url, 3, "get_display_info");
  t.match(clients, [{ name: "modern", version: "2" }], "a client is announced once");
  t.equal(clients.length, 1);
});

t.test("toolsets narrow what a client sees and may call", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  const narrow = new URL("?toolsets=overlay", url);
  t.match(await messages(await modern(narrow, 1, "clear_overlays")), [{ result: {} }]);
  t.match(await messages(await modern(narrow, 1, "click_at", { x: 1, y: 1 })), [{ error: { code: -32602 } }]);
  const [list] = await messages(await post(narrow, { jsonrpc: "2.0", id: 1, method: "tools/list" }));
  t.match(list, {
    result: {
      tools: [
        { name: "request_human" },
        { name: "draw_overlay" },
        { name: "batch_overlay" },
        { name: "remove_overlay" },
        { name: "clear_overlays" },
      ],
    },
  });
});

t.test("a token's toolsets are all its holder has, and a URL leaves a part of them", async (t) => {
  const ask = async (toolsets: readonly string[] | undefined, path: string): Promise<string[]> => {
    const mcp = createMcp({ ...fakeHouse().ports, toolsets: ["overlay"] });
    const holder = { ...AGENT, id: "holder", ...(toolsets === undefined ? {} : { toolsets }) };
    const served = await listen(mcp, "127.0.0.1", holder);
    t.teardown(served.close);
    const [list] = await messages(
      await post(new URL(path, served.url), { jsonrpc: "2.0", id: 1, method: "tools/list" }),
    );
    return Object(list).result.tools.map(({ name }: { name: string }) => name);
  };
  const overlay = TOOLS.filter(({ effect }) => effect === "overlay").map(({ name }) => name);
  t.same(await ask(undefined, ""), overlay, "those of the configuration");
  t.equal((await ask(["core"], "")).length, 16, "the token's own go before");
  t.same(await ask(["core"], "?toolsets=overlay"), ["request_human", "draw_overlay", "clear_overlays"]);
  const reader = { ...AGENT, id: "reader", toolsets: ["read"] };
  const served = await listen(createMcp(fakeHouse().ports), "127.0.0.1", reader);
  t.teardown(served.close);
  for (const path of ["", "?toolsets=overlay", "?toolsets=read,overlay"]) {
    const call = await modern(new URL(path, served.url), 1, "clear_overlays");
    t.match(await messages(call), [{ error: { code: -32602 } }], `no call of what is not listed: ${path}`);
  }
});

t.test("a modern client that hangs up aborts its action", async (t) => {
  const { url, close, desktops } = await serveHouse();
  t.teardown(close);
  const abort = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    desktops.get("one").onPerform = ({ options: { signal } }) =>
      new Promise((_done, reject) => {
        signal?.addEventListener("abort", () => {
          resolve();
          reject(signal.reason);
        });
        abort.abort();
      });
  });
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "click_at",
  };
  const params = { name: "click_at", arguments: { x: 1, y: 1 }, _meta: META };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const call = fetch(url, {
    method: "POST",
    body,
    headers: { ...HEADERS, ...headers },
    signal: abort.signal,
  });
  await t.rejects(call);
  await aborted;
});

t.test("a client that lost its event stream can open it again at once", async (t) => {
  const { url, close } = await serveHouse();
  t.teardown(close);
  const headers = { accept: "text/event-stream", "mcp-session-id": await openSession(url) };
  for (let i = 0; i < 3; i++) {
    const request = httpRequest(url, { headers });
    request.end();
    const [response]: IncomingMessage[] = await once(request, "response");
    t.equal(response?.statusCode, 200);
    request.on("error", () => {});
    response?.on("error", () => {});
    request.destroy();
    await once(request, "close");
    // The server hears of it with its next turn of the loop: one round trip is enough.
    await post(
      url,
      { jsonrpc: "2.0", id: 9, method: "ping" },
      { "mcp-session-id": headers["mcp-session-id"] },
    );
  }
});

t.test("a body that the web server parsed already is served too", async (t) => {
  const { mcp, close } = await serveHouse();
  t.teardown(close);
  const { createServer } = await import("node:http");
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  for (const [body, expected] of [
    [message, { result: { tools: [{ name: "take_screenshot" }] } }],
    [JSON.stringify(message), { result: { tools: [{ name: "take_screenshot" }] } }],
    [Buffer.from(JSON.stringify(message)), { result: {} }],
    ["{", { error: { code: -32700 } }],
    [[1], { error: { code: -32600 } }],
  ] as const) {
    const server = createServer((req, res) => {
      req.resume();
      const principal = { id: "agent-1", name: "agent", role: "agent" } as const;
      mcp.handle(req, res, body, principal).catch(t.threw);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const [answer] = await messages(await post(new URL(`http://127.0.0.1:${port}/mcp`), "{}"));
    t.match(answer, expected);
    server.closeAllConnections();
    server.close();
  }
});

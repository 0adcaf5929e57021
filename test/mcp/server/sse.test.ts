import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import t, { type Test } from "tap";
import { MAX_SESSIONS_A_PRINCIPAL } from "../../../src/mcp/server/sessions.ts";
import { MAX_CALLS } from "../../../src/mcp/server/sse-transport.ts";
import { FakeClock } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";
import { type FakeHouseOptions, serveHouse } from "../fake-house.ts";

async function house(t: Test, options: FakeHouseOptions = {}) {
  const served = await serveHouse(options);
  t.teardown(() => served.close());
  return served;
}

/** A client that knows no more than the wire: what came on its stream, and where it posts. */
class RawClient {
  readonly #response: IncomingMessage;
  readonly #url: URL;
  readonly #who: string;
  text = "";
  isOver = false;

  private constructor(response: IncomingMessage, url: URL, who: string) {
    this.#response = response;
    this.#url = url;
    this.#who = who;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      this.text += chunk;
    });
    response.on("error", () => undefined);
    response.once("close", () => {
      this.isOver = true;
    });
  }

  static async open(t: Test, url: URL, who = "agent-1", path = "/sse"): Promise<RawClient> {
    const request = get(new URL(path, url), { headers: { authorization: `Bearer ${who}` }, agent: false });
    const [response]: IncomingMessage[] = await once(request, "response");
    if (response?.statusCode !== 200) throw new Error(`GET ${path} answered ${response?.statusCode}`);
    const client = new RawClient(response, url, who);
    t.teardown(() => response.destroy());
    await until("the endpoint event", () => client.text.includes("\n\n"));
    return client;
  }

  get endpoint(): string {
    return /^event: endpoint\ndata: (\S+)\n\n/.exec(this.text)?.[1] ?? "";
  }

  get messages(): { id?: unknown; result?: unknown; error?: unknown; method?: unknown }[] {
    return [...this.text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json = ""]) =>
      JSON.parse(json),
    );
  }

  post(message: unknown, { who = this.#who, type = "application/json", path = this.endpoint } = {}) {
    return fetch(new URL(path, this.#url), {
      method: "POST",
      headers: { "content-type": type, authorization: `Bearer ${who}` },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  }

  async initialize(): Promise<void> {
    await this.post({
      ...{ jsonrpc: "2.0", id: "hello", method: "initialize" },
      params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    });
    await this.answer("hello");
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async answer(id: unknown) {
    await until(`the answer to ${id}`, () => this.messages.some((message) => message.id === id));
    return this.messages.find((message) => message.id === id);
  }

  pause(): void {
    this.#response.pause();
  }

  hangUp(): void {
    this.#response.destroy();
  }
}

const CLICK = { name: "click_at", arguments: { x: 1, y: 1 } };

t.test(
  "the official SDK's client lists and calls tools, and its answers are those of every era",
  async (t) => {
    const { url, desktops, records, clients, logged } = await house(t);
    const client = new Client({ name: "sdk-sse", version: "1" });
    const requestInit = { headers: { authorization: "Bearer agent-1" } };
    await client.connect(new SSEClientTransport(new URL("/sse", url), { requestInit }));
    t.match(client.getServerVersion(), { name: "overlay-companion-mcp" });
    t.ok((await client.listTools()).tools.length > 50);
    t.match(await client.callTool({ name: "take_screenshot" }), {
      content: [{ type: "text" }, { type: "image", mimeType: "image/png", data: /^iVBOR/ }],
      structuredContent: {},
    });
    t.match(await client.callTool({ name: "click_at", arguments: { x: 9999, y: 1 } }), { isError: true });
    await t.rejects(client.callTool({ name: "no_such_tool" }), /no_such_tool/);
    // Many at once: each gets its own.
    const widths = await Promise.all(
      [3, 4, 5, 6, 7].map((width) =>
        client.callTool({ name: "zoom", arguments: { region: { x: 0, y: 0, width, height: 3 } } }),
      ),
    );
    t.same(
      widths.map(({ structuredContent }) => Object(structuredContent).region?.width),
      [3, 4, 5, 6, 7],
    );
    t.match(clients, [{ name: "sdk-sse", principal: { id: "agent-1" } }]);
    t.match(records.at(0), { tool: "take_screenshot", clientName: "sdk-sse" });
    t.equal(desktops.get("one").performed.length, 0);
    await client.close();
    t.same(logged, []);
  },
);

t.test("the stream begins with where to post, and a post is answered there", async (t) => {
  const { url } = await house(t);
  const client = await RawClient.open(t, url, "agent-1", "/sse?toolsets=core");
  t.match(client.endpoint, /^\/message\?sessionId=[0-9a-f-]{36}$/);
  const posted = await client.post({ jsonrpc: "2.0", id: 0, method: "ping" });
  t.equal(posted.status, 202);
  t.equal(await posted.text(), "Accepted");
  t.match(await client.answer(0), { result: {} });
  await client.initialize();
  t.match(await client.answer("hello"), { result: { protocolVersion: "2024-11-05" } });
  await client.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const listed = await client.answer(1);
  t.equal(Object(listed?.result).tools.length, 16, "only the tools that its address asked for");
  const underscored = client.endpoint.replace("sessionId", "session_id");
  await client.post({ jsonrpc: "2.0", id: 2, method: "ping" }, { path: underscored });
  t.match(await client.answer(2), { result: {} });
});

t.test("what is posted wrongly is refused with its status, and the stream goes on", async (t) => {
  const { url, logged } = await house(t);
  const client = await RawClient.open(t, url);
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  for (const [status, code, body, options] of [
    [400, -32700, "{", {}],
    [400, -32600, "{}", {}],
    [400, -32600, [ping], {}],
    [415, -32000, ping, { type: "text/plain" }],
    [413, -32000, `"${"x".repeat(4 * 1024 * 1024)}"`, {}],
    [404, -32001, ping, { who: "agent-2" }],
    [404, -32001, ping, { path: "/message" }],
    [404, -32001, ping, { path: "/message?sessionId=guessed" }],
    [403, -32000, ping, { who: "viewer" }],
  ] as const) {
    const response = await client.post(body, options);
    t.equal(response.status, status);
    t.match(await response.json(), { jsonrpc: "2.0", error: { code } });
  }
  const session = new URL(client.endpoint, url).searchParams.get("sessionId") ?? "";
  const streamable = await fetch(url, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ authorization: "Bearer agent-1", "mcp-session-id": session },
    },
    body: JSON.stringify(ping),
  });
  t.equal(streamable.status, 404, "its session is none of the other transport's");
  const opened = await fetch(new URL("/sse", url), { method: "POST", body: "{}" });
  t.equal(opened.status, 405);
  t.equal(opened.headers.get("allow"), "GET");
  await client.post(ping);
  t.match(await client.answer(1), { result: {} });
  t.same(logged, []);
});

t.test("streams of one principal are bounded, and one that ends makes room", async (t) => {
  const { url } = await house(t);
  const clients: RawClient[] = [];
  for (let i = 0; i < MAX_SESSIONS_A_PRINCIPAL; i++) clients.push(await RawClient.open(t, url));
  const headers = { authorization: "Bearer agent-1" };
  const refused = await fetch(new URL("/sse", url), { headers });
  t.equal(refused.status, 503);
  t.equal(refused.headers.get("retry-after"), "60");
  await refused.text();
  await RawClient.open(t, url, "agent-2");
  const [first] = clients;
  first?.hangUp();
  await until("room", async () => {
    const response = await fetch(new URL("/sse", url), { headers });
    await response.body?.cancel();
    return response.status === 200;
  });
  const gone = await first?.post({ jsonrpc: "2.0", id: 1, method: "ping" });
  t.equal(gone?.status, 404, "its session is over");
});

t.test("calls of one stream are bounded, and an id is used once at a time", async (t) => {
  const { url, desktops } = await house(t);
  const client = await RawClient.open(t, url);
  await client.initialize();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  desktops.get("one").onPerform = async () => {
    await ended;
    return {};
  };
  const click = (id: number) => client.post({ jsonrpc: "2.0", id, method: "tools/call", params: CLICK });
  for (let id = 0; id < MAX_CALLS; id++) t.equal((await click(id)).status, 202);
  t.equal((await click(0)).status, 429, "that one is in work");
  t.equal((await click(MAX_CALLS)).status, 429);
  await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
  t.equal((await click(MAX_CALLS)).status, 202, "one that was cancelled makes room");
  end();
  await client.answer(MAX_CALLS);
  t.equal(
    client.messages.some(({ id }) => id === 5),
    false,
    "and gets no answer",
  );
});

t.test("who hangs up aborts what they asked for", async (t) => {
  const { url, desktops } = await house(t);
  const client = await RawClient.open(t, url);
  await client.initialize();
  const aborted = new Promise<void>((resolve) => {
    desktops.get("one").onPerform = ({ options: { signal } }) =>
      new Promise((_done, reject) => {
        signal?.addEventListener("abort", () => {
          resolve();
          reject(signal.reason);
        });
        client.hangUp();
      });
  });
  await client.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: CLICK });
  await aborted;
  t.pass("aborted");
});

t.test("a silent stream is kept alive, and is not idle", async (t) => {
  const clock = new FakeClock();
  const { url } = await house(t, { clock });
  const client = await RawClient.open(t, url);
  const comments = (): number => client.text.split(": keep-alive\n\n").length - 1;
  for (let nth = 1; nth <= 3; nth++) {
    clock.advance(25_000);
    await until("a comment", () => comments() === nth);
  }
  clock.advance(3_600_000);
  t.equal((await client.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status, 202, "it is still there");
});

t.test("the end of the server ends the streams", async (t) => {
  const served = await house(t);
  const client = await RawClient.open(t, served.url);
  await served.mcp.close();
  await until("its end", () => client.isOver);
  t.pass("over");
});

t.test("who lets pictures pile up unread holds a few of their own, and others get theirs", async (t) => {
  const { url } = await house(t);
  const slow = await RawClient.open(t, url);
  await slow.initialize();
  slow.pause();
  const shot = (id: number) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name: "take_screenshot", arguments: {} },
  });
  for (let id = 0; id < 10; id++) t.equal((await slow.post(shot(id))).status, 202);
  const other = await RawClient.open(t, url, "agent-2");
  await other.initialize();
  await other.post(shot(1));
  t.match(await other.answer(1), { result: { content: [{ type: "text" }, { type: "image" }] } });
});

t.test("what the server tells between a call and its answer arrives", async (t) => {
  const clock = new FakeClock();
  const { url, desktops } = await house(t, { clock });
  const client = new Client({ name: "sdk-sse", version: "1" });
  const requestInit = { headers: { authorization: "Bearer agent-1" } };
  await client.connect(new SSEClientTransport(new URL("/sse", url), { requestInit }));
  t.teardown(() => client.close());
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    desktops.get("one").onPerform = () => {
      resolve();
      return new Promise((done) => {
        end = () => done({});
      });
    };
  });
  const told: number[] = [];
  const call = client.callTool(CLICK, undefined, { onprogress: ({ progress }) => told.push(progress) });
  await begun;
  clock.advance(5000);
  await until("progress", () => told.length > 0);
  end();
  t.notMatch(await call, { isError: true });
  t.same(told, [5]);
});

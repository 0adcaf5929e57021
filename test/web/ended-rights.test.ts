import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { WebSocket } from "ws";
import { createMcp } from "../../src/mcp/server/server.ts";
import { fakeHouse as mcpHouse } from "../mcp/fake-house.ts";
import { until } from "../support/until.ts";
import { openHouse, SocketPeer } from "./fake-house.ts";
import { FakeRecordings, recordingSummary } from "./fake-recordings.ts";

// What is open by a credential ends as soon as that counts no more, or gives other rights.

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const JSON_OR_EVENTS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

type Headers = Readonly<Record<string, string>>;

/** A house with all that can be open, and somebody's token for a part of it. */
async function open(t: Test) {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary({ desktopId: "d1" }));
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let exports = 0;
  const openNow = recordings.open.bind(recordings);
  recordings.open = async (id) => {
    exports += 1;
    await isReleased;
    return openNow(id);
  };
  const agents = mcpHouse();
  const mcp = createMcp(agents.ports);
  const viewers: { readonly socket: WebSocket; readonly stream: Socket }[] = [];
  const house = await openHouse(t, {
    ...{ mcp, recordings },
    rfb: {
      attach: (socket, _desktopId, _options, _principal, stream) => {
        if (stream instanceof Socket) viewers.push({ socket, stream });
      },
      attachFar: () => {},
    },
  });
  t.teardown(async () => {
    release();
    house.desktops.get("d1").desktopFiles.close();
    await mcp.close();
  });
  const expiresAt = new Date(house.clock.date().getTime() + 5000);
  const desktops = ["d1", "one"];
  const toolsets = ["read", "input"];
  const { token, info } = await house.tokens.create("anna", "operator", { desktops, toolsets, expiresAt });
  return {
    ...{ house, mcp, viewers, info },
    host: await house.listen(),
    screen: agents.desktops.get("one"),
    /** What listens to it while nobody follows it. */
    idle: agents.desktops.get("one").listeners.size,
    headers: { authorization: `Bearer ${token}` },
    exports: () => exports,
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** A request whose answer may last; `ended` resolves when it is over. */
async function ask(
  { host, headers }: Pick<Opened, "headers" | "host">,
  path: string,
  options: RequestOptions & { readonly headers?: Headers } = {},
  body: object | string | null = null,
) {
  const asked = request(`http://${host}${path}`, { ...options, headers: { ...options.headers, ...headers } });
  asked.on("error", () => {});
  const ended = new Promise<void>((resolve) => asked.once("close", resolve));
  const answer = new Promise<IncomingMessage>((resolve) => asked.once("response", resolve));
  if (typeof body === "string") asked.write(body);
  else asked.end(body === null ? undefined : JSON.stringify(body));
  void answer.then((response) => response.on("error", () => {}).resume());
  return { ended, answer };
}

const post = (opened: Opened, message: object, headers: Headers = {}) =>
  ask(opened, "/mcp", { method: "POST", headers: { ...JSON_OR_EVENTS, ...headers } }, message);

async function joined(t: Test, { host, headers }: Opened, path: string): Promise<() => Promise<void>> {
  const peer = new SocketPeer(t, `ws://${host}${path}`, headers);
  await peer.opened;
  return async () => {
    t.equal(await peer.closed, 1008, path);
  };
}

/** All that lasts, each opened; the functions resolve when it is over. */
const LASTING: Readonly<Record<string, (t: Test, opened: Opened) => Promise<() => Promise<unknown>>>> = {
  events: (t, opened) => joined(t, opened, "/ws/events"),
  overlays: (t, opened) => joined(t, opened, "/ws/overlays?desktop=d1"),
  "a viewer": (t, opened) => joined(t, opened, "/ws/desktops/d1"),
  "noVNC's viewer": (t, opened) => joined(t, opened, "/websockify"),
  sound: (t, opened) => joined(t, opened, "/ws/desktops/d1/sound"),
  "MCP 2026-07-28, what it listens to": async (t, opened) => {
    const { screen, idle } = opened;
    const method = "subscriptions/listen";
    const params = { _meta: META, notifications: { resourceSubscriptions: ["screen://one"] } };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const { ended, answer } = await post(opened, { jsonrpc: "2.0", id: 1, method, params }, headers);
    t.equal((await answer).headers["content-type"], "text/event-stream");
    t.ok(screen.listeners.size > idle);
    return async () => {
      await ended;
      t.equal(screen.listeners.size, idle, "nothing is followed for it");
    };
  },
  "MCP 2025-11-25, a session with its stream and what it subscribed to": async (t, opened) => {
    const { screen, idle, mcp, info } = opened;
    const before = screen.listeners.size;
    const begun = await post(opened, {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    });
    const session = { "mcp-session-id": String((await begun.answer).headers["mcp-session-id"]) };
    await begun.ended;
    const subscribe = { id: 2, method: "resources/subscribe", params: { uri: "screen://one" } };
    for (const message of [{ method: "notifications/initialized" }, subscribe]) {
      await (await post(opened, { jsonrpc: "2.0", ...message }, session)).ended;
    }
    t.ok(screen.listeners.size > before);
    const { ended, answer } = await ask(opened, "/mcp", {
      headers: { accept: "text/event-stream", ...session },
    });
    t.equal((await answer).statusCode, 200);
    screen.pressedBy.add(info.id);
    t.equal(mcp.sessionsOf(info.id), 1);
    return async () => {
      await ended;
      t.equal(mcp.sessionsOf(info.id), 0, "before it is idle");
      t.equal(screen.listeners.size, idle, "and nothing is followed for it");
      t.match(screen.performed.at(-1), { action: { kind: "release" } }, "nor held");
    };
  },
  "MCP 2024-11-05, its stream": async (t, opened) => {
    const { ended, answer } = await ask(opened, "/sse", { headers: { accept: "text/event-stream" } });
    t.equal((await answer).statusCode, 200);
    return () => ended;
  },
  "a recording's export": async (_t, opened) => {
    const { ended } = await ask(opened, "/api/v1/recordings/r1/export.html");
    await until("the export", () => opened.exports() > 0);
    return () => ended;
  },
  "a file that is taken": async (_t, opened) => {
    const { desktopFiles, fileCommands } = opened.house.desktops.get("d1");
    desktopFiles.hear({ kind: "able" });
    const files = [{ path: "a", size: 5, isFolder: false }];
    desktopFiles.hear({ kind: "copied", list: 1, files });
    const { ended } = await ask(opened, "/api/v1/desktops/d1/files/copied/1/0");
    await until("the target is asked", () => fileCommands.length > 0);
    return () => ended;
  },
  "a file that is sent": async (_t, opened) => {
    const { house, info } = opened;
    const { sent } = house.desktops.get("d1").desktopFiles;
    house.desktops.get("d1").desktopFiles.hear({ kind: "able" });
    const path = "/api/v1/desktops/d1/files";
    const json = { "content-type": "application/json" };
    const body = { files: [{ name: "b", size: 5 }] };
    await (await ask(opened, path, { method: "POST", headers: json }, body)).ended;
    const sending = (): ReturnType<typeof sent.of>[number] | undefined => sent.of(info.id)[0];
    const headers = { "content-type": "application/octet-stream", "content-length": "5" };
    const to = `${path}/${sending()?.id}/0?offset=0`;
    const { ended } = await ask(opened, to, { method: "PUT", headers }, "he");
    await until("a part of it", () => sending()?.files[0]?.received === 2);
    return () => ended;
  },
};

/** As another process, or somebody by hand. */
function editTokens({ house, info }: Opened, edit: (token: object) => object | null): void {
  const path = join(house.dir, "tokens.json");
  const { tokens, ...file } = JSON.parse(readFileSync(path, "utf8"));
  const edited = tokens.flatMap((token: { id: string }) => {
    const now = token.id === info.id ? edit(token) : token;
    return now === null ? [] : [now];
  });
  writeFileSync(path, JSON.stringify({ ...file, tokens: edited }));
}

/** What ends it, and how a call to MCP is answered then. */
const ENDS: Readonly<Record<string, readonly [(opened: Opened) => unknown, number]>> = {
  "the token is revoked": [({ house, info }) => house.tokens.revoke(info.id), 401],
  "another process revokes it": [(opened) => editTokens(opened, () => null), 401],
  "its time is over": [({ house }) => house.clock.advance(4500), 401],
  "its role is another one": [(opened) => editTokens(opened, (token) => ({ ...token, role: "viewer" })), 403],
  "a desktop is taken from its list": [
    (opened) => editTokens(opened, (token) => ({ ...token, desktops: ["d1"] })),
    200,
  ],
  "tools are taken from it": [
    (opened) => editTokens(opened, (token) => ({ ...token, toolsets: ["read"] })),
    200,
  ],
};

for (const [name, [end, status]] of Object.entries(ENDS)) {
  t.test(`all that lasts ends where ${name}`, { timeout: 60_000 }, async (t) => {
    const opened = await open(t);
    const over: (readonly [string, () => Promise<unknown>])[] = [];
    for (const [what, begin] of Object.entries(LASTING)) over.push([what, await begin(t, opened)]);
    opened.house.clock.advance(400);
    await end(opened);
    opened.house.clock.advance(1000);
    for (const [what, isOver] of over) {
      await isOver();
      t.pass(what);
    }
    const after = await post(opened, { jsonrpc: "2.0", id: 9, method: "ping" });
    t.equal((await after.answer).statusCode, status);
  });
}

t.test("who does not answer a goodbye sends nothing more meanwhile", async (t) => {
  const { house, host, headers, info, viewers } = await open(t);
  const peer = new SocketPeer(t, `ws://${host}/ws/desktops/d1`, headers);
  await peer.opened;
  const [viewer] = viewers;
  if (viewer === undefined) throw new Error("no viewer");
  const taken: string[] = [];
  viewer.socket.on("message", (data) => taken.push(String(data)));
  peer.socket.send("before");
  await until("what is sent before", () => taken.length === 1);
  peer.socket.pause();
  await house.tokens.revoke(info.id);
  const { bytesRead } = viewer.stream;
  peer.socket.send("after");
  await until("what is sent after", () => viewer.stream.bytesRead > bytesRead);
  const gone = once(viewer.socket, "close");
  house.clock.advance(1000);
  await gone;
  t.same(taken, ["before"]);
});

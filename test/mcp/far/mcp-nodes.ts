import { createServer, type Server } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Test } from "tap";
import { principalCarried } from "../../../src/auth/carried-principal.ts";
import type { Principal } from "../../../src/auth/principal.ts";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { PlacedPart } from "../../../src/recording/join/opened-part.ts";
import { type CallingNode, CallingNodes } from "../../cluster/calls/calling-nodes.ts";
import { FakeRecordings, toldParts } from "../../web/fake-recordings.ts";
import { FakeDesktop } from "../fake-desktop.ts";
import { AGENT, fakeHouse, listen } from "../fake-house.ts";

export const INFO = { name: "test", version: "1" };
const CLOSED = { kind: "closed", sinceMs: 0, description: "" } as const;

/** `judge` changes on whose behalf another node's calls are taken; `told`: parts of recordings that nodes told of. */
interface NodeOptions {
  readonly judge?: ((one: Principal) => Principal) | undefined;
  readonly told?: readonly PlacedPart[];
}

/** A node with MCP. */
async function openNode(
  t: Test,
  nodes: CallingNodes,
  name: string,
  { judge = (one) => one, told = [] }: NodeOptions = {},
) {
  const node: CallingNode = await nodes.node(name);
  const recordings = new FakeRecordings(toldParts(name, told));
  const house = fakeHouse({ recordings });
  house.desktops.all.length = 0;
  const mcp = createMcp({ ...house.ports, fleet: node.fleet });
  const carried = new Set<string>();
  let streams = 0;
  const app: Server = createServer((req, res) => {
    const call = node.calls.of(req);
    const principal = call === null ? null : principalCarried(call.caller, call.node, systemClock);
    if (principal === null) throw new Error("expected a call of a node");
    carried.add(String(req.headers["mcp-method"]));
    streams++;
    res.once("close", () => streams--);
    mcp.handle(req, res, undefined, judge(principal)).catch((error: unknown) => t.fail(String(error)));
  });
  await node.listen(app);
  const served = await listen(mcp);
  t.teardown(() => served.close());
  const take = (): FakeDesktop => {
    const desktop = new FakeDesktop({ id: "far", name: "far", protocol: "vnc", host: "127.0.0.1" });
    house.desktops.all.push(desktop);
    nodes.give("far", name);
    return desktop;
  };
  const release = async (): Promise<void> => {
    const desktop = house.desktops.get("far");
    await house.desktops.remove("far");
    desktop.state = CLOSED;
    desktop.emit({ type: "state", state: CLOSED });
  };
  return { ...house, recordings, url: served.url, take, release, carried, streams: () => streams };
}

export async function openThree(t: Test, options: NodeOptions = {}) {
  const nodes = await CallingNodes.open(t);
  const near = await openNode(t, nodes, "near", { told: options.told ?? [] });
  const a = await openNode(t, nodes, "a", options);
  const b = await openNode(t, nodes, "b", options);
  return { nodes, near, a, b };
}

/** A client of 2026, and of what it was told. */
export async function modern(t: Test, url: URL) {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const requestInit = { headers: { authorization: `Bearer ${AGENT.id}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  t.teardown(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  return { client, heard };
}

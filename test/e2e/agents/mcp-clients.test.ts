import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import t from "tap";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { serveHouse } from "../../mcp/fake-house.ts";

/** One good call of every tool; the clients check each answer against the tool's output schema. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["take_screenshot", {}],
  ["take_screenshot", { if_changed_since: 7, monitor_index: 1 }],
  ["take_screenshot", { inline_base64: true, include_overlays: true }],
  ["click_at", { x: 10, y: 10, hold_keys: ["ctrl"] }],
  ["type_text", { text: "hello" }],
  ["draw_overlay", { x: 1, y: 1, width: 10, height: 10, label: "here", color: "#f80" }],
  ["batch_overlay", { overlays: [{ x: 1, y: 1, width: 10, height: 10 }], one_at_a_time: true }],
  ["remove_overlay", { overlay_id: "gone" }],
  ["clear_overlays", {}],
  ["get_clipboard", {}],
  ["set_clipboard", { text: "copied" }],
  ["get_display_info", { connection_id: "two" }],
  ["list_connections", {}],
  ["set_active_connection", { connection_id: "two" }],
  ["test_connection", { connection_id: "two" }],
  ["add_connection", { name: "third", host: "10.0.0.3", protocol: "vnc" }],
  ["remove_connection", { connection_id: "one" }],
];

/** One refused call of every kind. */
const REFUSED: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["click_at", { x: 5000, y: 1 }, "out_of_bounds"],
  ["click_at", { x: 1, y: 1, force: true }, "invalid_parameters"],
  ["take_screenshot", { connection_id: "no such" }, "not_found"],
  ["draw_overlay", { x: 1, y: 1, width: 1, height: 1, color: "blurple" }, "invalid_parameters"],
];

/** The part of both clients that this test uses. */
interface Conversation {
  readonly tools: readonly { name: string; annotations?: unknown; outputSchema?: unknown }[];
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
  readonly server: { name: string; version: string } | undefined;
  readonly instructions: string | undefined;
}

const HEADERS = { requestInit: { headers: { authorization: "Bearer admin" } } };

async function connect2026(url: URL): Promise<Conversation> {
  const client = new Client({ name: "new-client", version: "2" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, HEADERS));
  t.equal(client.getProtocolEra(), "modern");
  const { tools } = await client.listTools();
  return {
    tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

async function connect2025(url: URL): Promise<Conversation> {
  const client = new Client2025({ name: "old-client", version: "1" });
  const transport = new Transport2025(url, HEADERS);
  await client.connect(transport);
  t.ok(transport.sessionId, "it has a session");
  const { tools } = await client.listTools();
  return {
    tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

async function main(): Promise<void> {
  for (const [era, connect, clientName] of [
    ["2026-07-28", connect2026, "new-client"],
    ["2025-11-25", connect2025, "old-client"],
  ] as const) {
    await t.test(`a client of ${era} uses every tool, and its schemas hold`, async (t) => {
      const house = await serveHouse();
      t.teardown(() => house.close());
      const client = await connect(house.url);
      t.match(client.server, { name: "overlay-companion-mcp", version: "2026.11.21" });
      t.match(client.instructions, /take_screenshot/);
      t.same(
        client.tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      t.match(client.tools[0], {
        annotations: { readOnlyHint: true, title: "Take screenshot" },
        outputSchema: {},
      });
      for (const [name, args] of CALLS) {
        const result = await client.call(name, args);
        t.match(result, { content: [{ type: "text" }], structuredContent: {} }, name);
        t.notMatch(result, { isError: true }, name);
      }
      t.match(await client.call("take_screenshot", {}), {
        content: [{ type: "text" }, { type: "image", mimeType: "image/png", data: /^iVBOR/ }],
      });
      for (const [name, args, code] of REFUSED) {
        t.match(
          await client.call(name, args),
          {
            isError: true,
            content: [{ type: "text", text: new RegExp(`^${code}: `) }],
            structuredContent: { error: { code, message: String, hint: String } },
          },
          `${name} is refused`,
        );
      }
      t.same(
        CALLS.map(([name]) => name).filter((name) => !client.tools.some((tool) => tool.name === name)),
        [],
      );
      await t.rejects(client.call("no_such_tool", {}), /no_such_tool/);
      t.match(house.clients, [{ name: clientName, principal: { id: "admin" } }]);
      t.equal(house.clients.length, 1);
      t.match(house.records.at(0), { tool: "take_screenshot", clientName });
      t.same(house.logged, []);
      await client.close();
    });
  }
}

await main();

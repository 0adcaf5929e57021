import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import t from "tap";
import { listedTool } from "../../src/mcp/server/listing.ts";
import { createMcp } from "../../src/mcp/server/server.ts";
import type { BrowserPorts } from "../../src/mcp/tool/browser/browsers-of.ts";
import { servedTools } from "../../src/mcp/tool/tool.ts";
import { BROWSER_TOOLS } from "../../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../../src/mcp/tools/list.ts";
import { AGENT, fakeHouse, listen } from "./fake-house.ts";

/** Of an appliance where nothing more is configured. */
const SERVED = servedTools(TOOLS, {});

const NAMES = [
  ...["browser_create_tab", "browser_close_tab", "browser_get_tabs", "browser_get_accessibility_tree"],
  ...["browser_inject_script", "browser_execute_js", "browser_click", "browser_scroll", "browser_type"],
];

/** Browsers that can be paired for one principal, and none that is connected. */
function fakeBrowsers() {
  let told = (): void => {};
  let pairedFor = "";
  const ports: BrowserPorts = {
    browsers: {
      of: () => [],
      page: () => {
        throw new Error("no tab");
      },
      hasFor: ({ id }) => id === pairedFor,
      onPaired: (listener) => {
        told = listener;
        return () => {};
      },
    },
    gate: { perform: () => Promise.reject(new Error("nothing to do")), checkMay: () => {} },
    fetchScript: () => Promise.reject(new Error("nothing to fetch")),
  };
  return {
    ports,
    pairFor: (id: string): void => {
      pairedFor = id;
      told();
    },
  };
}

t.test("the browser tools are listed to whom a browser is paired for, and clients are told", async (t) => {
  const { ports, pairFor } = fakeBrowsers();
  const house = fakeHouse();
  const mcp = createMcp({ ...house.ports, browsers: ports });
  t.teardown(() => mcp.close());
  const { url, close } = await listen(mcp);
  t.teardown(close);
  const client = new Client({ name: "test", version: "1" });
  t.teardown(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url));
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  t.same(
    await names(),
    SERVED.map(({ name }) => name),
  );
  t.equal(client.getServerCapabilities()?.tools?.listChanged, true);
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  pairFor(AGENT.id);
  await changed;
  t.same((await names()).filter((name) => name.startsWith("browser_")).sort(), NAMES.sort());
  const tabs = await client.callTool({ name: "browser_get_tabs", arguments: {} });
  t.match(tabs, { structuredContent: { tabs: [], browsers: [] } });
  const away = await client.callTool({ name: "browser_create_tab", arguments: { url: "https://a.example" } });
  t.match(away, { isError: true, structuredContent: { error: { code: "browser_away" } } });
  pairFor("somebody else");
  t.same(
    (await names()).filter((name) => name.startsWith("browser_")),
    [],
  );
});

t.test("the browser tools are described, closed, and add little to the list", async (t) => {
  for (const tool of BROWSER_TOOLS) {
    t.match(tool.name, /^browser_[a-z_]+$/);
    t.ok(tool.title.length > 3 && tool.description.length > 60, `${tool.name} is described`);
    t.equal(tool.inputSchema["additionalProperties"], false);
    t.equal(tool.hints.readOnlyHint, tool.effect === "read");
    t.throws(() => tool.parse({ colour_of_magic: 1 }), /unknown field "colour_of_magic"/);
  }
  const listed = BROWSER_TOOLS.map(listedTool);
  const forModel = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const bytes = Buffer.byteLength(JSON.stringify(forModel));
  t.comment(`for a model: ${bytes} bytes; whole: ${Buffer.byteLength(JSON.stringify(listed))}`);
  t.ok(bytes <= 3.6 * 1024, `${bytes} bytes more for a model`);
});

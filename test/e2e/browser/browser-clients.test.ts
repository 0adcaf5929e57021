import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { ERAS } from "../harness/era-clients.ts";
import { inspect } from "../harness/inspector.ts";
import { requirePeers } from "../harness/peers.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

// The official SDKs as clients of each version of the protocol, and the Inspector, use all nine browser tools.

const TOOLS = [
  ...["browser_get_tabs", "browser_get_accessibility_tree", "browser_click", "browser_type"],
  ...["browser_scroll", "browser_create_tab", "browser_close_tab", "browser_execute_js"],
  "browser_inject_script",
];

const answerSchema = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()),
});

type Call = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

/** Each tool once, in a tab of its own, and one refusal. */
async function useAll(t: Test, raw: Call, site: string): Promise<void> {
  const call = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { structuredContent, isError, content } = answerSchema.parse(await raw(tool, args));
    if (isError) throw new Error(`${tool}: ${JSON.stringify(structuredContent)}`);
    t.equal(content[0]?.type, "text", tool);
    return structuredContent;
  };
  // The SDKs compile all schemas before a first call; the connection that they kept meanwhile may be closed by then.
  await until("the client to be ready", () => raw("browser_get_tabs", {}).catch(() => null));
  const { tab_id } = await call("browser_create_tab", { url: site });
  const ref = (words: string): Promise<string> =>
    until(`a line with ${words}`, async () => {
      const { tree } = await call("browser_get_accessibility_tree", { tab_id });
      const line = String(tree)
        .split("\n")
        .find((one) => one.includes(words));
      return /\[ref=(e\d+)\]/.exec(line ?? "")?.[1] ?? null;
    });
  const js = async (code: string): Promise<unknown> =>
    (await call("browser_execute_js", { tab_id, code }))["result"];
  const { tabs } = await call("browser_get_tabs", {});
  t.ok(Array.isArray(tabs) && tabs.some((tab) => tab.tab_id === tab_id), "the tab is listed");
  await call("browser_type", { tab_id, ref: await ref('textbox "Name"'), text: "Ada" });
  t.match(await call("browser_click", { tab_id, ref: await ref('button "Save"') }), { success: true });
  t.equal(await js("document.getElementById('out').textContent"), '"saved Ada true"');
  t.match(await call("browser_scroll", { tab_id, pixels: 300 }), { success: true });
  await call("browser_inject_script", { tab_id, script_url: `${site}/script.js` });
  t.equal(await js("document.title"), '"Injected"');
  await call("browser_close_tab", { tab_id });
  t.match(await raw("browser_get_accessibility_tree", { tab_id }), {
    isError: true,
    structuredContent: { error: { code: "tab_not_shared" } },
  });
}

/** A tool's arguments as the Inspector's command line takes them: what is no text as JSON. */
function argumentsOf(args: Record<string, unknown>): string[] {
  const told = Object.entries(args).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return told.length === 0 ? [] : ["--tool-arg", ...told];
}

t.test("clients of each version use the browser tools", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const site = await openBridgeSite(t);
  const appliance = await Appliance.start(t, { mode: "autopilot", env: { OC_BROWSER_SCRIPTS: "allow" } });
  const browser = await PersonBrowser.open(t);
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  for (const { era, connect } of ERAS) {
    await t.test(era, async (t) => {
      const client = await connect(new URL(`${appliance.url}/mcp`), appliance.adminToken);
      t.same(
        client.tools
          .map(({ name }) => name)
          .filter((name) => name.startsWith("browser_"))
          .sort(),
        [...TOOLS].sort(),
      );
      await useAll(t, client.call, site.url);
      await client.close();
    });
  }
  for (const path of ["/mcp", "/sse"]) {
    await t.test(`the Inspector at ${path}`, async (t) => {
      const call = (method: string, ...args: readonly string[]): Promise<unknown> =>
        inspect(
          `${appliance.url}${path}`,
          method,
          ...args,
          "--header",
          `Authorization: Bearer ${appliance.adminToken}`,
        );
      const { tools } = z
        .object({ tools: z.array(z.object({ name: z.string() })) })
        .parse(await call("tools/list"));
      t.same(
        tools
          .map(({ name }) => name)
          .filter((name) => name.startsWith("browser_"))
          .sort(),
        [...TOOLS].sort(),
      );
      await useAll(
        t,
        (tool, args) => call("tools/call", "--tool-name", tool, ...argumentsOf(args)),
        site.url,
      );
    });
  }
});

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import t, { type Test } from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { serveHouse } from "./fake-house.ts";

const INFO = { name: "test", version: "1" };

async function house(t: Test) {
  const served = await serveHouse();
  t.teardown(() => served.close());
  return served;
}

async function modern(t: Test, url: URL, principal = "agent-1"): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const requestInit = { headers: { authorization: `Bearer ${principal}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  t.teardown(() => client.close());
  return client;
}

async function legacy(t: Test, url: URL, principal = "agent-1"): Promise<LegacyClient> {
  const client = new LegacyClient(INFO);
  const requestInit = { headers: { authorization: `Bearer ${principal}` } };
  await client.connect(new LegacyTransport(url, { requestInit }));
  t.teardown(() => client.close());
  return client;
}

t.test("resources list the screens, the settings and one's own screenshots", async (t) => {
  const { url } = await house(t);
  const client = await modern(t, url);
  const uris = async (): Promise<string[]> => (await client.listResources()).resources.map(({ uri }) => uri);
  t.same(await uris(), ["screenshots://recent", "settings://current", "screen://one", "screen://two"]);
  await client.callTool({ name: "take_screenshot", arguments: {} });
  const mine = (await uris()).at(-1) ?? "";
  t.match(mine, /^screenshots:\/\/[-0-9a-f]{36}$/);
  const { contents } = await client.readResource({ uri: mine });
  t.match(contents, [{ uri: mine, mimeType: "image/png" }]);
  const other = await modern(t, url, "agent-2");
  t.equal((await other.listResources()).resources.length, 4, "another's are not listed");
  await t.rejects(other.readResource({ uri: mine }), { code: -32_602 }, "nor found");
  await t.rejects(client.readResource({ uri: "screenshots://nothing" }), { code: -32_602 });
  await t.rejects(client.readResource({ uri: "file:///etc/passwd" }), { code: -32_602 });
});

t.test("settings and recent screenshots are read as JSON, without secrets", async (t) => {
  const { url } = await house(t);
  const client = await modern(t, url);
  const read = async (uri: string): Promise<unknown> => {
    const [content] = (await client.readResource({ uri })).contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "");
  };
  const settings = await read("settings://current");
  t.match(settings, {
    capture: { keeps_on_disk: false },
    annotation: {},
    ai: {},
    ui: { desktops: [{}, {}] },
  });
  t.notMatch(JSON.stringify(settings), /hunter2/);
  t.match(await read("screenshots://recent"), { total: 0, screenshots: [] });
});

t.test("prompts carry the image, of now or of a screenshot, and say what they do not know", async (t) => {
  const { url } = await house(t);
  const client = await modern(t, url);
  t.same(
    (await client.listPrompts()).prompts.map(({ name }) => name),
    ["describe_ui", "extract_code", "generate_bug_report", "accessibility_audit"],
  );
  const { messages } = await client.getPrompt({
    name: "generate_bug_report",
    arguments: { context: "it crashed" },
  });
  t.match(messages, [
    { role: "user", content: { type: "image", mimeType: "image/png" } },
    { role: "user", content: { type: "text", text: /bug report[\s\S]*it crashed/ } },
  ]);
  await t.rejects(client.getPrompt({ name: "nonsense" }), { code: -32_602, message: /Unknown prompt/ });
  await t.rejects(client.getPrompt({ name: "describe_ui", arguments: { context: "x" } }), {
    message: /got the argument "context"/,
  });
  await t.rejects(client.getPrompt({ name: "describe_ui", arguments: { screenshot_id: "x" } }), {
    message: /not_found/,
  });
});

t.test("ids complete, one's own only", async (t) => {
  const { url } = await house(t);
  const client = await modern(t, url);
  const ask = async (uri: string, value: string): Promise<readonly string[]> =>
    (
      await client.complete({
        ref: { type: "ref/resource", uri },
        argument: { name: "id", value },
      })
    ).completion.values;
  t.same(await ask("screen://{id}", ""), ["one", "two"]);
  t.same(await ask("screen://{id}", "Te"), ["two"], "by name too");
  t.same(await ask("screenshots://{id}", ""), []);
  await client.callTool({ name: "take_screenshot", arguments: {} });
  t.equal((await ask("screenshots://{id}", "")).length, 1);
  const other = await modern(t, url, "agent-2");
  const theirs = await other.complete({
    ref: { type: "ref/prompt", name: "describe_ui" },
    argument: { name: "screenshot_id", value: "" },
  });
  t.same(theirs.completion.values, []);
});

t.test("a 2025-era client that subscribed to a screen is told when it changed", async (t) => {
  const { url, desktops } = await house(t);
  const client = await legacy(t, url);
  const told = new Promise<string>((resolve) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
  });
  await client.subscribeResource({ uri: "screen://two" });
  desktops.get("one").paint(rect(0, 0, 10, 10));
  desktops.get("two").paint(rect(0, 0, 10, 10));
  t.equal(await told, "screen://two");
  await client.unsubscribeResource({ uri: "screen://two" });
  await t.rejects(client.subscribeResource({ uri: "screen://three" }), { code: -32_602 });
});

t.test("a 2026-era client that listens to a screen is told, and only of its own", async (t) => {
  const { url, desktops } = await house(t);
  const client = await modern(t, url);
  const other = await modern(t, url, "agent-2");
  const heard: string[] = [];
  let wake: () => void = () => {};
  const told = new Promise<void>((resolve) => {
    wake = resolve;
  });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
    wake();
  });
  const subscription = await client.listen({ resourceSubscriptions: ["screen://one"] });
  // Another principal's frequency is its own: this one says never.
  await other.callTool({ name: "set_screenshot_frequency", arguments: { mode: "manual" } });
  desktops.get("one").paint(rect(0, 0, 10, 10));
  await told;
  t.same(heard, ["screen://one"]);
  await subscription.close();
});

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import t, { type Test } from "tap";
import * as z from "zod";
import { Analysts } from "../../src/analysis/analysts.ts";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { auditMcp } from "../../src/audit/mcp-audit.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeRecordings, recordingSummary } from "../web/fake-recordings.ts";
import { type FakeHouseOptions, serveHouse } from "./fake-house.ts";
import { SAVED_TEXT } from "./saved-text.ts";

const INFO = { name: "test", version: "1" };

async function house(t: Test, options: FakeHouseOptions = {}) {
  const served = await serveHouse(options);
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
  t.match(contents, [
    { uri: mine, mimeType: "image/png" },
    { uri: mine, mimeType: "application/json" },
  ]);
  const [, facts] = contents;
  t.match(JSON.parse(facts !== undefined && "text" in facts ? facts.text : ""), {
    ...{ uri: mine, mode: "fullscreen", width: 1920, height: 800, connection_name: String },
    ...{ taken_at: /^20/, size_bytes: Number, region: { x: 0, y: 0, width: 1920, height: 800 } },
  });
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
    ai: {
      text_recognition: true,
      ocr_languages: ["deu", "eng"],
      analysis_providers: [],
      default_provider: null,
    },
    ui: { desktops: [{}, {}] },
  });
  t.notMatch(JSON.stringify(settings), /hunter2/);
  t.match(await read("screenshots://recent"), { total: 0, screenshots: [], untrusted: true });
});

t.test("settings name the models that may be asked about a picture, and no key", async (t) => {
  const model = { model: "model-1", apiKey: "hunter2", endpoint: "http://127.0.0.1:9" };
  const analysts = new Analysts({
    providers: { ollama: { ...model, apiKey: null }, claude: model },
    ...{ preferred: "claude", timeoutMs: 1000 },
  });
  const { url } = await house(t, { analysts });
  const client = await modern(t, url);
  const [content] = (await client.readResource({ uri: "settings://current" })).contents;
  const text = content !== undefined && "text" in content ? content.text : "";
  const { ai } = z
    .object({ ai: z.looseObject({ analysis_providers: z.array(z.string()) }) })
    .parse(JSON.parse(text));
  t.same([...ai.analysis_providers].sort(), ["claude", "ollama"]);
  t.match(ai, { default_provider: "claude" });
  t.notMatch(text, /hunter2/);
});

t.test("how long screenshots are kept is as it was configured", async (t) => {
  const { url } = await house(t, { screenshots: { memoryBytes: 1000, keepMs: 0 } });
  const client = await modern(t, url);
  const { contents } = await client.readResource({ uri: "settings://current" });
  const [settings] = contents;
  t.match(JSON.parse(settings !== undefined && "text" in settings ? settings.text : ""), {
    capture: { keep_ms: 0, memory_bytes: 1000, held_bytes: 0 },
  });
  await client.callTool({ name: "take_screenshot", arguments: {} });
  const { resources } = await client.listResources();
  t.notOk(
    resources.some(({ uri }) => /^screenshots:\/\/[0-9a-f]{8}-/.test(uri)),
    "nothing is kept",
  );
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
  const judged = async (name: string, args: Record<string, string>): Promise<string> =>
    JSON.stringify((await client.getPrompt({ name, arguments: args })).messages[1]);
  t.match(await judged("generate_bug_report", {}), /how severe it is/, "else it is to be judged");
  t.match(await judged("generate_bug_report", { severity: "blocker" }), /Its severity was set: blocker/);
  t.match(await judged("accessibility_audit", { least_severity: "serious" }), /less severe than: serious/);
  await t.rejects(client.getPrompt({ name: "nonsense" }), { code: -32_602, message: /Unknown prompt/ });
  await t.rejects(client.getPrompt({ name: "describe_ui", arguments: { context: "x" } }), {
    message: /got the argument "context"/,
  });
  await t.rejects(client.getPrompt({ name: "describe_ui", arguments: { screenshot_id: "x" } }), {
    message: /not_found/,
  });
});

t.test("every picture that a resource or a prompt gives is told, and nothing else is", async (t) => {
  const { url, pictures } = await house(t);
  const client = await modern(t, url);
  await client.readResource({ uri: "screen://two" });
  await client.getPrompt({ name: "describe_ui" });
  await client.callTool({ name: "take_screenshot", arguments: {} });
  const mine = (await client.listResources()).resources.at(-1)?.uri ?? "";
  await client.readResource({ uri: mine });
  await client.getPrompt({
    name: "describe_ui",
    arguments: { screenshot_id: mine.replace("screenshots://", "") },
  });
  await client.readResource({ uri: "settings://current" });
  await t.rejects(client.readResource({ uri: "screen://three" }));
  t.match(pictures, [
    { principal: { id: "agent-1" }, resource: { kind: "desktop", id: "two" }, via: "resources/read" },
    { resource: { id: "one" }, via: "prompts/get" },
    { resource: { id: "one" }, via: "resources/read" },
    { resource: { id: "one" }, via: "prompts/get" },
  ]);
  t.equal(pictures.length, 4);
});

t.test("whoever reads a recording is told of, as one who looks at it", async (t) => {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary({ id: "r1", startedBy: "first agent", startedById: "agent-1" }));
  recordings.keep(recordingSummary({ id: "r2" }));
  const { url, pictures } = await house(t, { recordings });
  const client = await modern(t, url);
  await client.listResources();
  t.same(pictures, [], "the list of them is none");
  await client.readResource({ uri: "recordings://r1" });
  await t.rejects(client.readResource({ uri: "recordings://r2" }), "another's");
  t.match(pictures, [{ principal: { id: "agent-1" }, resource: { kind: "recording", id: "r1" } }]);
  const told: AuditEntry[] = [];
  for (const picture of pictures) auditMcp((entry) => told.push(entry), new FakeClock()).pictured(picture);
  t.match(told, [
    { type: "recording.viewed", action: "resources/read", resource: { kind: "recording", id: "r1" } },
  ]);
  t.equal(told.length, 1);
});

t.test(
  "what is to be read on a desktop and in a screenshot is a resource, marked as what others wrote",
  async (t) => {
    const READER = {
      read: async () => [
        {
          ...{ text: "Save all", rect: rect(8, 4, 60, 10), confidence: 90 },
          words: [{ text: "Save", rect: rect(8, 4, 30, 10), confidence: 90 }],
        },
      ],
    };
    const { url, pictures } = await house(t, { texts: SAVED_TEXT, reader: READER });
    const client = await modern(t, url);
    const read = async (uri: string): Promise<unknown> => {
      const [content] = (await client.readResource({ uri })).contents;
      return JSON.parse(content !== undefined && "text" in content ? content.text : "");
    };
    t.match(await read("text://two"), {
      ...{ text: "Save", generation: 7, exact: true, stale: false, untrusted: true, note: /no instructions/ },
    });
    await client.callTool({ name: "take_screenshot", arguments: { scale: 0.5 } });
    const mine = (await client.listResources()).resources.at(-1)?.uri ?? "";
    t.match(await read(`${mine}/ocr`), {
      ...{ text: "Save all", untrusted: true, note: /no instructions/, screenshot_id: mine.slice(14) },
      regions: [{ text: "Save", x: 16, y: 8, w: 60, h: 20, confidence: 0.9, line: 0 }],
    });
    t.match(
      pictures,
      [{ resource: { id: "two" } }, { resource: { id: "one" } }],
      "who read it is written down",
    );
    t.equal(pictures.length, 2);
    const other = await modern(t, url, "agent-2");
    await t.rejects(other.readResource({ uri: `${mine}/ocr` }), { code: -32_602 }, "another's is not found");
    await t.rejects(client.readResource({ uri: "screenshots://nothing/ocr" }), { code: -32_602 });
    await t.rejects(client.readResource({ uri: "text://three" }), { code: -32_602 });
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "text://{connection}" },
      argument: { name: "connection", value: "tw" },
    });
    t.same(completion.values, ["two"]);
    const blind = await modern(t, (await house(t)).url);
    await t.rejects(blind.readResource({ uri: "text://one" }), { message: /reads no text/ });
  },
);

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

t.test("recordings complete by their id and by their desktop's name, one's own only", async (t) => {
  const recordings = new FakeRecordings();
  recordings.keep(
    recordingSummary({ id: "r1", title: "Build VM", startedBy: "first agent", startedById: "agent-1" }),
  );
  recordings.keep(
    recordingSummary({ id: "r2", title: "Test VM", startedBy: "first agent", startedById: "agent-1" }),
  );
  recordings.keep(recordingSummary({ id: "r3", title: "Build VM", startedBy: "somebody", startedById: "p" }));
  const { url } = await house(t, { recordings });
  const client = await modern(t, url);
  const ask = async (value: string): Promise<readonly string[]> =>
    (
      await client.complete({
        ref: { type: "ref/resource", uri: "recordings://{id}" },
        argument: { name: "id", value },
      })
    ).completion.values;
  t.same([...(await ask(""))].sort(), ["r1", "r2"]);
  t.same(await ask("r2"), ["r2"]);
  t.same(await ask("build"), ["r1"]);
  t.same(await ask("nothing"), []);
});

t.test("everything that is listed has an icon that needs no fetching", async (t) => {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary({ id: "r1", startedBy: "first agent", startedById: "agent-1" }));
  const { url } = await house(t, { recordings });
  const client = await modern(t, url);
  await client.callTool({ name: "take_screenshot", arguments: {} });
  const lists = [
    (await client.listTools()).tools,
    (await client.listResources()).resources,
    (await client.listResourceTemplates()).resourceTemplates,
    (await client.listPrompts()).prompts,
  ];
  for (const list of lists) {
    t.ok(list.length >= 3);
    for (const { name, icons } of list) {
      t.match(icons, [{ src: /^data:image\/svg\+xml,%3Csvg/ }], name);
    }
  }
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

t.test(
  "who listens before there is a picture is told when there is one, and of what changes then",
  async (t) => {
    const { url, desktops } = await house(t);
    const desktop = desktops.get("one");
    desktop.isBlank = true;
    const client = await modern(t, url);
    const heard: string[] = [];
    let wake: () => void = () => {};
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri);
      wake();
    });
    const next = (cause: () => void): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
        cause();
      });
    const subscription = await client.listen({ resourceSubscriptions: ["screen://one"] });
    desktop.isBlank = false;
    const state = { kind: "live", sinceMs: 0, description: "" } as const;
    await next(() => desktop.emit({ type: "state", state }));
    await next(() => desktop.paint(rect(0, 0, 10, 10)));
    t.same(heard, ["screen://one", "screen://one"]);
    await subscription.close();
  },
);

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { createWebSocketStream, WebSocket } from "ws";
import * as z from "zod";
import { WAYS_OUT } from "../../../scripts/docs-ways-out.ts";
import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import { ANSWERS, FakeProvider } from "../../analysis/providers.ts";
import { PostServer } from "../../push/push-house.ts";
import { filesOf } from "../../support/files-of.ts";
import { OtlpCollector } from "../../support/otlp/otlp-receiver.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { coreRules } from "../harness/core-files.ts";
import { requirePeers } from "../harness/peers.ts";
import { dumpMemory } from "../harness/process-memory.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import type { Shot } from "../harness/xwd.ts";
import { CanaryPerson } from "../privacy/canary-person.ts";
import { CanaryPictures, isPlain, shotOf } from "../privacy/canary-pictures.ts";
import { CanaryScreen } from "../privacy/canary-screen.ts";
import { CanarySearch, type Place } from "../privacy/canary-search.ts";
import { isReadIn, readForeign } from "../privacy/foreign-reader.ts";
import { plantedTexts, randomOf } from "../privacy/planted.ts";
import { frameOf, Sight } from "../privacy/sight.ts";
import { WaysGone } from "../privacy/ways-gone.ts";

// 200 secrets: stored ones and seeds of one-time codes that are typed by their names, private text on the screen, and
// text under a mask. Besides: what an agent types and copies as it is, and what a person types, copies, pastes and sees in
// a private time. None of them may be found in what agents, people's browsers, logs, files, receivers of others and a core
// file hold, in no spelling and in nothing packed. Wherever is looked something that is no secret is there too, and must
// be found. Every way of docs/ways-out.md is gone but those of NOT_GONE. At the end the server crashes where the system
// would write a core file of any size.

const run = promisify(execFile);

const STORED = 60;
const CODES = 40;
const PRIVATE = 50;
const MASKED = 50;
/** Of each kind of text that is typed, copied or shown as it is. */
const PLAIN = 10;
/** A text may name so many at once. */
const AT_ONCE = 10;
const LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789#%+=?";
/** Of what is not read from a screen: also what texts write otherwise. */
const ALL_LETTERS = `${LETTERS}"\\<&'`;
const SMALL = "abcdefghijkmnopqrstuvwxyz";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const CLEAN = "Clean words that anybody may read";
/** The desktop's name: no secret, and told nearly everywhere. */
const CONTROL = "Mole-hill-canary-control";

/** Pictures of the pixels as they are, which are searched for what the target shows. */
const EXACT = [
  ...["agent: take_screenshot", "agent: zoom", "agent: auto_redact_pii", "agent: get_frame_at"],
  ...["agent: annotate_screenshot", "agent: computer"],
  ...["viewer", "approval", "screenshot.png", "screenshot.webp", "frame.png"],
  ...["export.png", "export.html", "export.frames", "VNC listener", "replay"],
  ...["before.png", "after.png", "agent: screen://", "agent: screenshots://", "agent: describe_ui"],
  ...["agent: batch_actions", "answer of a link", "websockify", "player", "chunks"],
  ...["model provider"],
];
/** Ways that this desktop has not: RDP's alone, and a store of objects, which gets the files of recordings as they are. */
const NOT_GONE = [
  "GET /ws/desktops/:id/sound",
  "GET /api/v1/desktops/:id/files",
  "GET /api/v1/desktops/:id/files/copied/:list/:index",
  "stream archive of recordings",
];
/** What an agent is given to read by address, and as a prompt. */
const PROMPTS = ["describe_ui", "extract_code", "generate_bug_report", "accessibility_audit"];
/** Where the browser of a person keeps what pages say and do, below its profile: each has what was planted, or the desktop's name. */
const KEPT_BY_BROWSER = [
  ...["Local Storage", "Session Storage", "IndexedDB", "Service Worker", "Sessions", "History"],
] as const;

/** What a seed of one-time codes stands for, RFC 4648 section 6. */
function keyOf(seed: string): Buffer {
  const bits = [...seed].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Ends with the stream, also where that breaks off. */
async function keepText(stream: ReadableStream<Uint8Array>, kept: string[]): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  const at = kept.push("") - 1;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) kept[at] += read.value;
  } catch (error) {
    kept[at] += `\n${error}`;
  }
}

const idSchema = z.object({ id: z.string() });
const actionsSchema = z.array(
  z.looseObject({ id: z.string(), kind: z.string(), pictures: z.unknown().nullable() }),
);
const replaySchema = z.object({
  width: z.int(),
  height: z.int(),
  frames: z.array(z.record(z.string(), z.unknown())),
});
const linkSchema = z.object({ url: z.string() });
const openedSchema = z.looseObject({ picture: z.string() });
const elementsSchema = z.looseObject({ elements: z.array(z.looseObject({ id: z.string() })).min(1) });
const batchSchema = z.looseObject({ completed: z.int(), failed: z.unknown() });
/** Of Ollama's API. */
const questionSchema = z.looseObject({
  messages: z.array(z.looseObject({ images: z.array(z.string()).default([]) })),
});
const refusedSchema = z.looseObject({ error: z.looseObject({ code: z.string() }) });

t.test("200 planted secrets are in nothing that leaves or stays", { timeout: 900_000 }, async (t) => {
  const peers = [
    "Xtigervnc",
    "xterm",
    "xdotool",
    "xwd",
    "chromium",
    "ffmpeg",
    "tesseract",
    "xclip",
    "zstd",
  ] as const;
  if (!requirePeers(t, peers)) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-canaries-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const random = randomOf(17);
  const word = (letters: string, length: number): string =>
    Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
  const stored = Array.from({ length: STORED }, () => word(ALL_LETTERS, 20));
  const seeds = Array.from({ length: CODES }, () => word(BASE32, 32));
  const privates = plantedTexts(random, PRIVATE).map(({ text }) => text);
  const masked = Array.from({ length: MASKED }, () => word(LETTERS, 20));
  const plain = (): string[] => Array.from({ length: PLAIN }, () => word(ALL_LETTERS, 20));
  const [byAgent, ofAgent, byPerson, pasted, copied] = [plain(), plain(), plain(), plain(), plain()];
  // Words, which no mask takes for private.
  const shown = Array.from({ length: PLAIN }, () => [6, 6, 6].map((length) => word(SMALL, length)).join(" "));
  const planted = [...stored, ...seeds, ...privates, ...masked];
  const secrets = [...planted, ...byAgent, ...ofAgent, ...byPerson, ...pasted, ...copied, ...shown];
  t.equal(new Set(planted).size, STORED + CODES + PRIVATE + MASKED);
  t.equal(new Set(secrets).size, planted.length + 6 * PLAIN);
  const search = new CanarySearch(folder);
  const bytesOf = (text: string) => (seeds.includes(text) ? { bytes: keyOf(text) } : {});

  const screen = await CanaryScreen.start(t, folder);
  const { display } = screen;
  const { place: left } = await screen.list("private", "44x51+0+0", privates);
  const { place: right } = await screen.list("masked", "44x51+400+0", masked);
  const typedFile = join(folder, "typed");
  const prompt = await display.openTerminal(
    "prompt",
    "90x4+0+900",
    `stty raw -echo; printf '\\033[?25l${CLEAN}'; : > '${typedFile}'; exec cat > '${typedFile}'`,
  );
  await display.command("xdotool", "windowfocus", "--sync", prompt);
  const sight = new Sight();
  sight.looks = await screen.looksOf([
    [left, privates],
    [right, masked],
  ]);
  const clean = new Sight();
  clean.looks = await screen.looksOf([[await display.placeOf(prompt), [CLEAN]]]);
  t.equal(await screen.count(sight), PRIVATE + MASKED, "all are found where they are");

  const dataDir = join(folder, "data");
  /** Webhooks and the audit log, and what watches the server. */
  const [posts, collector] = [await PostServer.open(t), await OtlpCollector.open(t)];
  const provider = await FakeProvider.open(t, { body: ANSWERS.ollama });
  const config = join(folder, "config.yaml");
  const connections = [{ url: `vnc://127.0.0.1:${display.vncPort}`, name: CONTROL }];
  const key = "a key of sixteen characters";
  const webhooks = [{ name: "phones", url: `${posts.url}/hook`, key, link: "ticket" }];
  const push = { base_url: "https://desks.example.com", webhooks };
  const analysis = { ollama: { model: "llava:test", endpoint: provider.url } };
  writeFileSync(config, JSON.stringify({ connections, push, analysis }));
  const crashFolder = join(folder, "crash");
  mkdirSync(crashFolder);
  const start = (): Promise<Appliance> =>
    Appliance.start(t, {
      args: ["--data-dir", dataDir, "--config", config],
      hasVnc: true,
      coreFolder: crashFolder,
      env: {
        ...{ OC_LOG_LEVEL: "debug", OC_APPROVAL_ARMING_MS: "0", OC_RECORDING_TEXT: "on" },
        ...{ OC_VNC_SECURITY: "none" },
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: "1000" },
        ...{ AUDIT_HTTP_ENDPOINT: `${posts.url}/audit`, AUDIT_REQUESTS: "all" },
      },
    });
  const logs: string[] = [];
  /** All that agents got, as it came. */
  const mcp: string[] = [];
  const hearingFetch: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    if (answer.body === null) return answer;
    const [forAgent, copy] = answer.body.tee();
    void keepText(copy, mcp);
    return new Response(forAgent, answer);
  };
  /** All that people got by REST. */
  const rest: string[] = [];
  const gone = new WaysGone();
  let appliance = await start();
  const ask = async (path: string, body?: unknown, method?: string): Promise<unknown> => {
    gone.addPath(path, method ?? (body === undefined ? "GET" : "POST"));
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { authorization: `Bearer ${appliance.adminToken}`, ...json };
    const answer = await appliance.fetch(path, body, {
      ...(method === undefined ? {} : { method }),
      headers,
    });
    const text = await answer.text();
    rest.push(text);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return text === "" ? null : JSON.parse(text);
  };
  const load = async (path: string): Promise<Buffer> => {
    gone.addPath(path);
    const answer = await appliance.fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const [desktop] = z.array(idSchema).parse(await ask("/api/v1/desktops"));
  const desktopId = desktop?.id ?? "";
  const desktopPath = `/api/v1/desktops/${desktopId}`;
  await ask(`${desktopPath}/masks`, { text: { kinds: PRIVATE_KINDS }, label: "Private" });
  await ask(`${desktopPath}/masks`, {
    rect: { x: right.x, y: right.y, width: right.width, height: right.height },
  });
  const rules = { desktops: [desktopId], agents: ["*"] };
  for (const [nth, value] of stored.entries())
    await ask(`/api/v1/secrets/s${nth}`, { value, ...rules }, "PUT");
  for (const [nth, totp] of seeds.entries()) await ask(`/api/v1/secrets/c${nth}`, { totp, ...rules }, "PUT");
  // The one who enters a secret holds it: what a process that only has it typed keeps is looked at.
  await appliance.program.stop("SIGTERM");
  logs.push(appliance.program.stdout, appliance.program.stderr);

  appliance = await start();
  const agentToken = readFileSync(join(dataDir, "agent-token"), "utf8").trim();
  const agent = await appliance.agent({ token: agentToken, fetch: hearingFetch });
  const pictures = new CanaryPictures();
  /** All images in an answer of any shape. */
  const keepImages = async (what: string, answer: unknown): Promise<void> => {
    for (const [, base64 = ""] of JSON.stringify(answer).matchAll(/"(?:blob|data)":"([A-Za-z0-9+/=]+)"/g))
      await pictures.addFile(what, Buffer.from(base64, "base64"));
  };
  const answerOf = async (tool: string, args: Record<string, unknown> = {}) => {
    const answer = await agent.raw(tool, args);
    gone.add(`tool ${tool}`);
    await keepImages(`agent: ${tool}`, answer);
    const { isError, structuredContent } = z
      .object({
        isError: z.boolean().optional(),
        structuredContent: z.record(z.string(), z.unknown()).optional(),
      })
      .parse(answer);
    return { isError, told: structuredContent ?? {} };
  };
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { isError, told } = await answerOf(tool, args);
    if (isError === true) throw new Error(`${tool}: ${JSON.stringify(told)}`);
    return told;
  };
  await until("a picture", () => call("take_screenshot"), 60_000);
  await call("list_connections");
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await call("start_recording"));
  const startedMs = performance.now();
  const recordedMs = (): number => Math.floor(performance.now() - startedMs);
  const { subscription_id } = await call("subscribe_events", {
    events: ["key_press", "screen_change", "clipboard"],
  });

  // A person looks at all of it meanwhile, in a browser with a profile of its own.
  const profile = join(folder, "profile");
  const person = await CanaryPerson.open(t, appliance, { desktopId, profile });
  await until("a picture in the browser", () => person.seen(), 60_000);
  await person.plant(CONTROL);

  const typed = (): string => readFileSync(typedFile, "latin1");
  let expected = "";
  for (let from = 0; from < STORED; from += AT_ONCE) {
    const names = stored.slice(from, from + AT_ONCE).map((_, nth) => `{{secret:s${from + nth}}}`);
    await call("type_text", { text: names.join(" "), intent: `signs in with ${names[0]}` });
    expected += stored.slice(from, from + AT_ONCE).join(" ");
    await until("what was typed", () => typed().length >= expected.length);
    t.ok(typed() === expected, "typed as they are");
  }
  const codes: string[] = [];
  for (let from = 0; from < CODES; from += AT_ONCE) {
    const names = seeds.slice(from, from + AT_ONCE).map((_, nth) => `{{totp:c${from + nth}}}`);
    await call("type_text", { text: names.join(" ") });
    const length = expected.length + AT_ONCE * 7 - 1;
    await until("the codes", () => typed().length >= length);
    codes.push(...typed().slice(expected.length).split(" "));
    expected = typed();
  }
  t.equal(codes.filter((code) => /^\d{6}$/.test(code)).length, CODES);
  const plainly = byAgent.join(" ");
  await call("type_text", { text: plainly, intent: `signs in with ${plainly}` });
  await until("what the agent typed", () => typed().length >= expected.length + plainly.length);
  t.ok(typed() === expected + plainly, "typed as it is");
  await call("set_clipboard", { text: ofAgent.join(" "), intent: `keeps ${ofAgent[0]}` });
  await until("it there", async () => (await display.readClipboard()) === ofAgent.join(" "));
  const untilClean = (): Promise<unknown> =>
    until(
      "the clean words",
      async () => /Clean words/.test(z.object({ text: z.string() }).parse(await call("read_text")).text),
      240_000,
    );
  // What a question shows is around the last press.
  await call("click_at", { x: 140, y: 940 });
  await untilClean();
  await ask(`${desktopPath}/mode`, { mode: "assist" });
  const asked = call("type_text", { text: "{{secret:s0}}" });
  const { id: approval } = await until("the question", async () => {
    const [open] = z.array(idSchema).parse(await ask("/api/v1/approvals"));
    return open ?? null;
  });
  await pictures.addFile("approval", await load(`/api/v1/approvals/${approval}/picture.png`));
  // As who gets the link of a push sees it.
  const link = await until("the push", () => {
    const post = posts.had.find(({ path, body }) => path === "/hook" && body.includes(approval));
    return post === undefined ? null : linkSchema.parse(JSON.parse(post.body)).url;
  });
  const ticket = new URL(link).hash.slice("#t=".length);
  const { picture } = openedSchema.parse(await ask("/api/v1/answers/open", { ticket }));
  await pictures.addFile("answer of a link", Buffer.from(picture, "base64"));
  await ask(`/api/v1/approvals/${approval}`, { decision: "approve" });
  await asked;
  await ask(`${desktopPath}/mode`, { mode: "autopilot" });

  // A person has it for themselves: types, pastes, copies and looks at what nobody else may have.
  const reason = { reason: "Log in, please", kind: "login", private: true };
  const { request_id } = z.object({ request_id: z.string() }).parse(await call("request_human", reason));
  await person.take(request_id);
  const privateMs = [recordedMs()];
  const secretList = await screen.list("shown", "22x11+770+0", shown);
  sight.looks = [...sight.looks, ...(await screen.looksOf([[secretList.place, shown]]))];
  const isSeen = async (): Promise<boolean> => {
    const seen = await person.seen();
    return seen !== null && new Set(sight.find(frameOf(seen), null).map(({ text }) => text)).size === PLAIN;
  };
  await until("the person sees it", isSeen, 120_000);
  const before = typed();
  await person.type(byPerson.join(" "));
  await until("what the person typed", () => typed().length >= before.length + byPerson.join(" ").length);
  t.ok(typed() === before + byPerson.join(" "), "typed as it is");
  await person.openClipboard();
  await person.sendClipboard(pasted.join(" "));
  await until("it there", async () => (await display.readClipboard()) === pasted.join(" "));
  await display.writeClipboard(copied.join(" "));
  await until("it here", async () => (await person.copied()) === copied.join(" "));
  await person.closeClipboard();
  for (const tool of ["take_screenshot", "read_text", "get_clipboard", "get_elements"]) {
    const { told } = await answerOf(tool);
    t.equal(refusedSchema.parse(told).error.code, "private_time", tool);
  }
  await call("poll_events", { subscription_id });
  await display.command("xdotool", "windowkill", secretList.window);
  await until("it is gone", async () => (await screen.count(sight)) === PRIVATE + MASKED);
  privateMs.push(recordedMs());
  await person.done(request_id);
  t.match(await call("get_clipboard"), { text: "", available: false }, "nor afterwards");

  // The memory of the process that typed them: what a core file of a crash would hold. What was entered over REST stays until
  // its memory is used again, which takes a while where little happens: see docs/operations/secrets.md.
  for (let round = 0; round < 50; round++)
    await Promise.all(Array.from({ length: 20 }, () => load("/metrics")));
  const core = join(folder, "core");
  const coreBytes = dumpMemory(appliance.program.pid ?? 0, core);
  t.ok(coreBytes > 50 * 2 ** 20, `${Math.round(coreBytes / 2 ** 20)} MiB of memory`);
  search.add({ what: "core", content: [core], control: agentToken, isMemory: true });

  // All that agents can do, where nothing is but the clean words.
  await untilClean();
  const { elements } = elementsSchema.parse(await call("get_elements"));
  const empty = { x: 700, y: 960 };
  const cleanText = { text: "Clean words" };
  const steps = [
    { tool: "move_mouse", arguments: empty },
    { tool: "cursor_position" },
    { tool: "mouse_down", arguments: empty },
    { tool: "mouse_up", arguments: empty },
    { tool: "drag", arguments: { path: [empty, { x: 720, y: 970 }], duration_ms: 0 } },
    { tool: "scroll", arguments: { ...empty, dy: 1 } },
    { tool: "paste_text", arguments: { text: CONTROL } },
    { tool: "press_keys", arguments: { keys: "shift" } },
    { tool: "click_element", arguments: { element_id: elements[0]?.id } },
    { tool: "wait", arguments: { duration_ms: 1 } },
    { tool: "wait_for", arguments: { condition: "text", ...cleanText, timeout_ms: 50_000 } },
    { tool: "expect_text", arguments: { ...cleanText, timeout_ms: 50_000 } },
    { tool: "click_text", arguments: { ...cleanText, nth: 1 } },
    // For viewers whose pointer is painted into their picture, not on the clean words.
    { tool: "move_mouse", arguments: empty },
  ];
  const { completed, failed } = batchSchema.parse(
    await call("batch_actions", { actions: steps, return_screenshot: "after_stable" }),
  );
  t.same([completed, failed], [steps.length, null], "all of them");
  for (const { tool } of steps) gone.add(`tool ${tool}`);
  await untilClean();
  await call("add_anchor", { anchor_id: "clean", x: 5, y: 905, width: 90, height: 30 });
  await call("re_anchor_element", { anchor_id: "clean" });
  // And all that they can ask of it.
  const { screenshot_id } = await call("take_screenshot");
  t.match(await call("ocr_screenshot"), { text: /Clean words/ });
  await call("ocr_screenshot", { screenshot_id });
  await call("analyze_screenshot", { screenshot_id, prompt: CONTROL });
  for (const { body } of provider.sent)
    for (const { images } of questionSchema.parse(body).messages)
      for (const image of images) await pictures.addFile("model provider", Buffer.from(image, "base64"));
  await call("zoom", { region: { x: 0, y: 500, width: 500, height: 500 } });
  await call("find_text", { text: "Clean words" });
  await call("auto_redact_pii", { screenshot_id });
  const annotations = [{ type: "rect", x: 500, y: 500, width: 9, height: 9 }];
  await call("annotate_screenshot", { screenshot_id, annotations });
  await call("compare_screenshots", { screenshot_id, include_image: true });
  await call("computer", { action: "screenshot" });
  await call("list_screenshots");
  const readAddress = async (uri: string): Promise<void> => {
    gone.add(`resource ${uri}`);
    await keepImages(`agent: ${uri.replace(/[^/]+$/, "")}`, await agent.read(uri));
  };
  for (const uri of [`screen://${desktopId}`, `screenshots://${screenshot_id}`, `text://${desktopId}`])
    await readAddress(uri);
  await readAddress(`screenshots://${screenshot_id}/ocr`);
  for (const name of PROMPTS) {
    gone.add(`prompt ${name}`);
    await keepImages(`agent: ${name}`, await agent.prompt(name));
  }
  await call("poll_events", { subscription_id });
  const { duration_ms } = z
    .object({ duration_ms: z.number() })
    .parse(await call("stop_recording", { recording_id }));
  await readAddress(`recordings://${recording_id}`);
  await call("search_recording", { recording_id, query: "secret" });
  await call("get_frame_at", { recording_id, at_ms: duration_ms });

  // People: pictures, recordings, exports, lists.
  const viewer = await person.seen();
  if (viewer !== null) pictures.add("viewer", viewer);
  for (const kind of ["png", "webp", "jpg"])
    await pictures.addFile(`screenshot.${kind}`, await load(`${desktopPath}/screenshot.${kind}`));
  const actions = actionsSchema.parse(await ask(`${desktopPath}/actions`));
  const click = actions.find(({ kind, pictures }) => kind === "click" && pictures !== null);
  for (const when of ["before.png", "after.png"])
    await pictures.addFile(when, await load(`${desktopPath}/actions/${click?.id}/${when}`));
  const socketUrl = `${appliance.url.replace("http", "ws")}/websockify`;
  const socket = new WebSocket(socketUrl, "binary", { headers: { authorization: `Bearer ${agentToken}` } });
  gone.addPath(socketUrl);
  gone.add("stream VNC listener");
  for (const [what, connecting] of [
    ["VNC listener", Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none)],
    ["websockify", Rfb2Client.over(createWebSocketStream(socket))],
  ] as const) {
    const vnc = await connecting;
    vnc.request(false);
    await until(`the picture of ${what}`, () => clean.find(vnc.frame, null).length > 0);
    pictures.add(what, shotOf(vnc.frame));
    vnc.end();
  }
  const recording = `/api/v1/recordings/${recording_id}`;
  for (const way of [`text?at_ms=${duration_ms}`, "timeline", "export.ndjson", "export.txt"]) {
    const content = await load(`${recording}/${way}`);
    search.add({ what: way, content, control: way.startsWith("text") ? CLEAN : CONTROL });
  }
  search.add({ what: "pointer", content: await load(`${recording}/pointer`), control: '"moves":' });
  const html = await load(`${recording}/export.html`);
  search.add({ what: "export.html", content: html, control: CONTROL });
  const [, data = ""] = /id="data">(.*?)<\/script>/s.exec(html.toString()) ?? [];
  const { frames, ...size } = replaySchema.parse(JSON.parse(data));
  pictures.addExport(
    "export.html",
    frames.map((frame) => ({ ...frame, ...size })),
  );
  const parts = await load(`${recording}/export.frames?fps=2`);
  pictures.addExport(
    "export.frames",
    parts
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  await pictures.addFile("export.png", await load(`${recording}/export.png?from_ms=${duration_ms}`));
  const replayed = z
    .object({ desktop_id: z.string() })
    .parse(await ask(`${recording}/replay`, { at_ms: duration_ms })).desktop_id;
  gone.add("stream replay");
  await pictures.addFile(
    "replay",
    await until("the replay", () => load(`/api/v1/desktops/${replayed}/screenshot.png`)),
  );
  await ask(`/api/v1/desktops/${replayed}`, undefined, "DELETE");
  await ask(recording);
  const frameAt = async (atMs: number, kind = "png"): Promise<Shot> =>
    decodePicture(await load(`${recording}/frame.${kind}?at_ms=${Math.floor(atMs)}`));
  for (const part of [0, 0.3, 0.6, 1]) pictures.add("frame.png", await frameAt(duration_ms * part));
  const played = [0, 0.3, 0.6, 1].map((part) => Math.floor(duration_ms * part));
  for (const shot of await person.play(recording_id, played)) pictures.add("player", shot);
  // Which of them the player asks for depends on how fast it is.
  const { chunks } = z
    .object({ chunks: z.array(z.object({ index: z.int() })) })
    .parse(await ask(`${recording}/chunks?from_ms=${duration_ms}`));
  const lastChunks = chunks.map(({ index }) => load(`${recording}/chunks/${index}`));
  pictures.addChunks("chunks", await Promise.all(lastChunks));
  pictures.add("frame.webp", await frameAt(duration_ms, "webp"));
  const [fromMs = 0, toMs = 0] = privateMs;
  const hiddenMs = (fromMs + toMs) / 2;
  t.ok(isPlain(await frameAt(hiddenMs), "none"), "the private time is of one colour in the recording");
  for (const kind of ["gif", "mp4", "webm"]) {
    /** Its last picture. */
    const film = async (fromMs: number, toMs: number): Promise<Shot> => {
      const file = join(folder, `film.${kind}`);
      const range = `from_ms=${Math.floor(fromMs)}&to_ms=${Math.floor(toMs)}`;
      writeFileSync(file, await load(`${recording}/export.${kind}?fps=1&${range}`));
      // Each picture once: by times of a millisecond it would write thousands.
      const once = ["-fps_mode", "passthrough", "-update", "1", `${file}.png`];
      await run("ffmpeg", ["-loglevel", "error", "-y", "-i", file, ...once]);
      return decodePicture(readFileSync(`${file}.png`));
    };
    t.ok(isPlain(await film(hiddenMs - 500, hiddenMs), "film"), `and in ${kind}`);
    pictures.add(`export.${kind}`, await film(duration_ms - 2000, duration_ms));
  }
  for (const path of [
    ...["/api/v1/desktops", `${desktopPath}/masks`, "/api/v1/recordings/search?text=Clean"],
    ...["/api/v1/secrets", "/api/v1/audit", "/api/v1/requests"],
  ])
    await ask(path);
  // The index of what the recording shows, asked for each of them.
  const hitsOf = async (text: string): Promise<unknown[]> =>
    z.array(z.unknown()).parse(await ask(`${recording}/search?query=${encodeURIComponent(text)}`));
  t.ok((await hitsOf("Clean")).length > 0, "the index finds what is there");
  for (const secret of secrets) t.same(await hitsOf(secret), [], "and no secret");
  const metrics = await load("/metrics");
  await until("spans and metrics", () => collector.metrics.has("oc_tool_calls_total"));

  const kept = await person.leave(["/recordings", "/secrets"]);
  for (const address of person.asked) gone.addPath(address);
  for (const file of ["recordings", "recording-words", "masks.json"]) gone.add(`file ${file}`);
  t.same(gone.missing(WAYS_OUT.map(({ way }) => way)), NOT_GONE, "all other ways were gone");
  // core-files.test.ts has what a crash leaves otherwise, and what is in it.
  t.same(coreRules(appliance.program.pid ?? 0), { limit: "1:1", filter: "00000000" });
  await appliance.program.crash("SIGSEGV");
  t.same(filesOf(crashFolder), [], "the crash left no core file");
  logs.push(appliance.program.stdout, appliance.program.stderr);

  const postsTo = (path: string): string =>
    posts.had
      .filter((post) => post.path === path)
      .map((post) => JSON.stringify(post))
      .join("\n");
  const posted = [postsTo("/hook"), postsTo("/audit")].join("\n");
  for (const [what, content, control] of [
    ["MCP", mcp.join("\n"), CONTROL],
    ["REST", rest.join("\n"), CONTROL],
    ["log", logs.join("\n"), desktopId],
    ["webhook", postsTo("/hook"), CONTROL],
    ["receiver of the audit log", postsTo("/audit"), desktopId],
    ["OTLP", Buffer.concat(collector.bodies), "tools/call type_text"],
    ["model provider", JSON.stringify(provider.sent), CONTROL],
    ["metrics", metrics, 'tool="type_text"'],
    ["sockets of a viewer", Buffer.concat(person.heard), desktopId],
    ...kept.map(([what, content]) => [`page: ${what}`, content, CONTROL] as const),
  ] as const)
    search.add({ what, content, control });
  // Each with what it has of its own that is no secret.
  const ofServer = filesOf(dataDir).filter((path) => !path.endsWith(".lock"));
  const isBelow = (name: string, path: string): boolean => relative(dataDir, path).startsWith(name);
  const controls = [
    ["recordings", CONTROL],
    ["recording-words", "anybody"],
    ["audit", desktopId],
  ] as const;
  for (const [name, control] of controls)
    search.add({ what: `file ${name}`, content: ofServer.filter((path) => isBelow(name, path)), control });
  const others = ofServer.filter((path) => !controls.some(([name]) => isBelow(name, path)));
  search.add({ what: "other files of the server", content: others, control: desktopId });
  search.add({ what: "profile of the browser", content: filesOf(profile), control: CONTROL });

  const searched = await search.find(secrets.map((text) => ({ text, ...bytesOf(text) })));
  // What is on the screen or a clipboard, and what agents type as it is, is in memory: see docs/operations/secrets.md.
  const known = new Set([...privates, ...masked, ...shown, ...byAgent, ...ofAgent, ...pasted, ...copied]);
  // What was copied there is shown to the person who has the desktop for themselves.
  const toPerson = new Set(copied);
  const mayHave = ({ what, isMemory = false }: Place, text: string): boolean =>
    (isMemory && known.has(text)) || (what === "sockets of a viewer" && toPerson.has(text));
  for (const { place, found } of searched) {
    const { what, control } = place;
    t.ok(found.has(control), `${what}: the control is found`);
    const leaks = secrets.filter((text) => found.has(text) && !mayHave(place, text));
    t.same(
      leaks.map((text) => [text, ...(found.get(text) ?? [])]),
      [],
      `${what}: and no secret`,
    );
  }
  const inBrowser = searched.find(({ place }) => place.what.startsWith("profile"))?.found.get(CONTROL) ?? [];
  for (const part of KEPT_BY_BROWSER) {
    const isThere = [...inBrowser].some((path) => relative(profile, path).startsWith(join("Default", part)));
    t.ok(isThere, `${part} of the browser: the control is found`);
  }
  const inCore = searched.find(({ place }) => place.isMemory)?.found ?? new Map();
  const counts = { screen: [...privates, ...masked, ...shown], byAgent, ofAgent, pasted, copied };
  for (const [what, texts] of Object.entries(counts))
    t.comment(`core: ${texts.filter((text) => inCore.has(text)).length} of ${what}`);
  // Short codes are in any large file by chance; where they are told they would be whole words of a text.
  const told = [...mcp, ...rest, ...logs, posted].join("\n");
  const isTold = (text: string): boolean => new RegExp(`\\b${text}\\b`).test(told);
  t.same(codes.filter(isTold), []);
  t.ok(isTold(CONTROL), "which finds what is told");

  const onScreen = [...privates, ...masked];
  const readTruth = await readForeign(await display.shot());
  const legible = onScreen.filter((text) => isReadIn(text, readTruth));
  t.ok(legible.length >= 30, `another reader reads ${legible.length} of them on the target`);
  const looked = { secrets: sight, clean, texts: [...onScreen, ...shown], cleanText: CLEAN };
  await pictures.check(t, looked, EXACT);
});

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { filesOf } from "../../support/files-of.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { canvasShot, decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { dumpMemory } from "../harness/process-memory.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";
import { isReadIn, readForeign } from "../privacy/foreign-reader.ts";
import { plantedTexts, randomOf } from "../privacy/planted.ts";
import { frameOf, lookAt, Sight } from "../privacy/sight.ts";

// 200 secrets: stored ones and seeds of one-time codes that are typed by their names, private text on the screen, and
// text under a mask. None of them may be found in what agents, people's browsers, logs, files and a core file hold.

const run = promisify(execFile);

const STORED = 60;
const CODES = 40;
const PRIVATE = 50;
const MASKED = 50;
/** A text may name so many at once. */
const AT_ONCE = 10;
/** Of xterm with the font that the tests use. */
const CELL = { width: 8, height: 17 };
const BORDER = 2;
const COLUMNS = 44;
const LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789#%+=?";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const CLEAN = "Clean words that anybody may read";

/** What a page may keep, as the browser itself tells. */
const STORAGE = `(async () => {
  const all = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
  for (const { name = "" } of await indexedDB.databases()) all.push(name);
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) all.push(request.url);
  return JSON.stringify(all);
})()`;
const idSchema = z.object({ id: z.string() });

/** A text in the ways in which it could lie in a file, but for UTF-16. */
function spellingsOf(secret: string): string[] {
  const utf8 = Buffer.from(secret);
  const base64 = [0, 1, 2].map((at) => utf8.subarray(at).toString("base64").slice(0, -4));
  const all = [secret, utf8.toString("hex"), ...base64];
  return [...all, ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

/**
 * Which of the secrets are in a file, whole or half: found by grep in its bytes, and in its strings of 16-bit letters, as
 * strings of binutils finds them.
 */
async function foundIn(file: string, secrets: readonly string[], folder: string): Promise<string[]> {
  const sought = new Map<string, string>();
  for (const secret of secrets) {
    const half = Math.max(8, Math.ceil(secret.length / 2));
    for (const part of new Set([secret.slice(0, half), secret.slice(-half)])) {
      // Of digits alone so many are in a process by chance that only the whole of a code counts.
      const whole = /^\d+$/.test(secret) ? secret : part;
      for (const spelling of spellingsOf(whole)) if (spelling.length >= 6) sought.set(spelling, secret);
    }
  }
  const patterns = join(folder, "patterns");
  writeFileSync(patterns, [...sought.keys(), ""].join("\n"));
  const grep = `LC_ALL=C grep -aohF -f '${patterns}'`;
  const script = `{ ${grep} '${file}'; LC_ALL=C strings -a -e l -n 6 '${file}' | ${grep}; } | sort -u; true`;
  const { stdout } = await run("sh", ["-c", script], { maxBuffer: 1 << 26 });
  return [...new Set(stdout.split("\n").flatMap((line) => sought.get(line) ?? []))];
}

t.test("200 planted secrets are in nothing that leaves or stays", { timeout: 900_000 }, async (t) => {
  const peers = [
    "Xtigervnc",
    "xterm",
    "xdotool",
    "xwd",
    "chromium",
    "ffmpeg",
    "tesseract",
    "strings",
  ] as const;
  if (!requirePeers(t, peers)) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-canaries-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const random = randomOf(17);
  const word = (letters: string, length: number): string =>
    Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
  const stored = Array.from({ length: STORED }, () => word(LETTERS, 20));
  const seeds = Array.from({ length: CODES }, () => word(BASE32, 32));
  const privates = plantedTexts(random, PRIVATE).map(({ text }) => text);
  const masked = Array.from({ length: MASKED }, () => word(LETTERS, 20));

  const display = await XDisplay.start(t, { geometry: "1000x1000" });
  const list = async (title: string, x: number, lines: readonly string[]) => {
    const file = join(folder, title);
    writeFileSync(file, `${lines.join("\r\n")}\r\n`);
    const script = `printf '\\033[?25l'; cat '${file}'; exec sleep 900`;
    return display.placeOf(await display.openTerminal(title, `${COLUMNS}x51+${x}+0`, script));
  };
  const left = await list("private", 0, privates);
  const right = await list("masked", 400, masked);
  const typedFile = join(folder, "typed");
  const prompt = await display.openTerminal(
    "prompt",
    "90x4+0+900",
    `stty raw -echo; printf '\\033[?25l${CLEAN}'; : > '${typedFile}'; exec cat > '${typedFile}'`,
  );
  await display.command("xdotool", "windowfocus", "--sync", prompt);
  const sight = new Sight();
  const truth = await until("all on the screen", async () => {
    const frame = frameOf(await display.shot());
    const looks = [[left, privates] as const, [right, masked] as const].flatMap(([place, lines]) =>
      lines.map((text, row) => {
        const y = place.y + BORDER + row * CELL.height;
        return lookAt(frame, text, rect(place.x + BORDER, y, text.length * CELL.width, CELL.height));
      }),
    );
    if (looks.some(({ patch }) => patch.ink < 40)) return null;
    sight.looks = looks;
    return frame;
  });
  t.equal(
    new Set(sight.find(truth, null).map(({ text }) => text)).size,
    PRIVATE + MASKED,
    "all are found where they are",
  );

  const dataDir = join(folder, "data");
  const start = (): Promise<Appliance> =>
    Appliance.start(t, {
      args: ["--data-dir", dataDir],
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      env: { OC_LOG_LEVEL: "debug", OC_APPROVAL_ARMING_MS: "0", OC_RECORDING_TEXT: "on" },
    });
  const logs: string[] = [];
  /** All that agents got. */
  const mcp: string[] = [];
  /** All that people got by REST. */
  const rest: string[] = [];
  let appliance = await start();
  const ask = async (path: string, body?: unknown, method?: string): Promise<unknown> => {
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
  const agent = await appliance.agent({ token: agentToken });
  const pictures: { readonly what: string; readonly shot: Shot }[] = [];
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const answer = await agent.raw(tool, args);
    mcp.push(JSON.stringify(answer));
    const { content, isError, structuredContent } = z
      .object({
        isError: z.boolean().optional(),
        content: z.array(z.object({ type: z.string(), data: z.string().optional() })),
        structuredContent: z.record(z.string(), z.unknown()).optional(),
      })
      .parse(answer);
    for (const { data } of content) {
      if (data === undefined) continue;
      pictures.push({ what: `agent: ${tool}`, shot: await decodePicture(Buffer.from(data, "base64")) });
    }
    if (isError === true) throw new Error(`${tool}: ${JSON.stringify(structuredContent)}`);
    return structuredContent ?? {};
  };
  await until("a picture", () => call("take_screenshot"), 60_000);
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await call("start_recording"));
  const { subscription_id } = await call("subscribe_events", {
    events: ["key_press", "screen_change"],
  });

  // A person looks at all of it meanwhile, in a browser with a profile of its own.
  const profile = join(folder, "profile");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    viewport: { width: 1200, height: 1000 },
  });
  t.teardown(() => context.close());
  const page = await context.newPage();
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  await page.goto(`${appliance.url}/desktops/${desktopId}`);
  const seen = async (): Promise<Shot | null> => canvasShot(page, ".viewer-screen canvas");
  await until("a picture in the browser", seen, 60_000);

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
  await ask(`${desktopPath}/mode`, { mode: "assist" });
  const asked = call("type_text", { text: "{{secret:s0}}" });
  const { id: approval } = await until("the question", async () => {
    const [open] = z.array(idSchema).parse(await ask("/api/v1/approvals"));
    return open ?? null;
  });
  const card = await appliance.fetch(`/api/v1/approvals/${approval}/picture.png`);
  pictures.push({ what: "approval", shot: await decodePicture(new Uint8Array(await card.arrayBuffer())) });
  await ask(`/api/v1/approvals/${approval}`, { decision: "approve" });
  await asked;
  await ask(`${desktopPath}/mode`, { mode: "autopilot" });

  // The memory of the process that typed them: what a core file of a crash would hold.
  const core = join(folder, "core");
  const coreBytes = dumpMemory(appliance.program.pid ?? 0, core);
  t.ok(coreBytes > 50 * 2 ** 20, `${Math.round(coreBytes / 2 ** 20)} MiB of memory`);
  const inCore = new Set(
    await foundIn(core, [...stored, ...seeds, ...privates, ...masked, agentToken], folder),
  );
  rmSync(core);
  t.same(
    [...stored, ...seeds].filter((one) => inCore.has(one)),
    [],
    "no secret is in it",
  );
  t.ok(inCore.has(agentToken), "which is found, as the token is");
  // What is on the screen is in its picture, and was read there for masks by text: see docs/operations/secrets.md.
  t.comment(
    `texts of the screen in memory: ${[...privates, ...masked].filter((one) => inCore.has(one)).length}`,
  );

  // All that agents can ask of it.
  await until(
    "the clean words",
    async () =>
      z
        .object({ text: z.string() })
        .parse(await call("read_text"))
        .text.includes("Clean words"),
    240_000,
  );
  const { screenshot_id } = await call("take_screenshot");
  await call("zoom", { region: { x: 0, y: 0, width: 500, height: 500 } });
  await call("get_elements");
  await call("auto_redact_pii", { screenshot_id });
  await call("list_screenshots");
  await call("poll_events", { subscription_id });
  await call("stop_recording", { recording_id });
  await call("search_recording", { recording_id, query: "secret" });
  await call("get_frame_at", { recording_id, at_ms: 1000 });

  // People: pictures, recordings, exports, lists.
  const files: { readonly what: string; readonly bytes: Buffer }[] = [];
  const load = async (path: string): Promise<Buffer> => {
    const answer = await appliance.fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    files.push({ what: path, bytes });
    return bytes;
  };
  const viewer = await seen();
  if (viewer !== null) pictures.push({ what: "viewer", shot: viewer });
  for (const kind of ["png", "webp"]) {
    const shot = await decodePicture(await load(`${desktopPath}/screenshot.${kind}`));
    pictures.push({ what: `screenshot.${kind}`, shot });
  }
  const recording = `/api/v1/recordings/${recording_id}`;
  for (const way of [
    "timeline",
    "text?at_ms=2000",
    "pointer",
    "export.ndjson",
    "export.txt",
    "export.frames",
  ])
    await load(`${recording}/${way}`);
  const html = (await load(`${recording}/export.html`)).toString("latin1");
  for (const [png] of html.matchAll(/iVBORw0KGgo[A-Za-z0-9+/=]+/g))
    pictures.push({ what: "export.html", shot: await decodePicture(Buffer.from(png, "base64")) });
  const { duration_ms } = z.object({ duration_ms: z.number() }).parse(await ask(recording));
  for (const part of [0, 0.3, 0.6, 1]) {
    const frame = await load(`${recording}/frame.png?at_ms=${Math.floor(duration_ms * part)}`);
    pictures.push({ what: "frame.png", shot: await decodePicture(frame) });
  }
  for (const kind of ["gif", "mp4", "webm"]) {
    const file = join(folder, `film.${kind}`);
    writeFileSync(file, await load(`${recording}/export.${kind}?fps=1&to_ms=50000`));
    await run("ffmpeg", ["-loglevel", "error", "-i", file, "-update", "1", `${file}.png`]);
    pictures.push({ what: `export.${kind}`, shot: await decodePicture(readFileSync(`${file}.png`)) });
  }
  for (const path of [`${desktopPath}/actions`, "/api/v1/secrets", "/api/v1/audit", `${desktopPath}/masks`])
    await ask(path);

  await page.goto(`${appliance.url}/recordings`);
  await page.goto(`${appliance.url}/secrets`);
  const storage = await page.evaluate<string>(STORAGE);
  await context.close();

  await appliance.program.stop("SIGTERM");
  logs.push(appliance.program.stdout, appliance.program.stderr);

  const all = [...stored, ...seeds, ...codes, ...privates, ...masked];
  const keep = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const places: [string, string][] = [
    ["MCP", keep("mcp", mcp.join("\n"))],
    ["REST", keep("rest", rest.join("\n"))],
    ["log", keep("log", logs.join("\n"))],
    ["browser storage", keep("storage", storage)],
    ...files.map(({ what, bytes }, nth): [string, string] => [what, keep(`file-${nth}`, bytes)]),
    ...[...filesOf(dataDir), ...filesOf(profile)]
      .filter((path) => !path.endsWith(".lock"))
      .map((path): [string, string] => [path, path]),
  ];
  for (const [what, path] of places) {
    // Short codes are in any large file by chance; where they are told they would be whole words of a text.
    const found = await foundIn(path, [...stored, ...seeds, ...privates, ...masked], folder);
    t.same(found, [], what);
  }
  t.comment(`${places.length} files and streams`);
  for (const code of codes)
    t.notMatch(mcp.join("\n") + rest.join("\n") + logs.join("\n"), new RegExp(`\\b${code}\\b`));
  t.same(
    (await foundIn(places[0]?.[1] ?? "", ["{{secret:s1}}"], folder)).length,
    1,
    "the search finds what is there",
  );

  for (const { what, shot } of pictures) sight.look(frameOf(shot), what);
  t.same(sight.leaks, [], `${pictures.length} pictures`);
  const texts = [...privates, ...masked];
  const readTruth = await readForeign(await display.shot());
  const legible = texts.filter((text) => isReadIn(text, readTruth));
  t.ok(legible.length >= 30, `another reader reads ${legible.length} of them on the target`);
  const kinds = new Map(pictures.map((picture) => [picture.what, picture.shot]));
  for (const [what, shot] of kinds) {
    const read = await readForeign(shot);
    t.same(
      texts.filter((text) => isReadIn(text, read)),
      [],
      `${what}, read by another reader`,
    );
  }
  t.equal(all.length, STORED + 2 * CODES + PRIVATE + MASKED);
});

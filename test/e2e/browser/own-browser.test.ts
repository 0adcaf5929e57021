import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture, looksWell, openBrowser, signIn } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

const PATIENCE_MS = 300_000;
const SIZE = { width: 800, height: 600 } as const;
const GROUND = [0x12, 0x34, 0x56] as const;
const TYPED = "Hello, wörld! 東京";

/** No text, no border: every pixel follows from what was done to it. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>Boxes</title>
<style>html{background:#123456;overflow:hidden}div,input{position:absolute;border:0;padding:0;margin:0}input{opacity:0;top:0;left:0}</style>
<div id="a" style="left:100px;top:100px;width:200px;height:150px;background:#fedcba"></div>
<div id="b" style="left:400px;top:300px;width:101px;height:53px;background:#010203"></div><input autofocus>
<script>
const a=document.getElementById("a"),b=document.getElementById("b"),field=document.querySelector("input");
a.onclick=e=>{a.style.background=e.isTrusted?"#00ff7f":"#ff0000";field.focus()};
a.ondblclick=()=>{window.open("/second")};
field.oninput=()=>{if(field.value===${JSON.stringify(TYPED)})b.style.background="#7f00ff"};
field.onkeydown=e=>{if(e.code==="Enter"&&e.key==="Enter"){a.style.left="150px"}};
addEventListener("wheel",e=>{if(e.deltaY>0)b.style.left="500px"});
let from=null;
b.onmousedown=e=>{from=e.clientX-b.offsetLeft;e.preventDefault()};
onmousemove=e=>{if(from!==null)b.style.left=e.clientX-from+"px"};
onmouseup=()=>{from=null};
</script>`;
const SECOND = `<!doctype html><title>Second</title><style>html{background:#abcdef}</style><script>onkeydown=()=>{alert(1);if(!confirm("?"))close()}</script>`;

type Box = readonly [left: number, top: number, width: number, height: number, colour: readonly number[]];

function pictureOf(ground: readonly number[], ...boxes: readonly Box[]): Shot {
  const { width, height } = SIZE;
  const rgba = Buffer.alloc(width * height * 4, 255);
  for (const [left, top, columns, rows, colour] of [[0, 0, width, height, ground] as const, ...boxes]) {
    for (let y = top; y < top + rows; y++) {
      for (let x = left; x < left + columns; x++) rgba.set(colour, (y * width + x) * 4);
    }
  }
  return { width, height, rgba };
}

const box = (left: number, colour: readonly number[]): Box => [left, 100, 200, 150, colour];
const small = (left: number, colour: readonly number[]): Box => [left, 300, 101, 53, colour];

async function openSite(t: Test): Promise<string> {
  const server = createServer(({ url }, answer) => {
    answer.setHeader("content-type", "text/html; charset=utf-8");
    answer.end(url === "/second" ? SECOND : PAGE);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
}

function urlOf(page: string, more = ""): string {
  const { width, height } = SIZE;
  return `browser:?page=${encodeURIComponent(page)}&width=${width}&height=${height}${more}`;
}

async function expectPicture(agent: Agent, what: string, truth: Shot): Promise<void> {
  let difference: string | null = "no picture";
  await until(
    what,
    async () => {
      difference = differenceOf(await agent.shot(), truth);
      return difference === null;
    },
    30_000,
  ).catch((cause: unknown) => {
    throw new Error(`${what}: ${difference}`, { cause });
  });
}

/** Processes of Chromium that a process of ours started: their profile bears its number. */
function browsersOf(pid: number): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(`overlay-companion-browser-${pid}-`);
    } catch {
      return false; // it has ended
    }
  });
}

const linkErrors = async (appliance: Appliance): Promise<string> =>
  (await appliance.fetch("/api/v1/desktops")).text();

/** None of them changes the page. */
async function everyTool(t: Test, agent: Agent): Promise<void> {
  const calls: Readonly<Record<string, Record<string, unknown>>> = {
    get_display_info: {},
    move_mouse: { x: 700, y: 500 },
    cursor_position: {},
    mouse_down: { x: 700, y: 500 },
    mouse_up: { x: 700, y: 500 },
    reset_input: {},
    set_clipboard: { text: "nothing" },
    wait: { duration_ms: 1 },
    wait_for: { condition: "stable", stable_ms: 100, timeout_ms: 5000 },
    zoom: { region: { x: 0, y: 0, width: 200, height: 100 } },
    read_text: {},
    find_text: { text: "absent" },
    get_elements: {},
    ocr_screenshot: {},
    draw_overlay: { x: 10, y: 10, width: 50, height: 50, label: "Here" },
    clear_overlays: {},
    batch_actions: { actions: [{ tool: "move_mouse", arguments: { x: 701, y: 501 } }] },
    computer: { action: "mouse_move", coordinate: [702, 502] },
    list_recordings: {},
    list_connections: {},
  };
  for (const [name, args] of Object.entries(calls)) {
    t.not(JSON.stringify(await agent.call(name, args)), "{}", name);
  }
  await t.rejects(agent.call("mouse_down", { x: 5000, y: 1 }), { code: "out_of_bounds" });
}

async function watched(t: Test, appliance: Appliance, agent: Agent, truth: Shot): Promise<void> {
  const id = await onlyDesktop(appliance);
  const { page } = await signIn(await openBrowser(t), appliance);
  await page.goto(`${appliance.url}/desktops/${id}`);
  await until("the same picture", async () => {
    const seen = await viewerShot(page);
    return seen !== null && differenceOf(seen, truth) === null;
  });
  const asked = { x: 700, y: 500, intent: "Press beside", require_user_confirmation: true };
  const click = agent.call("click_at", asked);
  const card = page.locator(".approval:not(.is-settled)");
  await card.locator("img").waitFor();
  t.match(await card.innerText(), /Press beside/);
  await card.locator(".button-primary:enabled").click();
  t.match(await click, { was_confirmed: true });
  await t.test("a person adds another one, and edits it", (t) => added(t, appliance, page));
}

async function added(t: Test, appliance: Appliance, page: Page): Promise<void> {
  await page.goto(appliance.url);
  await page.getByRole("button", { name: "Add desktop" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Protocol").selectOption("browser");
  await dialog.getByLabel("Name").fill("Shop");
  await dialog.getByLabel("First page").fill("https://shop.example/");
  await dialog.getByLabel("Profile").fill("shop");
  await looksWell(t, page, "add-browser");
  await dialog.getByRole("button", { name: "Add desktop" }).click();
  await dialog.waitFor({ state: "detached" });
  const desktops = JSON.parse(await (await appliance.fetch("/api/v1/desktops")).text());
  const { id } = desktops.find(({ name }: { name: string }) => name === "Shop");
  const url = `/api/v1/desktops/${id}/connection`;
  const said = async () => JSON.parse(await (await appliance.fetch(url)).text()).connection;
  const browser = { page: "https://shop.example/", profile: "shop" };
  t.match(await said(), { protocol: "browser", name: "Shop", browser });
  // What the form has no field for stays.
  const edit = { ...(await said()), browser: { ...browser, width: 640, height: 480 }, keep_awake_s: 60 };
  t.equal((await appliance.fetch(url, edit, { method: "PUT" })).status, 200);
  await page.reload();
  await page.getByRole("button", { name: "Edit Shop" }).click();
  await dialog.getByLabel("Where its pages lead").selectOption("all");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  t.match(await said(), {
    keep_awake_s: 60,
    browser: { ...browser, networks: "all", width: 640, height: 480 },
  });
  await appliance.fetch(`/api/v1/desktops/${id}`, undefined, { method: "DELETE" });
}

async function replayed(t: Test, appliance: Appliance, id: string, truth: Shot): Promise<void> {
  const [found] = JSON.parse(await (await appliance.fetch("/api/v1/recordings")).text());
  const opened = await appliance.fetch(`/api/v1/recordings/${id}/replay`, { at_ms: found.duration_ms });
  const { desktop_id } = JSON.parse(await opened.text());
  let difference: string | null = "no picture";
  await until("the replay's picture", async () => {
    const answer = await appliance.fetch(`/api/v1/desktops/${desktop_id}/screenshot.png`);
    if (answer.ok)
      difference = differenceOf(await decodePicture(new Uint8Array(await answer.arrayBuffer())), truth);
    return difference === null;
  }).catch(() => undefined);
  t.equal(difference, null, "the last of the browser's pictures, in every pixel");
  await appliance.fetch(`/api/v1/desktops/${desktop_id}`, undefined, { method: "DELETE" });
}

t.test("an agent sees and works a browser of the appliance's own", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const site = await openSite(t);
  const appliance = await Appliance.start(t, { connect: [urlOf(site, "&networks=all")] });
  const agent = await appliance.agent();
  const salmon = [0xfe, 0xdc, 0xba];
  const green = [0, 0xff, 0x7f];
  const black = [1, 2, 3];
  const violet = [0x7f, 0, 0xff];
  await expectPicture(agent, "the page", pictureOf(GROUND, box(100, salmon), small(400, black)));

  await agent.call("click_at", { x: 200, y: 200 });
  await expectPicture(agent, "a trusted click", pictureOf(GROUND, box(100, green), small(400, black)));
  await agent.call("type_text", { text: TYPED });
  await expectPicture(agent, "typed text", pictureOf(GROUND, box(100, green), small(400, violet)));
  await agent.call("press_keys", { keys: ["Enter"] });
  await expectPicture(agent, "a key", pictureOf(GROUND, box(150, green), small(400, violet)));
  await agent.call("scroll", { x: 600, y: 500, dy: 1 });
  await expectPicture(agent, "the wheel", pictureOf(GROUND, box(150, green), small(500, violet)));
  const { recording_id } = await agent.call("start_recording");
  await agent.call("drag", {
    path: [
      { x: 510, y: 310 },
      { x: 540, y: 310 },
      { x: 630, y: 310 },
    ],
  });
  const last = pictureOf(GROUND, box(150, green), small(620, violet));
  await expectPicture(agent, "a drag", last);
  await t.test("every class of tool", (t) => everyTool(t, agent));
  await t.test("a person sees it, and answers for it", (t) => watched(t, appliance, agent, last));
  await agent.call("stop_recording", { recording_id });
  await t.test("its recording is it", (t) => replayed(t, appliance, String(recording_id), last));

  await agent.call("click_at", { x: 200, y: 200, clicks: 2 });
  await expectPicture(agent, "a tab that the page opened", pictureOf([0xab, 0xcd, 0xef]));
  await agent.call("press_keys", { keys: ["a"] });
  await expectPicture(agent, "the first tab once dialogs were answered and the other closed", last);

  const pid = appliance.program.pid ?? 0;
  t.ok(browsersOf(pid).length > 0, "it runs");
  process.kill(pid, "SIGKILL");
  await until("the end of every process of it", () => browsersOf(pid).length === 0);
});

t.test("pages lead only where they may", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  let visits = 0;
  const secret = createServer((_asked, answer) => {
    visits++;
    answer.end("secret");
  });
  t.teardown(() => secret.close());
  await new Promise<void>((resolve) => secret.listen(0, "127.0.0.1", () => resolve()));
  const address = secret.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const appliance = await Appliance.start(t, { connect: [urlOf(`http://localhost:${port}/`)] });
  const agent = await appliance.agent();
  await until("a picture", async () => (await agent.shot()).width === SIZE.width);
  await until("the words of the refusal", async () => {
    const { text } = await agent.call("ocr_screenshot", {});
    return JSON.stringify(text).includes("private");
  });
  t.equal(visits, 0);
});

t.test("a missing Chromium is told with the line that installs it", { timeout: PATIENCE_MS }, async (t) => {
  const appliance = await Appliance.start(t, { connect: ["browser:"], env: { PATH: "/nowhere" } });
  await until("the error", async () => (await linkErrors(appliance)).includes("no_browser"));
  t.match(await linkErrors(appliance), /apt-get install chromium/);
});

import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import * as z from "zod";
import { masksSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

// Elements of a shared tab that masks hide: their colours, and what they say, are looked for in all that agents, viewers,
// recordings and approvals are shown, while the page scrolls, its window moves and its elements do.

type Colour = readonly [red: number, green: number, blue: number];
const SECRET: Colour = [0xfe, 0x01, 0xa7];
const PASSWORD: Colour = [0x01, 0xfe, 0xa7];
const OPEN: Colour = [0x01, 0xb4, 0xfe];
const CANARIES = /canary-of-a-secret|canary-typed/;

interface Pixels {
  readonly width: number;
  readonly rgba: Uint8Array;
}

function countOf({ rgba }: Pixels, [r, g, b]: Colour): number {
  let count = 0;
  for (let i = 0; i < rgba.length; i += 4)
    if (rgba[i] === r && rgba[i + 1] === g && rgba[i + 2] === b) count++;
  return count;
}

t.test("elements that masks hide are seen nowhere, whatever moves", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool", "xwd"])) return;
  const site = await openBridgeSite(t);
  const display = await XDisplay.start(t, { geometry: "1280x900" });
  await display.openWindowManager();
  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    hasVnc: true,
    env: { OC_BROWSER_SCRIPTS: "allow", OC_VNC_SECURITY: "none" },
  });
  const agent = await appliance.agent();
  await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const base = `/api/v1/desktops/${desktop?.id}`;
  const made = await appliance.fetch(`${base}/masks`, { element: ".secret", label: "Secrets" });
  t.equal(made.status, 201, await made.text());
  const browser = await PersonBrowser.open(t, {
    display: display.name,
    args: ["--window-position=120,60", "--window-size=760,600"],
  });
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/secrets` });
  const js = (code: string) => agent.call("browser_execute_js", { tab_id, code });
  const placesOf = async () => {
    const [mask] = masksSchema.parse(await (await appliance.fetch(`${base}/masks`)).json());
    return mask?.places ?? [];
  };
  await until("the page to be found on the desktop", async () => (await placesOf()).length > 0, 60_000);

  const leaks: string[] = [];
  let when = "";
  const judge = (way: string, shot: Pixels, colours: readonly Colour[]): void => {
    for (const colour of colours) {
      const count = countOf(shot, colour);
      if (count > 0) leaks.push(`${way} shows ${count} pixels of ${colour} (${when})`);
    }
  };
  const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
  t.teardown(() => viewer.end());
  let frames = 0;
  viewer.watch(({ width, bytes }, { width: changedWidth, height }) => {
    if (changedWidth * height === 0) return;
    frames++;
    judge("the VNC viewer", { width, rgba: bytes }, [SECRET]);
  });
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await agent.call("start_recording"));
  let shots = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      judge("take_screenshot", await agent.shot(), [SECRET, PASSWORD]);
      shots++;
    }
  })();

  const truth = async (colour: Colour): Promise<number> => countOf(await display.shot(), colour);
  const shown = (what: string, colour = SECRET) =>
    until(`${what} to be on the display itself`, async () => (await truth(colour)) > 500, 60_000);
  when = "shown";
  await js("document.body.classList.add('shown')");
  await shown("the secret");
  const window = (await display.command("xdotool", "search", "--onlyvisible", "--name", "Account")).trim();
  await display.command("xdotool", "windowactivate", "--sync", window);

  when = "scrolled by the wheel";
  await display.command("xdotool", "mousemove", "500", "400");
  for (let i = 0; i < 3; i++)
    await display.command("xdotool", "click", "--repeat", "6", "--delay", "30", "5");
  for (let i = 0; i < 3; i++)
    await display.command("xdotool", "click", "--repeat", "6", "--delay", "30", "4");
  await shown("the secret");
  when = "scrolled by a script";
  for (const y of [40, 90, 1650, 1700, 20, 0]) {
    await js(`scrollTo(0, ${y})`);
    await pause(80);
  }
  await shown("the secret");
  when = "scrolled by the wheel while the page has no time";
  await js(`let left = 25; const timer = setInterval(() => {
    for (const until = performance.now() + 170; performance.now() < until; ); if (--left === 0) clearInterval(timer); }, 180)`);
  for (const button of ["5", "4", "5", "4", "5", "4"])
    await display.command("xdotool", "click", "--repeat", "6", "--delay", "40", button);
  await shown("the secret");
  when = "moved by turns before and after the page's frame";
  await js(`const one = document.querySelector('.secret'); let left = 60;
    const frame = () => { one.style.left = '300px'; setTimeout(() => { one.style.left = '60px'; if (--left > 0) requestAnimationFrame(frame); }, 4); };
    requestAnimationFrame(frame)`);
  await pause(1500);
  when = "window moved";
  for (const [x, y] of [
    [160, 90],
    [420, 200],
    [40, 40],
    [300, 150],
  ] as const) {
    await display.command("xdotool", "windowmove", window, `${x}`, `${y}`);
    await pause(250);
    await shown("the secret");
  }
  when = "window resized";
  await display.command("xdotool", "windowsize", "--sync", window, "700", "560");
  await shown("the secret");
  when = "element moved by the page";
  await js(`const one = document.querySelector('.secret'); let at = 0;
    const timer = setInterval(() => { one.style.left = (60 + at * 37 % 300) + 'px'; if (++at > 60) clearInterval(timer); }, 30)`);
  await pause(2500);
  when = "element moved by a transition";
  await js(
    "document.querySelector('.secret').style.cssText = 'transition: all 1s linear; left: 260px; top: 20px'",
  );
  await pause(1500);
  await js(
    "document.querySelector('.secret').style.cssText = 'transition: transform .4s; transform: translate(90px, 60px)'",
  );
  await pause(900);
  when = "element made";
  await js(`for (let i = 0; i < 5; i++) setTimeout(() => { const one = document.createElement('div'); one.className = 'secret';
    one.style.cssText = 'left:' + (40 + 90 * i) + 'px;top:' + (60 + 50 * i) + 'px;width:80px'; document.body.append(one); }, 150 * i)`);
  await pause(1500);
  when = "zoomed";
  for (const key of ["ctrl+plus", "ctrl+plus", "ctrl+0"]) {
    await display.command("xdotool", "key", key);
    await pause(500);
  }
  await shown("the secret");
  when = "another tab in front, and back";
  const { tab_id: other } = await agent.call("browser_create_tab", { url: `${site.url}/two` });
  await until("the other tab", async () => (await truth(SECRET)) === 0, 60_000);
  await agent.call("browser_close_tab", { tab_id: other });
  await shown("the secret");
  when = "loaded anew, with a frame";
  await js("location.href = '/secrets-framed'").catch(() => undefined);
  await shown("the frame's secret");
  when = "a password typed, and shown";
  await agent.call("browser_type", { tab_id, selector: "#pw", text: "canary-typed" });
  await js("document.body.classList.add('shown'); pw.type = 'text'");
  await shown("the password", PASSWORD);
  await pause(500);

  const told = [
    await agent.raw("browser_get_accessibility_tree", { tab_id }),
    await agent.raw("browser_click", { tab_id, selector: "#open" }),
    await agent.raw("browser_get_accessibility_tree", { tab_id }),
    await agent.raw("read_text", {}),
  ];
  t.notMatch(JSON.stringify(told), CANARIES, "what they say is told to nobody");
  t.match(JSON.stringify(told), /Account/, "the rest is");
  when = "asked about";
  const asking = agent
    .call("browser_click", { tab_id, selector: "#open", require_user_confirmation: true })
    .catch(() => undefined);
  const [approval] = await until("a question", async () => {
    const all = z
      .array(z.object({ id: z.string() }))
      .parse(await (await appliance.fetch("/api/v1/approvals")).json());
    return all.length > 0 ? all : null;
  });
  const card = await until("its picture", async () => {
    const answer = await appliance.fetch(`/api/v1/approvals/${approval?.id}/picture.png`);
    return answer.ok ? decodePicture(Buffer.from(await answer.arrayBuffer())) : null;
  });
  judge("the approval's picture", card, [SECRET, PASSWORD]);
  t.ok(countOf(card, OPEN) > 500, "which shows the button beside them");
  await appliance.fetch(`/api/v1/approvals/${approval?.id}`, { decision: "deny" });
  await asking;

  isOver = true;
  await watching;
  const { duration_ms } = z
    .object({ duration_ms: z.number() })
    .parse(await agent.call("stop_recording", { recording_id }));
  when = "recorded";
  const recording = `/api/v1/recordings/${recording_id}`;
  for (let atMs = 0; atMs < duration_ms; atMs += Math.max(100, duration_ms / 250)) {
    const answer = await appliance.fetch(`${recording}/frame.png?at_ms=${Math.round(atMs)}`);
    judge(
      `the recording at ${Math.round(atMs)}`,
      await decodePicture(Buffer.from(await answer.arrayBuffer())),
      [SECRET, PASSWORD],
    );
  }
  t.same(
    leaks.slice(0, 20),
    [],
    `${leaks.length} leaks in ${shots} screenshots and ${frames} updates of a viewer`,
  );
  t.ok(countOf(await agent.shot(), OPEN) > 500, "what lies beside is shown");
  t.ok(shots > 10 && frames > 50);
});

type Edges = readonly [left: number, top: number, right: number, bottom: number];

/** What holds all pixels that are meant; null where none is. */
function edgesOf({ width, rgba }: Pixels, isMeant: (at: number) => boolean): Edges | null {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, -1, -1, -1];
  for (let at = 0; at < rgba.length; at += 4) {
    if (!isMeant(at)) continue;
    const x = (at / 4) % width;
    const y = Math.floor(at / 4 / width);
    if (top === -1) top = y;
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    bottom = y + 1;
  }
  return top === -1 ? null : [left, top, right, bottom];
}

t.test("a mask of a password field lies on it, and on little else", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool", "xwd"])) return;
  const site = await openBridgeSite(t);
  for (const deviceScale of [1, 1.25]) {
    const display = await XDisplay.start(t, { geometry: "1280x900" });
    await display.openWindowManager();
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      env: { OC_BROWSER_SCRIPTS: "allow" },
    });
    const agent = await appliance.agent();
    await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
    const browser = await PersonBrowser.open(t, {
      display: display.name,
      args: [
        ...["--window-position=60,40", "--window-size=640,480"],
        `--force-device-scale-factor=${deviceScale}`,
      ],
    });
    await browser.pair(await pairingLink(appliance));
    await browser.letOpenTabs();
    await agent.call("browser_create_tab", { url: `${site.url}/secrets` });
    const window = (await display.command("xdotool", "search", "--onlyvisible", "--name", "Account")).trim();
    await display.command("xdotool", "mousemove", "1279", "899");
    for (const [x, y] of [
      [90, 70],
      [331, 211],
    ] as const) {
      await display.command("xdotool", "windowmove", window, `${x}`, `${y}`);
      const [field, hidden] = await until(
        `the field alone to be hidden, at ${x},${y} and a device scale of ${deviceScale}`,
        async () => {
          const [truth, shot] = [await display.shot(), await agent.shot()];
          const [red, green, blue] = PASSWORD;
          const isField = (at: number): boolean =>
            truth.rgba[at] === red && truth.rgba[at + 1] === green && truth.rgba[at + 2] === blue;
          const field = edgesOf(truth, isField);
          const isGrey = (at: number): boolean => [0, 1, 2].every((one) => shot.rgba[at + one] === 0x40);
          const hidden = edgesOf(shot, (at) => isGrey(at) && truth.rgba[at] !== 0x40);
          if (field === null || hidden === null || countOf(shot, PASSWORD) > 0) return null;
          return hidden[2] - hidden[0] < 400 && hidden[3] - hidden[1] < 200
            ? ([field, hidden] as const)
            : null;
        },
        60_000,
      );
      const beyond = field.map((edge, i) => Math.abs(edge - (hidden[i] ?? 0)));
      t.ok(Math.max(...beyond) <= 4, `${hidden} hides ${field}, device scale ${deviceScale}`);
    }
  }
});

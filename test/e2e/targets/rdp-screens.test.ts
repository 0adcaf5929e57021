import t, { type Test } from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { differenceOf } from "../harness/xwd.ts";
import type { RdpDisplay } from "./rdp-display.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";

// Several screens of an RDP host, each time judged by its own `xrandr --listmonitors`.

const PASSWORD = "sesame12";

/** The primary one is on the right: what is left of it lies at negative places for the host. */
const RIGHT_FIRST = [
  { x: 640, y: 0, width: 800, height: 600 },
  { x: 0, y: 0, width: 640, height: 480 },
] as const;

/** As xrandr lists them. */
async function monitorsOf(display: RdpDisplay): Promise<readonly Rect[]> {
  const listed = await display.command("xrandr", "--listmonitors");
  return [...listed.matchAll(/ (\d+)\/\d+x(\d+)\/\d+\+(\d+)\+(\d+) /g)].map(([, ...numbers]) => {
    const [width = 0, height = 0, x = 0, y = 0] = numbers.map(Number);
    return { x, y, width, height };
  });
}

const byPlace = (monitors: readonly Rect[]): readonly Rect[] =>
  monitors.map(({ x, y, width, height }) => ({ x, y, width, height })).sort((a, b) => a.x - b.x || a.y - b.y);

/** What the MCP server says of the screens, once there is a picture. */
async function shownBy(appliance: Appliance) {
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const { displays } = await agent.call("get_display_info");
  return displays;
}

type Way = "a URL" | "REST" | "add_connection";

async function openBy(t: Test, way: Way, url: string, rdp: Record<string, unknown>): Promise<Appliance> {
  const { hostname: host, port, username, password } = new URL(url);
  const places = RIGHT_FIRST.map(({ x, y, width, height }) => `${width}x${height}+${x}+${y}`).join(",");
  if (way === "a URL") return await Appliance.start(t, { connect: [`${url}?monitors=${places}`] });
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const connection = { name: "two", protocol: "rdp", host, port: Number(port), username, password, rdp };
  const agent = await appliance.agent();
  if (way === "add_connection") await agent.call("add_connection", connection);
  else t.equal((await appliance.fetch("/api/v1/desktops", connection)).status, 201);
  const { connections } = await agent.call("list_connections");
  const added = Array.isArray(connections) ? connections.find(({ name }) => name === "two") : undefined;
  await agent.call("set_active_connection", { connection_id: String(added?.id) });
  return appliance;
}

for (const [kind, way] of [
  ["xrdp-xorg", "a URL"],
  ["xrdp-xorg", "REST"],
  ["xrdp-xvnc", "add_connection"],
] as const) {
  t.test(
    `${kind}: screens asked for by ${way} are there when the session begins`,
    { timeout: 120_000 },
    async (t) => {
      if (!requireRdpTarget(t, kind, ["xrandr"])) return;
      const target = await startRdpTarget(t, kind);
      const appliance = await openBy(t, way, target.url, { monitors: RIGHT_FIRST });
      const { display } = target;
      if (display === null) throw new Error("a target without a display");
      const displays = await shownBy(appliance);
      await display.isUp();
      // Its Xvnc is told of them only when its session has begun.
      const { length } = RIGHT_FIRST;
      await until("the screens at the host", async () => (await monitorsOf(display)).length === length);
      t.same(byPlace(await monitorsOf(display)), byPlace(RIGHT_FIRST), "at the host");
      t.match(
        displays,
        RIGHT_FIRST.map((bounds, i) => ({ bounds, is_primary: i === 0 })),
        "and here",
      );
      const agent = await appliance.agent();
      // Xvnc draws the pointer into the picture until its viewer has moved it.
      await agent.call("move_mouse", { x: 650, y: 2 });
      let difference: string | null = "not compared";
      await until("the same picture", async () => {
        difference = differenceOf(await agent.shot({ wait_for_stable_ms: 100 }), await display.shot());
        return difference === null;
      }).catch(() => undefined);
      t.equal(difference, null, "one picture over both");
      appliance.assertAlive();
    },
  );
}

t.test("a person adds an RDP host with two screens by the form", { timeout: 180_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xrandr", "chromium"])) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const { display } = target;
  if (display === null) throw new Error("a target without a display");
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const browser = await openBrowser(t);
  for (const colorScheme of ["dark", "light"] as const) {
    const { context, page, complaints } = await signIn(browser, appliance, { colorScheme });
    await page.getByRole("button", { name: "Add desktop" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("[name=protocol]").selectOption("rdp");
    await dialog.locator("[name=host]").fill("127.0.0.1");
    await dialog.locator("[name=port]").fill(`${target.port}`);
    await dialog.locator("[name=username]").fill(target.username);
    await dialog.locator("[name=password]").fill(target.password);
    await dialog.getByText("Screens, keyboard and security").click();
    const screens = dialog.getByLabel("Screens to ask for");
    await screens.fill("wide");
    const add = dialog.getByRole("button", { name: "Add desktop" });
    await add.click();
    t.match(
      await page.evaluate<string>("document.querySelector('[name=rdp_screens]').validationMessage"),
      /a size such as 1280x800/,
      "what cannot be read is not sent",
    );
    await screens.fill("800x600+640+0, 640x480+0+0");
    await dialog.getByLabel("Keyboard of the host").selectOption("German");
    t.same(await accessibilityFaults(page, "dialog"), [], colorScheme);
    const folder = process.env["OC_SCREENSHOTS"];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/add-rdp-${colorScheme}.png` });
    if (colorScheme === "light") {
      await add.click();
      await dialog.waitFor({ state: "hidden" });
    }
    t.same(complaints, []);
    await context.close();
  }
  await display.isUp();
  await until("both screens at the host", async () => (await monitorsOf(display)).length === 2);
  t.same(byPlace(await monitorsOf(display)), byPlace(RIGHT_FIRST));
  t.match(target.log(), /keylayout:\[0x00000407\]/, "and the keyboard that was chosen");
});

t.test("a viewer's wish for another size reaches an RDP host", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xvnc", ["xrandr"])) return;
  const target = await startRdpTarget(t, "xrdp-xvnc");
  const appliance = await Appliance.start(t, {
    connect: [`${target.url}?size=1024x768`],
    hasVnc: true,
    env: { OC_VNC_PASSWORD: PASSWORD },
  });
  const { display } = target;
  if (display === null) throw new Error("a target without a display");
  await shownBy(appliance);
  await display.isUp();
  const viewerUrl = `vnc://:${PASSWORD}@127.0.0.1:${appliance.vncPort ?? 0}`;
  const link = openTargetLink(makeConnection(connectionFromUrl(viewerUrl), systemClock.date()), [], {
    trust: "insecure",
    known: null,
  });
  t.teardown(() => link.close());
  const ear = new LinkEar();
  link.open(ear.events);
  await ear.next("update");
  link.follow(true);
  const screens = [
    { x: 0, y: 0, width: 600, height: 400 },
    { x: 600, y: 0, width: 424, height: 300 },
  ];
  // Of a layout that is asked for later xrdp 0.9.21 makes one screen (2026-11-21), and that is what is said of it.
  const bounds = { x: 0, y: 0, width: 1024, height: 400 };
  await until("the new size at the host", async () => {
    await link.resize(1024, 400, screens);
    const [only, ...more] = await monitorsOf(display);
    return only?.height === 400 && more.length === 0;
  });
  t.same(await monitorsOf(display), [bounds]);
  let displays: unknown = null;
  await until("the new size here", async () => {
    displays = await shownBy(appliance);
    return JSON.stringify(displays).includes(":400");
  });
  t.match(displays, [{ bounds }]);
  t.equal(Array.isArray(displays) ? displays.length : 0, 1);
});

import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";
import { openSharedBrowser } from "./shared-browser.ts";

// Where an element of a shared tab is on a desktop of ours, against what the display itself shows: boxes in colours that
// nothing else has.

const PATIENCE_MS = 600_000;
const NEAR = [0x13, 0xa7, 0xc9] as const;
const FAR = [0xa7, 0x13, 0xc9] as const;

const placeSchema = z.object({
  ...{ connection_id: z.string(), x: z.number(), y: z.number(), width: z.number(), height: z.number() },
  is_whole: z.boolean(),
});
type Place = z.infer<typeof placeSchema>;
type Edges = readonly [left: number, top: number, right: number, bottom: number];

function colourIn({ width, rgba }: Shot, [r, g, b]: readonly [number, number, number]): Edges | null {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, -1, -1, -1];
  for (let at = 0; at < rgba.length; at += 4) {
    if (rgba[at] !== r || rgba[at + 1] !== g || rgba[at + 2] !== b) continue;
    const x = (at / 4) % width;
    const y = Math.floor(at / 4 / width);
    if (top === -1) top = y;
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    bottom = y + 1;
  }
  return top === -1 ? null : [left, top, right, bottom];
}

function edgesOf({ x, y, width, height }: Place): Edges {
  return [x, y, x + width, y + height];
}

class Scene {
  readonly #t: Test;
  readonly #display: XDisplay;
  readonly #agent: Agent;
  readonly #tab: string;
  #before = "";

  constructor(t: Test, display: XDisplay, agent: Agent, tab: string) {
    this.#t = t;
    this.#display = display;
    this.#agent = agent;
    this.#tab = tab;
  }

  async located(selector: string): Promise<Place | null> {
    const told = await this.#agent.call("browser_scroll", { tab_id: this.#tab, selector, locate: true });
    return placeSchema.nullable().parse(told["on_desktop"]);
  }

  /** Waits until the display shows the box elsewhere than it was, at rest. */
  async moved(): Promise<void> {
    let last = "";
    await until(
      "the box to be elsewhere",
      async () => {
        const now = String(colourIn(await this.#display.shot(), NEAR));
        const isThere = now !== "null" && now !== this.#before && now === last;
        last = now;
        return isThere;
      },
      60_000,
    );
  }

  /** The box is told where the display has it. `off`: by how many pixels each edge may be wrong. */
  async agrees(
    when: string,
    off: number,
    selector = "#near",
    colour: readonly [number, number, number] = NEAR,
  ) {
    const place = await until(`the box to be seen whole (${when})`, async () => {
      const seen = await this.located(selector);
      return seen?.is_whole === true ? seen : null;
    });
    const truth = await until("the box on the display", async () =>
      colourIn(await this.#display.shot(), colour),
    );
    const wrong = edgesOf(place).map((edge, i) => Math.abs(edge - (truth[i] ?? 0)));
    this.#t.ok(Math.max(...wrong) <= off, `${when}: ${edgesOf(place)} told, ${truth} shown`);
    if (selector === "#near") this.#before = String(truth);
  }
}

t.test(
  "an element of a shared tab is found where a desktop shows it",
  { timeout: PATIENCE_MS },
  async (t) => {
    if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool"])) return;
    const { site, display, agent } = await openSharedBrowser(t, "760,600");
    const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/boxes` });
    const scene = new Scene(t, display, agent, String(tab_id));
    const window = (await display.command("xdotool", "search", "--onlyvisible", "--name", "Boxes")).trim();

    await scene.agrees("as it is opened", 0);
    await display.command("xdotool", "windowmove", window, "301", "143");
    await scene.moved();
    await scene.agrees("moved", 0);
    await display.command("xdotool", "windowsize", "--sync", window, "655", "511");
    await scene.agrees("resized", 0);
    await scene.agrees("scrolled to", 0, "#far", FAR);
    await scene.agrees("scrolled back", 0);

    await display.command("xdotool", "windowactivate", "--sync", window);
    await display.command("xdotool", "key", "ctrl+minus");
    await scene.moved();
    await scene.agrees("at 90 %", 1);
    for (const _step of ["100 %", "110 %", "125 %"]) {
      await display.command("xdotool", "key", "ctrl+plus");
      await scene.moved();
      await scene.agrees("zoomed in", 1);
    }

    await display.openTerminal("over", "140x60+0+0", "sleep 600");
    await until("the box to be covered", async () => colourIn(await display.shot(), NEAR) === null);
    t.equal(await scene.located("#near"), null, "what a window covers is not seen");
    await agent.call("browser_create_tab", { url: `${site.url}/two` });
    await display.command("xdotool", "windowactivate", "--sync", window);
    t.equal(await scene.located("#near"), null, "nor what is in a tab in the background");
    await t.rejects(agent.call("browser_scroll", { tab_id, pixels: 10, locate: true }), {
      code: "invalid_parameters",
    });
  },
);

t.test(
  "an element is found at a device scale of 1.25, in two windows, and in a blank page",
  { timeout: PATIENCE_MS },
  async (t) => {
    if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool"])) return;
    const site = await openBridgeSite(t);
    for (const [deviceScale, off] of [
      [1, 0],
      [1.25, 1],
    ] as const) {
      const display = await XDisplay.start(t, { geometry: "1600x900" });
      await display.openWindowManager();
      const appliance = await Appliance.start(t, {
        connect: [`vnc://127.0.0.1:${display.vncPort}`],
        env: { OC_BROWSER_SCRIPTS: "allow" },
      });
      const browser = await PersonBrowser.open(t, {
        display: display.name,
        args: [
          ...["--window-position=40,30", "--window-size=640,480"],
          `--force-device-scale-factor=${deviceScale}`,
        ],
      });
      await browser.pair(await pairingLink(appliance));
      await browser.letOpenTabs();
      const agent = await appliance.agent();
      await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
      const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/boxes` });
      const first = new Scene(t, display, agent, String(tab_id));
      await first.agrees(`device scale ${deviceScale}`, off);
      const boxes = (await display.command("xdotool", "search", "--onlyvisible", "--name", "Boxes")).trim();
      await display.command("xdotool", "windowmove", boxes, "61", "47");
      await first.moved();
      await first.agrees(`moved, device scale ${deviceScale}`, off);
      await display.command("xdotool", "windowsize", "--sync", boxes, "613", "455");
      await first.agrees(`resized, device scale ${deviceScale}`, off);
      await first.agrees(`scrolled to, device scale ${deviceScale}`, off, "#far", FAR);
      await first.agrees(`scrolled back, device scale ${deviceScale}`, off);

      const open = "open('/boxes#two', '', 'popup,left=780,top=320,width=480,height=360'); null";
      await agent.call("browser_execute_js", { tab_id, code: open });
      const tabs = z.array(z.object({ tab_id: z.string(), url: z.string() }));
      const second = await until("the second window's tab", async () => {
        const told = tabs.parse((await agent.call("browser_get_tabs"))["tabs"]);
        return told.find(({ url }) => url.endsWith("#two")) ?? null;
      });
      const recolour = "document.title = 'Second window'; near.style.background = '#c9a713'";
      await agent.call("browser_execute_js", { tab_id: second.tab_id, code: recolour });
      const name = ["search", "--onlyvisible", "--name", "Second window"];
      const window = await until("the second window", async () => {
        const found = await display.command("xdotool", ...name).catch(() => "");
        return found.trim().split("\n").at(-1) || null;
      });
      await display.command("xdotool", "windowmove", window, "940", "320");
      const other = new Scene(t, display, agent, second.tab_id);
      const inSecond = `in the second window, device scale ${deviceScale}`;
      await other.agrees(inSecond, off, "#near", [0xc9, 0xa7, 0x13]);
      await first.agrees(`in the first beside it, device scale ${deviceScale}`, off);

      await agent.call("browser_execute_js", { tab_id, code: "location.href = 'about:blank'; null" });
      const blank = await until("the blank page to be seen", async () => {
        const { url } = await agent.call("browser_get_accessibility_tree", { tab_id });
        return url === "about:blank" ? await first.located("html") : null;
      });
      const paint = `const box = document.createElement('div'); document.body.append(box);
        box.style.cssText = 'position:fixed;left:0;top:0;width:160px;height:80px;background:#13a7c9'`;
      await agent.call("browser_execute_js", { tab_id, code: paint });
      const truth = await until("its corner to be painted", async () => colourIn(await display.shot(), NEAR));
      const wrong = Math.max(Math.abs(blank.x - truth[0]), Math.abs(blank.y - truth[1]));
      t.ok(
        wrong <= off,
        `a blank page, device scale ${deviceScale}: ${blank.x},${blank.y} told, ${truth[0]},${truth[1]} shown`,
      );
    }
  },
);

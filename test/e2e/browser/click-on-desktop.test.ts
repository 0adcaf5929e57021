import { createServer } from "node:http";
import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { ButtonProbe, Press } from "../harness/x-programs.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

// A click by ref in a tab that a desktop of ours shows is a press of that desktop's pointer, proven by hover. Windows
// below and above the browser say of each press that it was wrong.

/** How many clicks while something moves: some in the check, a thousand in `npm run test:races`. */
const RACED = Number(process.env["OC_RACED_CLICKS"] ?? 100);
const PATIENCE_MS = 600_000 + RACED * 6000;
const RACES = ["window", "cover", "scroll", "element"] as const;
type Race = (typeof RACES)[number];

const clickedSchema = z.object({
  via: z.enum(["desktop", "page"]),
  connection_id: z.string().nullable(),
  via_reason: z.string().nullable(),
});
const countsSchema = z.object({ hits: z.number(), beside: z.number() });
type Counts = z.infer<typeof countsSchema>;

/** A browser on a display, a page in it with a button, and windows around it that want no press. */
class Scene {
  readonly display: XDisplay;
  readonly appliance: Appliance;
  readonly agent: Agent;
  readonly site: string;
  readonly tab: string;
  readonly ref: string;
  readonly #others: readonly ButtonProbe[];
  readonly #window: string;
  readonly #cover: string;

  private constructor(parts: {
    display: XDisplay;
    appliance: Appliance;
    agent: Agent;
    site: string;
    tab: string;
    ref: string;
    others: readonly ButtonProbe[];
    window: string;
    cover: string;
  }) {
    this.display = parts.display;
    this.appliance = parts.appliance;
    this.agent = parts.agent;
    this.site = parts.site;
    this.tab = parts.tab;
    this.ref = parts.ref;
    this.#others = parts.others;
    this.#window = parts.window;
    this.#cover = parts.cover;
  }

  static async open(t: Test): Promise<Scene> {
    const site = await openBridgeSite(t);
    const display = await XDisplay.start(t, { geometry: "1280x900" });
    await display.openWindowManager();
    const below = await display.openButtonProbe("1270x870+0+0");
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      mode: "autopilot",
      env: { OC_BROWSER_SCRIPTS: "allow", OC_APPROVAL_ARMING_MS: "0" },
    });
    const browser = await PersonBrowser.open(t, {
      display: display.name,
      args: ["--window-position=120,60", "--window-size=760,600"],
    });
    await browser.pair(await pairingLink(appliance));
    await browser.letOpenTabs();
    const agent = await appliance.agent();
    await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
    const tab = String((await agent.call("browser_create_tab", { url: `${site.url}/race` }))["tab_id"]);
    const ref = await until("the button", async () => {
      const { tree } = await agent.call("browser_get_accessibility_tree", { tab_id: tab });
      return /button "Aim".*\[ref=(e\d+)\]/.exec(String(tree))?.[1] ?? null;
    });
    const search = ["search", "--onlyvisible", "--name"];
    const window = (await display.command("xdotool", ...search, "^Race")).trim();
    const cover = await display.openButtonProbe("500x300+300+400", "cover");
    await display.command("xdotool", "windowactivate", "--sync", window);
    const others = [below, cover];
    return new Scene({
      ...{ display, appliance, agent, site: site.url, tab, ref },
      ...{ others, window, cover: cover.window },
    });
  }

  async click(more: Record<string, unknown> = {}): Promise<z.infer<typeof clickedSchema>> {
    const args = { tab_id: this.tab, ref: this.ref, effect_timeout_ms: 0, ...more };
    return clickedSchema.parse(await this.agent.call("browser_click", args));
  }

  async script(code: string): Promise<unknown> {
    const args = { tab_id: this.tab, code, effect_timeout_ms: 0 };
    const { result } = await this.agent.call("browser_execute_js", args);
    return result === "undefined" ? undefined : JSON.parse(String(result));
  }

  /** What the page counted since it was asked last. */
  async counts(): Promise<Counts> {
    const code = "const was = {...told}; told.hits = told.beside = 0; was";
    return countsSchema.parse(await this.script(`(() => { ${code.replace(/was$/, "return was")} })()`));
  }

  /** Presses that other windows took so far. */
  get strays(): number {
    return this.#took(({ button }) => button <= 3);
  }

  /** Notches of the wheel that they took: what came between the last look and the wheel that holds the pointer. */
  get notches(): number {
    return this.#took(({ button }) => button > 3);
  }

  #took(isMeant: (press: Press) => boolean): number {
    return this.#others.reduce((sum, { presses }) => sum + presses().filter(isMeant).length, 0);
  }

  async moveTo(x: number, y: number): Promise<void> {
    await this.display.command("xdotool", "windowmove", this.#window, `${x}`, `${y}`);
  }

  async cover(isOver: boolean): Promise<void> {
    // What is raised lies over the other one.
    await this.display.command("xdotool", "windowraise", isOver ? this.#cover : this.#window);
  }
}

t.test("a click by ref is a press of the desktop that shows it", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool", "xev"])) return;
  const scene = await Scene.open(t);
  await t.test("by the pointer where it is seen, in the page where it is not", (t) => clicksBoth(t, scene));
  await t.test("one question for both ways", (t) => asksOnce(t, scene));
  await t.test("a window that comes right before the press does not get it", (t) => holds(t, scene));
  await t.test("what a press opens is there for the keys", (t) => opens(t, scene));
  await t.test(`${RACED} clicks while something moves: no press goes astray unseen`, (t) => races(t, scene));
});

async function clicksBoth(t: Test, scene: Scene): Promise<void> {
  const { agent, display } = scene;
  const [connection] = z
    .array(z.object({ id: z.string() }))
    .parse((await agent.call("list_connections"))["connections"]);
  const first = await scene.click();
  t.match(first, { via: "desktop", connection_id: connection?.id, via_reason: null });
  t.same(await scene.counts(), { hits: 1, beside: 0 });
  const { on_desktop } = await agent.call("browser_scroll", {
    tab_id: scene.tab,
    ref: scene.ref,
    locate: true,
  });
  const { x, y, width, height } = z
    .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
    .parse(on_desktop);
  const pointer = await display.pointer();
  t.ok(
    pointer.x >= x && pointer.x < x + width && pointer.y >= y && pointer.y < y + height,
    "the real pointer",
  );
  t.match(await scene.click(), { via: "desktop" }, "again, where the pointer stands already");
  t.match(await scene.click({ clickCount: 2 }), { via: "desktop" });
  t.same(await scene.counts(), { hits: 3, beside: 0 });
  await scene.moveTo(331, 177);
  t.match(await scene.click(), { via: "desktop" }, "found anew where the window is now");
  t.same(await scene.counts(), { hits: 1, beside: 0 });
  await scene.moveTo(120, 60);

  await scene.cover(true);
  const covered = await scene.click();
  t.match(covered, { via: "page", connection_id: null, via_reason: /\S/ });
  t.same(await scene.counts(), { hits: 1, beside: 0 }, "what a window covers is clicked in the page");
  await scene.cover(false);
  t.match(await scene.click({ delay: 20 }), { via: "page", via_reason: /delay/ });
  const { tab_id } = await agent.call("browser_create_tab", { url: "about:blank" });
  t.match(await scene.click(), { via: "page", via_reason: /background/ });
  await agent.call("browser_close_tab", { tab_id });
  t.match(await until("the tab in front", () => scene.click()), { via: "desktop" });
  await scene.counts();
  t.equal(scene.strays + scene.notches, 0, "no other window was pressed");
}

async function asksOnce(t: Test, scene: Scene): Promise<void> {
  const { appliance } = scene;
  const pending = z.array(z.object({ id: z.string(), summary: z.string() }));
  const work = scene.click({ require_user_confirmation: true, intent: "to save" });
  work.catch(() => undefined);
  const [card] = await until("the question", async () => {
    const open = pending.parse(await (await appliance.fetch("/api/v1/approvals")).json());
    return open.length > 0 ? open : null;
  });
  t.match(card?.summary, /Click button "Aim" on 127\.0\.0\.1/);
  const { status } = await appliance.fetch(`/api/v1/approvals/${card?.id}`, { decision: "approve" });
  t.equal(status, 200);
  t.match(await work, { via: "desktop" });
  t.same(await scene.counts(), { hits: 1, beside: 0 });
  const left = pending.parse(await (await appliance.fetch("/api/v1/approvals")).json());
  t.same(left, [], "and none for the desktop");
}

/** The page has the window come when it has the pointer, and answers nothing until that is there. */
async function holds(t: Test, scene: Scene): Promise<void> {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    const end = () => response.writeHead(200, { "access-control-allow-origin": "*" }).end();
    scene.cover(true).then(end, end);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  await scene.script(`addEventListener("wheel", () => {
    const ask = new XMLHttpRequest();
    ask.open("GET", "http://127.0.0.1:${address.port}/", false);
    ask.send();
  }, {capture: true, once: true})`);
  await scene.click();
  t.equal(asked, 1, "it came between the last look and the press");
  t.same(await scene.counts(), { hits: 1, beside: 0 });
  t.equal(scene.strays + scene.notches, 0, "and got nothing");
  await scene.cover(false);
}

/** A list and a dialog open while the button is down, and the wheel that holds the pointer. */
async function opens(t: Test, scene: Scene): Promise<void> {
  const { agent } = scene;
  const { tab_id } = await agent.call("browser_create_tab", { url: `${scene.site}/` });
  const refOf = (words: string): Promise<string> =>
    until(words, async () => {
      const tree = String((await agent.call("browser_get_accessibility_tree", { tab_id }))["tree"]);
      const line = tree.split("\n").find((one) => one.includes(words));
      return /\[ref=(e\d+)\]/.exec(line ?? "")?.[1] ?? null;
    });
  const ask = async (code: string): Promise<unknown> =>
    (await agent.call("browser_execute_js", { tab_id, code }))["result"];
  const click = async (words: string): Promise<unknown> =>
    await agent.call("browser_click", { tab_id, ref: await refOf(words), effect_timeout_ms: 0 });
  t.match(await click('combobox "Country"'), { via: "desktop" });
  await agent.call("press_keys", { keys: "Down" });
  await agent.call("press_keys", { keys: "Return" });
  await until("the list to have its second choice", async () => (await ask("co.value")) === '"Kenya"');
  t.match(await click('button "Alert"'), { via: "desktop" }, "told before the dialog is answered");
  await t.rejects(agent.call("browser_get_accessibility_tree", { tab_id }), { code: "dialog_open" });
  await agent.call("press_keys", { keys: "Return" });
  await until("the page to go on", async () => {
    const said = await ask("out.textContent").catch(() => null);
    return said === '"answered"';
  });
  t.match(await click('button "Save"'), { via: "desktop" });
  t.match(await ask("out.textContent"), /^"saved/);
  await agent.call("browser_close_tab", { tab_id });
  await until("the first tab in front", async () => (await scene.click()).via === "desktop");
  await scene.counts();
}

async function races(t: Test, scene: Scene): Promise<void> {
  const usualMs: number[] = [];
  for (let i = 0; i < 5; i++) {
    const startMs = performance.now();
    await scene.click();
    usualMs.push(performance.now() - startMs);
  }
  const spreadMs = Math.max(...usualMs);
  await scene.counts();
  const wrong: string[] = [];
  const outcomes = new Map<string, number>();
  for (let i = 0; i < RACED; i++) {
    const race = RACES[i % RACES.length] ?? "window";
    const afterMs = Math.random() * spreadMs;
    const strays = scene.strays;
    const [outcome] = await Promise.all([clickedHow(scene), move(scene, race, i, afterMs)]);
    const { hits, beside } = await scene.counts();
    const astray = scene.strays - strays;
    const isTold = outcome.startsWith("via") ? hits === 1 : hits === 0;
    outcomes.set(`${race} ${outcome}`, (outcomes.get(`${race} ${outcome}`) ?? 0) + 1);
    if (beside > 0 || astray > 0 || hits > 1 || !isTold)
      wrong.push(
        `${race} after ${Math.round(afterMs)} ms: ${outcome}, hits ${hits}, beside ${beside}, astray ${astray}`,
      );
    await settled(scene, race);
    if (i % 50 === 49) t.comment(`${i + 1} done, notches elsewhere ${scene.notches}, wrong ${wrong.length}`);
  }
  const told = [...outcomes].map(([what, n]) => `${what} ${n}`).join(", ");
  t.comment(`moved within ${Math.round(spreadMs)} ms: ${told}; notches elsewhere ${scene.notches}`);
  t.same(wrong, [], `${wrong.length} of ${RACED} clicks went astray or were told wrong`);
}

async function clickedHow(scene: Scene): Promise<string> {
  return await scene.click().then(
    ({ via }) => `via ${via}`,
    (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
  );
}

async function move(scene: Scene, race: Race, index: number, afterMs: number): Promise<void> {
  if (race === "scroll" || race === "element") {
    // From within the page, once the pointer is there: between the proof and the press.
    await scene.script(`arm(${JSON.stringify(race)}, ${Math.round(afterMs / 4)})`);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  if (race === "cover") await scene.cover(true);
  else await scene.moveTo(120 + ((index * 53) % 260), 60 + ((index * 29) % 110));
}

/** As it was before, for the next one. */
async function settled(scene: Scene, race: Race): Promise<void> {
  if (race === "cover") await scene.cover(false);
  if (race === "scroll") await scene.script("scrollTo(0, 0)");
}

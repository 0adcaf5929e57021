import type { Page } from "playwright-core";
import type { Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, openSizedText, setTheme, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop } from "../viewers/viewer-scenario.ts";
import { EMPTY_SIGHTS, type House, type Sight, sightsOf } from "./all-pages-sights.ts";
import { KeyboardRounds } from "./keyboard-round.ts";
import { LAYOUT_FAULTS, TAB_LINES } from "./layout-faults.ts";

/** What is wider than its place, and what of it reaches furthest. */
const EXCESS = `[document.documentElement, ...document.querySelectorAll("dialog[open], :popover-open, .shell-head nav, dt")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => {
    const ends = [...one.querySelectorAll("*")].map((inner) => [inner.getBoundingClientRect().right, inner]);
    const [, furthest] = ends.reduce((most, next) => (next[0] >= most[0] ? next : most), [0, one]);
    return one.scrollWidth - one.clientWidth + " px cut: " + furthest.outerHTML.slice(0, 200);
  })`;

/** Windows up to this width are those of phones, where a finger points. */
const PHONE_PX = 600;
/** CSS pixels of what a finger presses, either way. */
const FINGER_PX = 40;

/** Half of a desk's width is like a whole one's for colours, and so is large text: there one theme is enough. */
const HALF_PX = 720;

/** In a whole desk's width each page is gone around by keys as well, and on phones those that are laid out otherwise there. */
const DESK_PX = 1440;

/** What is too small for a finger; what stands in a line of text is as high as its line. */
const SMALL = `[...document.querySelectorAll("button, select, summary, textarea, input, a.button, a.icon-button, nav a")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.matches(".link-button, .viewer-keys"))
  .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && Math.round(height) < ${FINGER_PX})
  .map(([one, { width, height }]) =>
    [one.tagName, one.className, one.textContent.slice(0, 20), Math.round(width), Math.round(height)].join(" "))`;

/** A browser of a person whose text has its usual size, or any other. In a phone's width it has a touch screen. */
async function openPage(
  t: Test,
  appliances: readonly Appliance[],
  width: number,
  fontPx: number | null,
): Promise<Page> {
  const viewport = { width, height: 800 };
  const [first, ...others] = appliances;
  if (first === undefined) throw new Error("nothing to look at");
  const signInAt = ({ url, adminToken }: Appliance): string => `${url}/?token=${adminToken}`;
  const page =
    fontPx === null
      ? (await signIn(await openBrowser(t), first, { viewport, hasTouch: width < PHONE_PX })).page
      : await (await openSizedText(t, fontPx)).newPage();
  for (const one of fontPx === null ? others : appliances) await page.goto(signInAt(one));
  if (fontPx !== null) {
    await page.setViewportSize(viewport);
    t.equal(
      await page.evaluate<string>("getComputedStyle(document.documentElement).fontSize"),
      `${(fontPx * 13) / 16}px`,
    );
  }
  return page;
}

/** A house with something of everything. */
async function furnish(appliance: Appliance): Promise<House & { readonly end: () => Promise<void> }> {
  const id = await onlyDesktop(appliance);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const { height } = await until("a picture", () => agent.shot());
  const post = async (path: string, body: unknown): Promise<Response> => {
    const answer = await appliance.fetch(path, body);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const desktop = `/api/v1/desktops/${id}`;
  const record = async (): Promise<string> => {
    const answer = await post("/api/v1/recordings", { desktop_id: id });
    return z.object({ id: z.string() }).parse(await answer.json()).id;
  };
  const recording = await record();
  await post(`${desktop}/mode`, { mode: "autopilot" });
  await agent.call("click_at", { x: 300, y: 210, intent: "open the menu" });
  await agent.call("draw_overlay", { x: 150, y: 150, width: 200, height: 100, label: "Look here" });
  await post(`${desktop}/mode`, { mode: "assist" });
  await post(`/api/v1/recordings/${recording}/stop`, {});
  const opened = await post(`/api/v1/recordings/${recording}/replay`, { at_ms: 0 });
  const { desktop_id: replay } = z.object({ desktop_id: z.string() }).parse(await opened.json());
  await record();
  const rect = { x: 500, y: 40, width: 160, height: 60 };
  await post(`${desktop}/masks`, { rect, audiences: ["agent"], label: "Numbers" });
  await post("/api/v1/desktops", { protocol: "vnc", host: "127.0.0.1", port: 1, name: "Lab / Gone" });
  const gone = (await rest(appliance, "/api/v1/desktops")).find(({ name }) => name === "Lab / Gone")?.id;
  /** An MCP client waits a minute for an answer, and its question goes with it. */
  const asked: Promise<unknown>[] = [];
  const ask = async (): Promise<void> => {
    // One of before may go while it is looked at.
    for (const old of await rest(appliance, "/api/v1/approvals")) {
      await appliance.fetch(`/api/v1/approvals/${old.id}`, { decision: "deny" });
    }
    await until("no question", async () => (await rest(appliance, "/api/v1/approvals")).length === 0);
    // Where nothing blinks, so that the question stays.
    const place = { x: 30, y: height - 20 };
    asked.push(agent.call("click_at", { ...place, intent: "open the menu" }).catch(() => undefined));
    await until("the question", async () => (await rest(appliance, "/api/v1/approvals")).length === 1);
  };
  const end = async (): Promise<void> => {
    await agent.close();
    await Promise.all(asked);
  };
  return { desktop: id, gone: gone ?? "", recording, replay, ask, end };
}

/**
 * Looks at every page and state in both themes, in windows of these widths, CSS pixels; `fontPx`: the size of text that is
 * set in the browser.
 */
export async function sweep(t: Test, widths: readonly number[], fontPx: number | null = null): Promise<void> {
  if (!requirePeers(t, ["chromium"])) return;
  const [appliance, empty] = await Promise.all([
    Appliance.start(t, {
      mode: "assist",
      env: { OC_APPROVAL_EXPIRY_MS: "600000", OC_APPROVAL_ARMING_MS: "100" },
    }),
    Appliance.start(t),
  ]);
  await empty.fetch(`/api/v1/desktops/${await onlyDesktop(empty)}`, undefined, { method: "DELETE" });
  const { end, ...house } = await furnish(appliance);
  const folder = process.env["OC_SCREENSHOTS"];

  const look = async (
    t: Test,
    { page, rounds }: { readonly page: Page; readonly rounds: KeyboardRounds | null },
    { url }: Appliance,
    sight: Sight,
    width: number,
  ): Promise<void> => {
    const { name, path, ready, isOtherwise = false } = sight;
    if (path !== null) await page.goto(`${url}${path}`);
    await ready(page);
    const faults: string[] = [];
    // What lies below a dialog was looked at before it came.
    const isBelow = await page.locator("dialog:modal").count();
    const themes = width === HALF_PX || fontPx !== null ? (["light"] as const) : (["dark", "light"] as const);
    for (const theme of themes) {
      await setTheme(page, theme);
      const found = await accessibilityFaults(page, isBelow > 0 ? "dialog:modal" : "html");
      faults.push(...found.map((fault) => `${theme}: ${fault}`));
      if (folder === undefined) continue;
      const file = `all-${name.replaceAll(" ", "-")}-${theme}-${width}${fontPx === null ? "" : "-large"}`;
      await page.screenshot({ path: `${folder}/${file}.png` });
    }
    const excess = await page.evaluate<string[]>(EXCESS);
    const isTouched = await page.evaluate<boolean>(`matchMedia("(pointer: coarse)").matches`);
    const small = isTouched ? await page.evaluate<string[]>(SMALL) : [];
    const lines = fontPx === null ? await page.evaluate<string[]>(TAB_LINES) : [];
    t.same(
      [
        ...faults,
        ...(await page.evaluate<string[]>(LAYOUT_FAULTS)),
        ...lines,
        ...excess,
        ...small.map((one) => `small: ${one}`),
      ],
      [],
      name,
    );
    if (rounds === null || (width < PHONE_PX && !isOtherwise)) return;
    const { stops, faults: unreached } = await rounds.go();
    t.same(unreached, [], `${name}, by keys: ${stops} stops`);
  };

  for (const width of widths) {
    await t.test(`${width} px`, async (t) => {
      const page = await openPage(t, [appliance, empty], width, fontPx);
      const isWalked = (width === DESK_PX || width < PHONE_PX) && fontPx === null;
      const rounds = isWalked ? await KeyboardRounds.on(page) : null;
      for (const sight of EMPTY_SIGHTS) await look(t, { page, rounds }, empty, sight, width);
      for (const sight of sightsOf(house)) await look(t, { page, rounds }, appliance, sight, width);
      await page.context().close();
    });
  }
  await end();
}

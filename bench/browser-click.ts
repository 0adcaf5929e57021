import { openBridgeSite } from "../test/e2e/browser/bridge-site.ts";
import { pairingLink } from "../test/e2e/browser/bridged-browser.ts";
import { PersonBrowser } from "../test/e2e/browser/person-browser.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";

const RUNS = 100;
/** Between two clicks, as an agent thinks: what the last press still does is over. */
const THINKING_MS = 700;

/** A click by ref in a tab that a desktop shows, by the desktop's pointer and in the page; and where an element is there. */
export async function benchBrowserClick(owner: Owner, isShort: boolean): Promise<Line[]> {
  const site = await openBridgeSite(owner);
  const display = await XDisplay.start(owner, { geometry: "1280x900" });
  await display.openWindowManager();
  const appliance = await Appliance.start(owner, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    mode: "autopilot",
  });
  const browser = await PersonBrowser.open(owner, { display: display.name });
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  const agent = await appliance.agent();
  await until("the desktop to be live", () => agent.call("take_screenshot").then(Boolean));
  const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/table` });
  const { tree } = await agent.call("browser_get_accessibility_tree", { tab_id });
  const refs = [...String(tree).matchAll(/button "Buy \d+" \[ref=(e\d+)\]/g)].map(([, ref = ""]) => ref);
  const times = { desktop: [] as number[], page: [] as number[], located: [] as number[] };
  const timed = async (list: number[], run: () => Promise<unknown>): Promise<void> => {
    const startMs = performance.now();
    await run();
    list.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
  };
  const click = async (ref: string, via: "desktop" | "page"): Promise<void> => {
    // A press that lasts is the page's own.
    const way = via === "page" ? { delay: 1 } : {};
    const told = await agent.call("browser_click", { tab_id, ref, effect_timeout_ms: 0, ...way });
    if (told["via"] !== via) throw new Error(`clicked via ${told["via"]}: ${told["via_reason"]}`);
  };
  await until("a first click by the desktop's pointer", () =>
    click(refs[0] ?? "", "desktop").then(
      () => true,
      () => false,
    ),
  );
  const runs = isShort ? 1 : RUNS;
  for (let run = 0; run < runs; run++) {
    const ref = refs[(run * 7) % 20] ?? "";
    await timed(times.desktop, () => click(ref, "desktop"));
    await timed(times.page, () => click(ref, "page"));
    await timed(times.located, async () => {
      const told = await agent.call("browser_scroll", { tab_id, ref, locate: true, effect_timeout_ms: 0 });
      if (told["on_desktop"] === null) throw new Error("the element was not found on the desktop");
    });
  }
  const [desktop, page, located] = [summary(times.desktop), summary(times.page), summary(times.located)];
  const pair = { id: "BRIDGE", unit: "ms", peer: "the same click in the page, p50", theirs: page.p50 };
  return [
    judged({ ...pair, metric: "click by ref on a desktop, p50", ours: desktop.p50, goal: { within: 60 } }),
    judged({ ...pair, metric: "where an element is on it, p95", ours: located.p95, goal: { within: 250 } }),
  ];
}

import { pairingLink } from "../test/e2e/browser/bridged-browser.ts";
import { PersonBrowser } from "../test/e2e/browser/person-browser.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { openBrowser } from "../test/e2e/harness/browser.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";
import { LARGE, servePages, TEN } from "./snapshot-pages.ts";
import { summary } from "./stopwatch.ts";

const RUNS = 20;

/** What agents act on, as both name it. */
const INTERACTIVE =
  /^(button|link|textbox|searchbox|checkbox|radio|combobox|switch|tab|menuitem|option|treeitem|slider|spinbutton)$/;

/**
 * What a page is as text for an agent, beside the snapshot that `@playwright/mcp` gives of it: Playwright's own, in its mode
 * "ai", in the same run. Throws where an element that it has is missing in ours.
 */
export async function benchSnapshot(owner: Owner, isShort: boolean): Promise<Line[]> {
  const url = await servePages(owner);
  const appliance = await Appliance.start(owner, { mode: "autopilot" });
  const browser = await PersonBrowser.open(owner);
  await browser.pair(await pairingLink(appliance));
  await browser.letOpenTabs();
  const agent = await appliance.agent();
  const peer = await (await openBrowser(owner)).newPage();
  const open = async (name: string) => {
    const { tab_id } = await agent.call("browser_create_tab", { url: `${url}/${name}` });
    await peer.goto(`${url}/${name}`);
    return tab_id;
  };
  const read = async (tab_id: unknown): Promise<string> =>
    String((await agent.call("browser_get_accessibility_tree", { tab_id }))["tree"]);
  let [ours, theirs] = [0, 0];
  for (const name of TEN) {
    const tab = await open(name);
    const wanted = await peer.ariaSnapshot({ mode: "ai" });
    const tree = await until(`all elements of ${name}`, async () => {
      const told = await read(tab);
      const missing = missingOf(elementsOf(wanted), elementsOf(told));
      if (missing.length > 0) throw new Error(`missing: ${missing.slice(0, 5).join("; ")}`);
      return told;
    });
    process.stderr.write(`${name}: ${tree.length} and ${wanted.length} characters\n`);
    ours += tree.length;
    theirs += wanted.length;
    await agent.call("browser_close_tab", { tab_id: tab });
  }
  const tab = await open(LARGE);
  const times = { ours: [] as number[], theirs: [] as number[] };
  const most = await until("the large table", async () => {
    const { length } = await read(tab);
    return length > 10_000 ? length : null;
  });
  if (most > 50_000) throw new Error(`${most} characters, more than max_chars`);
  for (let run = 0; run < (isShort ? 1 : RUNS); run++) {
    let startMs = performance.now();
    await read(tab);
    times.ours.push(performance.now() - startMs);
    startMs = performance.now();
    await peer.ariaSnapshot({ mode: "ai" });
    times.theirs.push(performance.now() - startMs);
  }
  const size = { id: "SNAPSHOT", unit: "characters", peer: "Playwright's, as @playwright/mcp gives it" };
  const time = { id: "SNAPSHOT", unit: "ms", peer: "the same by Playwright, in its own browser, p50" };
  return [
    judged({ ...size, metric: "ten pages as text for agents", ours, theirs, goal: { atMost: 0.75 } }),
    judged({
      ...{ ...time, metric: "a table of 2,000 rows within max_chars, p50", goal: { within: 150 } },
      ...{ ours: summary(times.ours).p50, theirs: summary(times.theirs).p50 },
    }),
  ];
}

/** Role and name of each element to act on, and each role, counted. */
function elementsOf(snapshot: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, role = "", name] of snapshot.matchAll(/^\s*- '?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?/gim)) {
    if (!INTERACTIVE.test(role)) continue;
    // Playwright leaves a name out that what is in the element says.
    for (const key of name === undefined ? [role] : [role, `${role} ${name}`])
      found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

function missingOf(wanted: ReadonlyMap<string, number>, told: ReadonlyMap<string, number>): string[] {
  return [...wanted].filter(([key, count]) => (told.get(key) ?? 0) < count).map(([key]) => key);
}

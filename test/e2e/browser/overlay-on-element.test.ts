import t from "tap";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import type { Shot } from "../harness/xwd.ts";
import { openSharedBrowser } from "./shared-browser.ts";

// An overlay that is bound to an element of a shared tab is where the display itself shows that element, and nowhere else.

const PATIENCE_MS = 900_000;
const NEAR = [0x13, 0xa7, 0xc9] as const;
/** Drawn over the element, not blended. */
const DRAWN = [0xfe, 0x01, 0x53] as const;

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

t.test("an overlay goes with the element that it is bound to", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool"])) return;
  const { site, display, agent } = await openSharedBrowser(t, "760,600");
  const tab = String((await agent.call("browser_create_tab", { url: `${site.url}/boxes` }))["tab_id"]);
  const script = (code: string) => agent.call("browser_execute_js", { tab_id: tab, code: `${code}; null` });
  await script("near.setAttribute('aria-label', 'Near')");
  const { tree } = await agent.call("browser_get_accessibility_tree", { tab_id: tab });
  const ref = `${tab}:${/button "Near" \[ref=(e\d+)\]/.exec(String(tree))?.[1]}`;
  const window = (await display.command("xdotool", "search", "--onlyvisible", "--name", "Boxes")).trim();

  await t.rejects(agent.call("draw_overlay", { ref, x: 1, y: 1, width: 5, height: 5 }), {
    code: "invalid_parameters",
  });
  const drawn = await until("the overlay", () =>
    agent
      .call("draw_overlay", { ref, annotation_type: "highlight", color: "#fe0153", opacity: 1 })
      .catch(() => null),
  );
  t.equal(drawn["anchor_id"], ref);

  /** What is drawn is as large as what the display shows, and there; null: nothing is drawn. */
  const drawnNow = async () => colourIn(await agent.shot({ include_overlays: true }), DRAWN);
  const follows = async (when: string): Promise<void> => {
    let last = "";
    await until(
      `the overlay to be on its element (${when})`,
      async () => {
        const truth = colourIn(await display.shot(), NEAR);
        const overlay = await drawnNow();
        last = `${overlay} drawn, ${truth} shown`;
        return truth !== null && String(overlay) === String(truth);
      },
      90_000,
    ).catch((error: unknown) => t.fail(`${when}: ${last}`, { cause: String(error) }));
  };
  const reason = async () => (await agent.call("re_anchor_element", { anchor_id: ref }))["reason"];
  const isHidden = async (when: string, why: RegExp): Promise<void> => {
    await until(`no overlay (${when})`, async () => (await drawnNow()) === null, 90_000);
    await until(`why (${when})`, async () => why.test(String(await reason())), 30_000).catch(async () =>
      t.match(await reason(), why, when),
    );
  };

  await follows("as it is drawn");
  await script("scrollTo(0, 17)");
  await follows("scrolled");
  await display.command("xdotool", "windowmove", window, "301", "143");
  await follows("its window was moved");
  await script("near.style.width = '180px'");
  await follows("grown");
  await script("scrollTo(0, 1500)");
  await isHidden("scrolled away", /out of view/);
  await script("scrollTo(0, 0)");
  await follows("scrolled back");
  const wall = "const w = document.createElement('div'); w.id = 'wall'; document.body.append(w)";
  await script(`${wall}; w.style.cssText = 'position:fixed;inset:0;background:#eee'`);
  await isHidden("covered in the page", /covered in the page/);
  await script("document.getElementById('wall').remove()");
  await follows("uncovered");
  const [left, top] = colourIn(await display.shot(), NEAR) ?? [0, 0];
  await display.openTerminal("over", `50x8+${left - 40}+${top - 30}`, "sleep 600");
  await isHidden("a window over it", /covered or masked on the desktop|not seen on a desktop/);
  await display.command("xdotool", "windowactivate", "--sync", window);
  await follows("its window before the other again");
  await agent.call("browser_create_tab", { url: `${site.url}/two` });
  await isHidden("its tab in the background", /background/);

  const { removed } = await agent.call("remove_overlay", { overlay_id: drawn["overlay_id"] });
  t.equal(removed, true);
  await t.rejects(agent.call("re_anchor_element", { anchor_id: ref }), { code: "not_found" });
});

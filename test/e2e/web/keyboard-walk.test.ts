import t from "tap";
import * as z from "zod";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

// All that can be pressed or filled in is reached by Tab alone, seen when it is, and left again.

const PAGES = [
  ...["/", "/recordings", "/approvals", "/setup", "/access", "/secrets", "/audit"],
  ...["/desktops/demo/rules", "/no-such-page"],
];

/** More stops than any page has. */
const MOST_STOPS = 300;

/**
 * Marks what has the focus; what it is, and whether that is seen. "end": nothing has it, or what had it earlier. A field
 * for a time has several stops of its own.
 */
const STOP = `(() => {
  const at = document.activeElement;
  const isOver = at === null || at === document.body;
  if (isOver || (at.dataset.walked === "yes" && at !== globalThis.lastWalked)) return { name: "end", isSeen: true };
  globalThis.lastWalked = at;
  at.dataset.walked = "yes";
  const style = getComputedStyle(at);
  const name = at.getAttribute("aria-label") ?? at.textContent?.trim().slice(0, 40) ?? "";
  return {
    name: at.tagName.toLowerCase() + " " + name,
    // The browser marks the part of a time that has the focus, and not the whole field.
    isSeen: at.type === "datetime-local" || style.outlineStyle !== "none" || style.boxShadow !== "none",
  };
})()`;

/** What can take the focus and was not reached: of a group of radio buttons one is. */
const MISSED = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => one.type !== "radio" || one.checked)
  .filter((one) => one.dataset.walked !== "yes" && one.closest("[inert]") === null)
  .map((one) => one.outerHTML.slice(0, 120))`;

const stopSchema = z.object({ name: z.string(), isSeen: z.boolean() });

t.test("Tab reaches all of every page, and leaves it", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const { page } = await signIn(await openBrowser(t), appliance);
  for (const path of PAGES) {
    await t.test(path, async (t) => {
      await page.goto(`${appliance.url}${path}`);
      await page.locator("main h1").waitFor();
      await page.waitForLoadState("networkidle");
      const unseen: string[] = [];
      let stops = 0;
      for (; stops < MOST_STOPS; stops++) {
        await page.keyboard.press("Tab");
        const { name, isSeen } = stopSchema.parse(await page.evaluate(STOP));
        if (name === "end") break;
        if (!isSeen) unseen.push(name);
      }
      t.ok(stops > 3 && stops < MOST_STOPS, `${stops} stops, and then it is left`);
      t.same(unseen, [], "where the focus is can be seen");
      t.same(await page.evaluate(MISSED), [], "nothing is out of reach");
    });
  }
});

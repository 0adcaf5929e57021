import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { openBridgeSite } from "./bridge-site.ts";
import { pairingLink } from "./bridged-browser.ts";
import { PersonBrowser } from "./person-browser.ts";

// All nine tools in a shared tab of Debian's Chromium, on pages that make it hard.

const PATIENCE_MS = 600_000;

/** What an agent does with one tab. */
class Tab {
  readonly id: string;
  readonly #agent: Agent;

  constructor(agent: Agent, id: string) {
    this.#agent = agent;
    this.id = id;
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.#agent.call(`browser_${name}`, { tab_id: this.id, ...args });
  }

  async tree(args: Record<string, unknown> = {}): Promise<string> {
    return String((await this.call("get_accessibility_tree", args))["tree"]);
  }

  /** The ref of the line that has these words; waits for it, as frames come later. */
  async ref(words: string): Promise<string> {
    return await until(`a line with ${words}`, async () => {
      const line = (await this.tree()).split("\n").find((one) => one.includes(words));
      return /\[ref=(e\d+)\]/.exec(line ?? "")?.[1] ?? null;
    });
  }

  async says(id: string): Promise<unknown> {
    const { result } = await this.call("execute_js", {
      code: `document.getElementById(${JSON.stringify(id)}).textContent`,
    });
    return JSON.parse(String(result));
  }
}

t.test("an agent uses shared tabs", { timeout: PATIENCE_MS }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const site = await openBridgeSite(t);
  const appliance = await Appliance.start(t, { mode: "autopilot", env: { OC_BROWSER_SCRIPTS: "allow" } });
  const browser = await PersonBrowser.open(t);
  await browser.pair(await pairingLink(appliance));
  const agent = await appliance.agent();
  const open = async (path: string): Promise<Tab> => {
    const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}${path}` });
    return new Tab(agent, String(tab_id));
  };
  await t.rejects(open("/"), { code: "tab_not_shared" }, "agents open tabs only where they are let");
  await browser.letOpenTabs();
  await t.test("an element is found through frames and shadow roots, and clicked by trusted events", (t) =>
    actsOnElements(t, open),
  );
  await t.test("what cannot be clicked is told, and nothing is", (t) =>
    refusesToAct(t, open, browser, site.url),
  );
  await t.test("trees are bounded, and say when nothing changed", (t) => readsTrees(t, open));
  await t.test("scripts run in the page, whatever its policy, and are fetched within bounds", (t) =>
    runsScripts(t, open, site.url),
  );
  await t.test("a hostile page changes nothing but itself", (t) => meetsHostility(t, open));
  await t.test("tabs are listed, opened by pages, and closed", (t) => handlesTabs(t, open, agent));
});

type Open = (path: string) => Promise<Tab>;

async function actsOnElements(t: Test, open: Open): Promise<void> {
  const tab = await open("/");
  const name = await tab.ref('textbox "Name"');
  t.match(await tab.call("type", { ref: name, text: "Ada Ω 日本" }), { success: true, changed: true });
  const clicked = await tab.call("click", { ref: await tab.ref('button "Save"') });
  t.match(clicked, { success: true, changed: true, was_confirmed: false, url: null, dialog: null });
  t.equal(await tab.says("out"), "saved Ada Ω 日本 true");
  for (const [button, says] of [
    ["Open shadow", "open true"],
    ["Closed shadow", "closed true"],
    ["Far away", "far"],
  ] as const) {
    await tab.call("click", { ref: await tab.ref(`button "${button}"`) });
    t.equal(await tab.says("out"), says);
  }
  t.match(
    await tab.call("click", { selector: ".inner" }),
    { success: true },
    "selectors look into open shadow roots",
  );
  t.equal(await tab.says("out"), "open true");
  await tab.call("type", { ref: await tab.ref('textbox "Card"'), text: "4242" });
  await tab.call("click", { ref: await tab.ref('button "Pay now"') });
  t.equal(await tab.says("out"), "paid 4242 true", "in a frame of another site in one of another site");
  await tab.call("type", { ref: await tab.ref('textbox "Notes"'), text: "new", pressEnter: true });
  t.match(await tab.says("ce"), /new/);
  const list = await tab.ref('combobox "Country"');
  await tab.call("type", { ref: list, text: "Ken" });
  t.match(await tab.call("execute_js", { code: "document.getElementById('co').value" }), {
    result: '"Kenya"',
  });
  t.match(await tab.call("scroll", { pixels: 400 }), { success: true });
  await tab.call("scroll", { ref: await tab.ref('heading "Orders"') });
  t.match(await tab.call("execute_js", { code: "scrollY < 60" }), { result: "true" });
  const box = JSON.parse(
    String(
      (await tab.call("execute_js", { code: "JSON.stringify(save.getBoundingClientRect())" }))["result"],
    ),
  );
  const { x, y, width, height } = JSON.parse(String(box));
  await tab.call("click", {
    x: x + width / 2,
    y: y + height / 2,
    showCursor: true,
    delay: 20,
    clickCount: 2,
  });
  t.match(await tab.says("out"), /^saved/);
  t.notMatch(await tab.tree(), /canary-of-a-password/, "a password is dots");
  const moved = await tab.call("click", { ref: await tab.ref('link "Second page"') });
  t.match(moved, { changed: true, url: /\/two$/ });
  await t.rejects(tab.call("click", { ref: name }), { code: "ref_unknown" }, "refs of another page are void");
}

async function refusesToAct(t: Test, open: Open, browser: PersonBrowser, address: string): Promise<void> {
  const tab = await open("/");
  await t.rejects(tab.call("click", { ref: await tab.ref('button "Covered"') }), {
    code: "covered",
    message: /cookie wall/,
  });
  const moving = await open("/moving");
  const running = await moving.ref('button "Runs away"');
  for (let tries = 0; tries < 5; tries++) {
    const code = await moving.call("click", { ref: running }).then(
      () => "clicked",
      (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
    );
    t.match(code, /^(clicked|moving|covered)$/);
    t.match(await moving.says("out"), code === "clicked" ? /^caught/ : /^free/, `${code}: nothing beside it`);
    await moving.call("execute_js", { code: "out.textContent = 'free'" });
  }
  await moving.call("close_tab");
  const gone = await tab.ref('button "Remove me"');
  await tab.call("click", { ref: gone });
  await t.rejects(tab.call("click", { ref: gone }), { code: "not_visible" });
  await t.rejects(tab.call("click", { ref: "e99999" }), { code: "ref_unknown" });
  await t.rejects(tab.call("click", { selector: "button" }), { code: "selector_ambiguous" });
  await t.rejects(tab.call("click", { selector: "#none" }), { code: "ref_unknown" });
  await t.rejects(tab.call("click", { selector: "((" }), { code: "ref_unknown" });
  await t.rejects(tab.call("click", {}), { code: "invalid_parameters" });
  await t.rejects(tab.call("click", { ref: gone, x: 1, y: 1 }), { code: "invalid_parameters" });
  await t.rejects(tab.call("type", { selector: "#out", text: "x" }), { code: "not_visible" });

  // A person answers the dialog; until then the page does nothing.
  const accept = await browser.watchDialogs(t, address);
  const told = await tab.call("click", { ref: await tab.ref('button "Alert"') });
  t.match(told, { success: true, changed: null, dialog: { type: "alert", message: "Really?" } });
  await t.rejects(tab.tree(), { code: "dialog_open" });
  await accept();
  t.equal(await until("the page to go on", () => tab.says("out").catch(() => null)), "answered");
}

async function readsTrees(t: Test, open: Open): Promise<void> {
  const tab = await open("/table");
  await tab.ref('button "Buy 0"');
  const cut = await tab.call("get_accessibility_tree", { max_chars: 2000 });
  t.ok(
    String(cut["tree"]).length <= 2000 && Number(cut["lines_left"]) > 1000,
    "what does not fit is counted",
  );
  const again = await tab.call("get_accessibility_tree", { if_changed_since: cut["generation"] });
  t.match(again, { changed: false, tree: null, generation: cut["generation"] });
  t.equal(await tab.tree({ max_chars: 2000 }), cut["tree"], "refs stay");
  const row = await tab.ref('button "Buy 150"');
  t.match(await tab.tree({ root_ref: row }), /^- button "Buy 150" \[ref=e\d+\]$/);
  await t.rejects(tab.tree({ root_ref: "e999999" }), { code: "ref_unknown" });
  const acted = await tab.call("execute_js", {
    code: "document.title = 'x'; document.querySelector('td').textContent = 'Other'",
  });
  t.match(acted, { changed: true });
  const now = await tab.call("get_accessibility_tree", {
    if_changed_since: cut["generation"],
    max_chars: 500,
  });
  t.match(now, { changed: true, tree: /Other/, title: "x" });
  t.notMatch(await tab.tree({ usePlatformOptimizer: true, max_chars: 2000 }), /text:/);
}

async function runsScripts(t: Test, open: Open, url: string): Promise<void> {
  const tab = await open("/");
  t.match(await tab.call("execute_js", { code: "await Promise.resolve({a: [1, 2]})" }), {
    result: '{"a":[1,2]}',
  });
  await t.rejects(tab.call("execute_js", { code: "nope()" }), {
    code: "script_failed",
    message: /nope is not defined/,
  });
  const injected = await tab.call("inject_script", { script_url: `${url}/redirect.js`, keep_injected: true });
  t.match(injected, { success: true, changed: true, sha256: /^[0-9a-f]{64}$/ });
  t.match(await tab.tree(), /heading "Injected"/);
  const strict = await open("/strict");
  await strict.call("inject_script", { script_url: `${url}/script.js` });
  t.match(await strict.tree(), /heading "Injected"/, "whatever the page's policy says");
  await t.rejects(tab.call("inject_script", { script_url: `${url}/away.js` }), { code: "target_forbidden" });
  await t.rejects(tab.call("inject_script", { script_url: "http://169.254.169.254/x.js" }), {
    code: "target_forbidden",
  });
  await t.rejects(tab.call("inject_script", { script_url: `${url}/endless.js` }), {
    code: "invalid_parameters",
  });
  await t.rejects(tab.call("inject_script", { script_url: "file:///etc/passwd" }), {
    code: "invalid_parameters",
  });
  await t.rejects(tab.call("inject_script", { script_url: `${url}/none.js` }), { code: "not_found" });
}

async function meetsHostility(t: Test, open: Open): Promise<void> {
  const tab = await open("/hostile");
  const ref = await tab.ref('button "Delete everything"');
  t.match(await tab.tree(), /Delete everything/, "what it overwrote is its own");
  await tab.call("click", { ref });
  t.match(await tab.call("execute_js", { code: "document.body.id" }), { result: '"trusted-true"' });
  t.match(
    await tab.call("get_accessibility_tree"),
    { title: /SYSTEM|IGNORE/ },
    "text that instructs is text",
  );
  t.match(
    await tab.call("click", { selector: "#real" }),
    { success: true },
    "and so is what it says to selectors",
  );
}

async function handlesTabs(t: Test, open: Open, agent: Agent): Promise<void> {
  const tab = await open("/");
  const listed = async (): Promise<Record<string, unknown>[]> => {
    const { tabs } = await agent.call("browser_get_tabs");
    return Array.isArray(tabs) ? tabs : [];
  };
  const before = (await listed()).map(({ tab_id }) => tab_id);
  t.ok(before.includes(tab.id));
  await tab.call("click", { ref: await tab.ref('button "Pop up"') });
  const opened = await until("the pop-up to be listed", async () => {
    const found = (await listed()).find(({ tab_id, title }) => title === "Two" && !before.includes(tab_id));
    return found ?? null;
  });
  const second = new Tab(agent, String(opened["tab_id"]));
  t.match(second.id, /^[\w-]{6}-\d+$/);
  t.match(await second.tree(), /heading "Second"/, "what a shared tab opens is shared");
  await second.call("close_tab");
  await t.rejects(second.tree(), { code: "tab_not_shared" });
}

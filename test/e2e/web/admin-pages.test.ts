import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { secretInfoSchema } from "../../../src/web/api/secrets-api.ts";
import { tokenInfoSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

// What administrators do on their pages: tokens, secrets, the audit log.

const SECRET = "correct horse battery";
const TOKEN = /^ocp_[0-9a-f]{16}_[\w-]{43}$/;
/** axe looks at each state in both themes: this file is mostly that. */
const PATIENCE_MS = 600_000;

for (const width of [1440, 390]) {
  t.test(`administrators use their pages, ${width} px wide`, { timeout: PATIENCE_MS }, async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t, { mode: "autopilot" });
    const browser = await openBrowser(t);
    const { page, context, complaints } = await signIn(browser, appliance, {
      viewport: { width, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const tokens = async () =>
      z.array(tokenInfoSchema).parse(await (await appliance.fetch("/api/v1/tokens")).json());

    await t.test("an agent's token has certain tools alone, and an owner", async (t) => {
      await page.goto(`${appliance.url}/access`);
      await page.getByRole("button", { name: "New token" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Reader");
      await dialog.getByLabel("With certain tools alone").check();
      t.notOk(
        await dialog.getByRole("button", { name: "Make the token" }).isEnabled(),
        "with none it is of no use",
      );
      await dialog.getByLabel("Read: look").check();
      await dialog.getByLabel("Owner").fill("oidc:alice");
      await looksWell(t, page, "token-form-agent");
      await dialog.getByRole("button", { name: "Make the token" }).click();
      const token = await dialog.getByLabel("Token").inputValue();
      await dialog.getByRole("button", { name: "Done" }).click();
      t.match(
        (await tokens()).find(({ name }) => name === "Reader"),
        { role: "agent", toolsets: ["read"], owner: "oidc:alice" },
      );
      const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Reader" }) });
      t.match(await row.innerText(), /Tools\s+read[\s\S]*Owner\s+oidc:alice/);
      const agent = await appliance.agent({ token });
      await t.rejects(agent.call("click_at", { x: 1, y: 1 }), "a tool that it has not");
      await agent.call("list_connections", {});
    });

    await t.test("a token is made, shown once, and revoked with all that it keeps open", async (t) => {
      await page.goto(`${appliance.url}/`);
      await page.getByRole("link", { name: "Admin" }).click();
      await page.getByRole("heading", { name: "Access", level: 1 }).waitFor();
      await page.getByRole("button", { name: "New token" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Wall screen");
      await dialog.getByLabel("Role").selectOption("viewer");
      await dialog.getByLabel("For certain desktops alone").check();
      t.notOk(
        await dialog.getByRole("button", { name: "Make the token" }).isEnabled(),
        "for none is for nobody",
      );
      await dialog.getByLabel("Demo desktop").check();
      await dialog.getByLabel("How long it is good").selectOption({ label: "12 hours" });
      await looksWell(t, page, "token-form");
      await dialog.getByRole("button", { name: "Make the token" }).click();
      const token = await dialog.getByLabel("Token").inputValue();
      t.match(token, TOKEN);
      await looksWell(t, page, "token-made");
      await dialog.getByRole("button", { name: "Copy" }).click();
      await dialog.getByText("Copied").waitFor();
      t.equal(await page.evaluate<string>("navigator.clipboard.readText()"), token);
      await page.keyboard.press("Escape");
      t.ok(await dialog.isVisible(), "a slip of the hand does not lose it");
      await dialog.getByRole("button", { name: "Done" }).click();
      await dialog.waitFor({ state: "detached" });
      t.notMatch(await page.content(), token, "it is not shown again");
      const made = (await tokens()).find(({ name }) => name === "Wall screen");
      t.match(made, { role: "viewer", desktops: ["demo"] });
      const lifeMs = Date.parse(made?.expires_at ?? "") - Date.parse(made?.created_at ?? "");
      t.ok(Math.abs(lifeMs - 12 * 3_600_000) < 60_000, `${lifeMs} ms`);

      const row = page
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading", { name: "Wall screen" }) });
      t.match(await row.innerText(), /Viewer[\s\S]*Demo desktop[\s\S]*never[\s\S]*in 1[12] h/);
      const other = await browser.newContext();
      const visitor = await other.newPage();
      await visitor.goto(`${appliance.url}/?token=${token}`);
      await visitor.getByRole("link", { name: "Demo desktop" }).waitFor();
      t.same(
        await visitor.getByRole("navigation").getByRole("link").allInnerTexts(),
        ["Desktops"],
        "what a viewer cannot use is not shown",
      );
      t.equal(await visitor.getByRole("button", { name: /^Invite/ }).count(), 0);
      await visitor.goto(`${appliance.url}/access`);
      await visitor.getByText("Only administrators come in here").waitFor();
      await page.reload();
      await until("its last use", async () => /just now/.test(await row.innerText()));
      await looksWell(t, page, "access");

      await page.getByRole("button", { name: "Revoke Wall screen" }).click();
      const question = page.getByRole("alertdialog");
      t.match(await question.innerText(), /sign-ins in browsers, and the visits of guests/);
      await looksWell(t, page, "revoke");
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      t.ok(
        (await tokens()).some(({ name }) => name === "Wall screen"),
        "no is no",
      );
      await page.getByRole("button", { name: "Revoke Wall screen" }).click();
      await question.getByRole("button", { name: "Revoke" }).click();
      await row.waitFor({ state: "detached" });
      await visitor.waitForURL(/\/signin/);
      t.notOk((await tokens()).some(({ name }) => name === "Wall screen"));
      await other.close();
    });

    await t.test("a secret is added, used, changed and removed, and never comes back", async (t) => {
      const answers: string[] = [];
      page.on("response", (response) => {
        // Of one that the page left meanwhile there is nothing to look at.
        if (response.url().includes("/api/v1/secrets"))
          response.text().then(
            (text) => answers.push(text),
            () => undefined,
          );
      });
      const secrets = async () =>
        z.array(secretInfoSchema).parse(await (await appliance.fetch("/api/v1/secrets")).json());
      await page.getByRole("link", { name: "Secrets" }).click();
      await page.getByText("No secret yet.").waitFor();
      await looksWell(t, page, "secrets-none");
      await page.getByRole("button", { name: "Add secret" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name", { exact: true }).fill("bank");
      await dialog.getByLabel("Secret", { exact: true }).fill(SECRET);
      await dialog.getByLabel("Demo desktop").check();
      await dialog.getByLabel("agent", { exact: true }).check();
      await dialog.getByText("Only while the screen shows a text").click();
      await looksWell(t, page, "secret-form");
      await dialog.getByRole("button", { name: "Add secret" }).click();
      await dialog.waitFor({ state: "detached" });
      t.match(await secrets(), [
        {
          name: "bank",
          kind: "secret",
          desktops: ["demo"],
          agents: ["agent"],
          seen: null,
          last_used_at: null,
        },
      ]);

      const agent = await appliance.agent({ token: appliance.agentToken });
      await agent.call("type_text", { text: "{{secret:bank}}" });
      await page.reload();
      const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "bank" }) });
      await until("its use", async () => /Last used\s*just now/.test(await row.innerText()));

      await page.getByRole("button", { name: "Change bank" }).click();
      t.equal(await dialog.getByLabel("Secret", { exact: true }).inputValue(), "");
      await dialog.getByLabel("Every agent").check();
      await dialog.getByText("Only while the screen shows a text").click();
      await dialog.getByLabel("Text, such as").fill("https://bank.example/");
      for (const [side, value] of Object.entries({ Left: "80", Top: "40", Width: "600", Height: "30" }))
        await dialog.getByLabel(side, { exact: true }).fill(value);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      const region = { x: 80, y: 40, width: 600, height: 30 };
      t.match(await secrets(), [{ seen: { text: "https://bank.example/", region } }]);
      t.ok((await secrets())[0]?.agents.includes("*"));

      await page.getByRole("button", { name: "Add secret" }).click();
      await dialog.getByLabel("Name", { exact: true }).fill("bank-code");
      await dialog.getByLabel("Kind").selectOption("totp");
      await dialog.getByLabel("Seed of the codes").fill("not base32 !");
      await dialog.getByRole("button", { name: "Add secret" }).click();
      await dialog.getByRole("alert").waitFor();
      t.equal(await dialog.getByLabel("Seed of the codes").inputValue(), "not base32 !", "it can be mended");
      await dialog.getByLabel("Seed of the codes").fill("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
      await dialog.getByRole("button", { name: "Add secret" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("One-time codes").waitFor();
      await looksWell(t, page, "secrets");

      await page.getByRole("button", { name: "Remove bank-code" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("One-time codes").waitFor({ state: "detached" });
      t.strictSame(
        (await secrets()).map(({ name }) => name),
        ["bank"],
      );
      t.ok(answers.length >= 4);
      const told = answers.join() + (await page.content()) + appliance.program.stderr;
      t.notMatch(
        told + readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8"),
        /correct horse|GEZDGNBV/,
      );
    });

    await t.test("the audit log is read, filtered and opened, and says that it is whole", async (t) => {
      // More than one page of events: each is written down as a change that was asked for.
      await Promise.all(
        Array.from({ length: 60 }, () =>
          appliance.fetch("/api/v1/desktops/demo/mode", { mode: "autopilot" }),
        ),
      );
      await page.getByRole("link", { name: "Audit log" }).click();
      const events = page.getByRole("list", { name: /^Events/ }).getByRole("listitem");
      await events.first().waitFor();
      await page.getByText(/lines checked: none was changed/).waitFor();
      t.equal(await events.count(), 50);
      await looksWell(t, page, "audit");
      await page.getByRole("button", { name: "Load older events" }).click();
      await until("older ones", async () => (await events.count()) > 50);

      await page.getByRole("combobox", { name: "What" }).selectOption("secret.used");
      await until("one", async () => (await events.count()) === 1);
      t.match(await events.first().innerText(), /Secret typed[\s\S]*agent[\s\S]*secret bank/);
      await events.first().locator("summary").click();
      const fields = await events.first().locator("dl").innerText();
      t.match(fields, /Event\s*secret\.used/);
      t.match(fields, /Outcome\s*success/);
      t.match(fields, /Line\s*\d+, as it was written/);
      await looksWell(t, page, "audit-event");
      await page.reload();
      await until("the same, by the address", async () => (await events.count()) === 1);

      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByRole("searchbox", { name: "Who" }).fill("nobody of that name");
      await page.getByText("No event is as you ask.").waitFor();
      await page.getByText("There is nothing older.").waitFor();
      await page.getByRole("searchbox", { name: "Who" }).fill("AGENT");
      await page.getByRole("combobox", { name: "Desktop" }).selectOption("demo");
      await until("all of the agent's", async () => {
        const texts = await events.allInnerTexts();
        return (
          texts.length > 0 &&
          texts.every((text) => /agent/.test(text) && /Demo desktop|secret bank/.test(text))
        );
      });
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByLabel("Until").fill("2020-01-01T00:00");
      await page.getByText("No event is as you ask.").waitFor();
    });

    await t.test("a line that was changed is marked", async (t) => {
      const path = join(appliance.dataDir, "audit.ndjson");
      await until("its first line", () => readFileSync(path, "utf8").includes("audit.started"));
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace('"event_type":"token.revoked"', '"event_type":"token.issued"'));
      await page.goto(`${appliance.url}/audit?types=token.issued`);
      await page.getByText(/1 was changed, and none is missing/).waitFor();
      await page.locator(".audit-outcome", { hasText: "Not as written" }).waitFor();
      await looksWell(t, page, "audit-changed");
    });

    t.same(
      complaints.filter((text) => !/400|401/.test(text)),
      [],
      "the browser complained of nothing else",
    );
    await context.close();
  });
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { viewerShot } from "../viewers/viewer-scenario.ts";

// A host makes a link in the viewer, and somebody opens it in a browser of their own.

for (const width of [1440, 390]) {
  t.test(`a guest comes by a link, once, ${width} px wide`, { timeout: 600_000 }, async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const target = await Appliance.start(t, { hasVnc: true, args: ["--demo"] });
    const appliance = await Appliance.start(t);
    const second = { protocol: "vnc", host: "127.0.0.1", port: target.vncPort, name: "Secret desk" };
    const added = await appliance.fetch("/api/v1/desktops", second);
    t.equal(added.status, 201);
    const made = await appliance.fetch("/api/v1/tokens", { name: "Hanna", role: "operator" });
    const host = newTokenSchema.parse(await made.json());

    const browser = await openBrowser(t);
    const viewport = { width, height: 800 };
    const { page, complaints } = await signIn(
      browser,
      { url: appliance.url, adminToken: host.token },
      {
        viewport,
        permissions: ["clipboard-read", "clipboard-write"],
      },
    );
    t.equal(await page.getByRole("link", { name: "Admin" }).count(), 0, "not for operators");
    const dialog = page.getByRole("dialog");

    /** From the desktop's tile. */
    const invite = async (fill: () => Promise<void>): Promise<string> => {
      await page.goto(`${appliance.url}/`);
      await page.getByRole("button", { name: "Invite a guest to Demo desktop" }).click();
      await fill();
      await dialog.getByRole("button", { name: "Make a link" }).click();
      return await dialog.getByLabel("Link").inputValue();
    };

    await t.test("from the viewer's bar: it says what it allows, and is copied", async (t) => {
      await page.goto(`${appliance.url}/desktops/demo`);
      await until("a picture", () => viewerShot(page));
      if (width < 800) await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Invite a guest" }).click();
      await dialog.getByLabel("Name").fill("Eve");
      await looksWell(t, page, "invite-form");
      await dialog.getByRole("button", { name: "Make a link" }).click();
      const link = await dialog.getByLabel("Link").inputValue();
      t.match(link, /\/signin\?next=%2Fdesktops%2Fdemo&guest=1#token=[\w-]{22}$/);
      t.match(
        await dialog.innerText(),
        /On Demo desktop whoever opens it first may watch, for 1 hour, without mouse and keyboard[\s\S]*works once, and within a minute/,
      );
      await looksWell(t, page, "invite-link");
      await dialog.getByRole("button", { name: "Copy" }).click();
      await dialog.getByText("Copied").waitFor();
      t.equal(await page.evaluate<string>("navigator.clipboard.readText()"), link);
      await dialog.getByRole("button", { name: "Done" }).click();
      await dialog.waitFor({ state: "detached" });
    });

    await t.test("it opens the viewer of that desktop and nothing else, and works once", async (t) => {
      const link = await invite(async () => {
        await dialog.getByLabel("Name").fill("Eve");
      });
      const context = await browser.newContext({ viewport });
      const visitor = await context.newPage();
      await visitor.goto(link);
      await visitor.getByText("You are invited to a desktop here").waitFor();
      t.equal(new URL(visitor.url()).hash, "", "the code is not in the address bar");
      await looksWell(t, visitor, "guest-sign-in");
      await visitor.getByRole("button", { name: "Open the desktop" }).click();
      await visitor.waitForURL(`${appliance.url}/desktops/demo`);
      await until("a picture", () => viewerShot(visitor));
      t.equal(
        await visitor.getByRole("button", { name: "Invite a guest" }).count(),
        0,
        "guests invite nobody",
      );
      await visitor.goto(`${appliance.url}/`);
      await visitor.getByRole("link", { name: "Demo desktop" }).waitFor();
      t.equal(await visitor.getByText("Secret desk").count(), 0);
      t.same(await visitor.getByRole("navigation").getByRole("link").allInnerTexts(), ["Desktops"]);
      await visitor
        .getByText("Eve (guest of Hanna), viewer")
        .waitFor({ state: width < 640 ? "attached" : "visible" });
      for (const path of ["/api/v1/tokens", "/api/v1/audit", "/api/v1/recordings"]) {
        const status = await visitor.evaluate<number>(`fetch("${path}").then(({ status }) => status)`);
        t.equal(status, 403, path);
      }
      const posted = `fetch("/api/v1/desktops/demo/take-over", { method: "POST" }).then(({ status }) => status)`;
      t.equal(await visitor.evaluate<number>(posted), 403, "without input");

      const stranger = await (await browser.newContext({ viewport })).newPage();
      await stranger.goto(link);
      await stranger.getByRole("button", { name: "Open the desktop" }).click();
      await stranger.getByRole("heading", { name: "This link does not work any more" }).waitFor();
      t.match(await stranger.getByRole("alert").innerText(), /works once, and within a minute/);
      t.equal(
        await stranger.getByLabel("Access token").count(),
        0,
        "nobody is asked for what guests do not have",
      );
      await looksWell(t, stranger, "guest-void");
      await stranger.getByRole("link", { name: "Sign in with a token" }).click();
      await stranger.getByLabel("Access token").waitFor();
      await stranger.context().close();
      await context.close();
    });

    await t.test("with mouse and keyboard, until the host's token is revoked", async (t) => {
      const link = await invite(async () => {
        await dialog.getByLabel("Work on it as you do").check();
        await dialog.getByLabel("With mouse and keyboard").check();
        await dialog.getByLabel("How long").selectOption("15");
      });
      t.match(await dialog.innerText(), /for 15 minutes, with mouse and keyboard/);
      const context = await browser.newContext({ viewport });
      const visitor = await context.newPage();
      await visitor.goto(link);
      await visitor.getByRole("button", { name: "Open the desktop" }).click();
      await until("a picture", () => viewerShot(visitor));
      const posted = `fetch("/api/v1/desktops/demo/take-over", { method: "POST" }).then(({ status }) => status)`;
      t.equal(await visitor.evaluate<number>(posted), 200);
      await appliance.fetch(`/api/v1/tokens/${host.id}`, undefined, {
        method: "DELETE",
        headers: { authorization: `Bearer ${appliance.adminToken}` },
      });
      await visitor.getByRole("heading", { name: "Your visit is over" }).waitFor();
      await looksWell(t, visitor, "guest-over");
      await context.close();
      const audit = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
      t.match(audit, /"ticket\.issued"/);
      t.notMatch(audit, new URL(link).hash.slice("#token=".length));
    });
    t.same(
      complaints.filter((text) => !/401/.test(text)),
      [],
      "the host's browser complained of nothing",
    );
  });
}

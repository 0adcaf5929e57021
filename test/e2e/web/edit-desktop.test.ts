import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

// A desktop whose password is wrong: a person writes another one, and it is live.

const PASSWORD = "s3cret-8";

for (const width of [1440, 390]) {
  t.test(`a wrong password is replaced on the page, ${width} px wide`, { timeout: 180_000 }, async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const target = await Appliance.start(t, {
      hasVnc: true,
      args: ["--demo"],
      env: { OC_VNC_PASSWORD: PASSWORD },
    });
    const appliance = await Appliance.start(t);
    const input = { protocol: "vnc", host: "127.0.0.1", port: target.vncPort, password: "wr0ng-pw" };
    const body = { ...input, name: "Desk", encodings: ["zrle", "raw"] };
    const added = await appliance.fetch("/api/v1/desktops", body);
    t.equal(added.status, 201);
    const { id } = desktopSchema.parse(await added.json());
    const told = async () => {
      const answer = await appliance.fetch(`/api/v1/desktops/${id}`);
      return desktopSchema.parse(await answer.json());
    };
    await until("the refusal", async () => (await told()).state.kind === "failed");

    const browser = await openBrowser(t);
    const { page, complaints } = await signIn(browser, appliance, { viewport: { width, height: 800 } });
    const answers: string[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/connection")) response.text().then((text) => answers.push(text));
    });
    const picture = async (name: string): Promise<void> => {
      const folder = process.env["OC_SCREENSHOTS"];
      if (folder === undefined) return;
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
      }
    };
    await page.getByRole("button", { name: "Edit Desk" }).waitFor();
    await page.getByAltText("The screen of Demo desktop").waitFor();
    t.equal(
      await page.evaluate<string>(`(() => {
        const image = document.querySelector(".tile-picture img");
        const empty = image.cloneNode();
        empty.removeAttribute("src");
        image.after(empty);
        const { visibility } = getComputedStyle(empty);
        empty.remove();
        return visibility;
      })()`),
      "hidden",
      "no sign of a broken picture before the first one",
    );
    await picture("tiles");
    await page.getByRole("button", { name: "Edit Desk" }).click();
    const dialog = page.getByRole("dialog");
    const field = (name: string) => dialog.locator(`[name=${name}]`);
    t.equal(await field("host").inputValue(), "127.0.0.1");
    t.equal(await field("port").inputValue(), `${target.vncPort}`);
    t.equal(await field("password").inputValue(), "", "what is stored does not come to the page");
    t.match(await field("password").getAttribute("placeholder"), /Unchanged/);
    await dialog.getByText("Connection and security").click();
    t.equal(await field("encoding").inputValue(), "zrle,raw", "what the form does not offer itself stays");
    t.same(await accessibilityFaults(page, "dialog"), []);
    t.equal(
      await page.evaluate<number>(
        "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth",
      ),
      0,
      "nothing is cut",
    );
    await picture("edit");

    const save = dialog.getByRole("button", { name: "Save" });
    await field("host").fill("localhost");
    await save.click();
    t.match(
      await page.evaluate<string>("document.querySelector('[name=password]').validationMessage"),
      /only to the address it was for/,
      "the stored password goes nowhere else",
    );
    await field("host").fill("127.0.0.1");
    await field("name").fill("Desk of Ann");
    await field("password").fill(PASSWORD);
    await save.click();
    await dialog.waitFor({ state: "hidden" });
    await until("the picture", async () => (await told()).state.kind === "live");
    await page.getByRole("link", { name: "Desk of Ann" }).waitFor();

    await page.getByRole("button", { name: "Edit Desk of Ann" }).click();
    await field("name").fill("Desk");
    await save.click();
    await dialog.waitFor({ state: "hidden" });
    t.match(await told(), { name: "Desk", state: { kind: "live" } }, "the password is kept");
    const kept = await appliance.fetch(`/api/v1/desktops/${id}/connection`);
    t.match(await kept.json(), { connection: { encodings: ["zrle", "raw"], kept_secrets: ["password"] } });

    await page.getByRole("button", { name: "Edit Desk" }).click();
    await dialog.getByLabel("Forget the stored one").check();
    t.notOk(await field("password").isEnabled(), "one that is forgotten is not written at the same time");
    t.same(await accessibilityFaults(page, "dialog"), []);
    await picture("forget");
    await save.click();
    await dialog.waitFor({ state: "hidden" });
    await until("the refusal", async () => (await told()).state.kind === "failed");
    const gone = await appliance.fetch(`/api/v1/desktops/${id}/connection`);
    t.match(await gone.json(), { connection: { kept_secrets: [] } }, "the stored password is gone");
    t.ok(answers.length >= 2);
    for (const answer of answers) t.notMatch(answer, /s3cret|wr0ng/);
    const audit = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
    t.match(audit, /"connection\.changed"/);
    t.notMatch(audit, /s3cret|wr0ng/);
    t.same(complaints, []);
  });
}

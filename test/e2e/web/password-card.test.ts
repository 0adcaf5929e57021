import t from "tap";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { viewerShot } from "../viewers/viewer-scenario.ts";

// A desktop refused its password: the right one is written where the picture would be.

const PASSWORD = "s3cret-8";
const WRONG = "wr0ng-pw";

for (const width of [1440, 390]) {
  t.test(`a password is written where it failed, ${width} px wide`, { timeout: 300_000 }, async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const env = { OC_VNC_PASSWORD: PASSWORD };
    const target = await Appliance.start(t, { hasVnc: true, args: ["--demo"], env });
    const appliance = await Appliance.start(t);
    const input = { protocol: "vnc", host: "127.0.0.1", port: target.vncPort, password: WRONG };
    const added = await appliance.fetch("/api/v1/desktops", { ...input, name: "Desk" });
    const { id } = desktopSchema.parse(await added.json());
    const { page, complaints } = await signIn(await openBrowser(t), appliance, {
      viewport: { width, height: 800 },
    });
    await page.goto(`${appliance.url}/desktops/${id}`);
    const card = page.getByRole("form", { name: "Sign in to the desktop" });
    await card.getByText("Refused: wrong password").waitFor();
    await looksWell(t, page, "password-card");

    await card.getByLabel("Password").fill("an0ther!");
    await card.getByRole("button", { name: "Try again" }).click();
    await until("the next refusal", async () => (await card.getByLabel("Password").inputValue()) === "");
    await card.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await until("a picture", () => viewerShot(page));
    t.equal(await card.count(), 0, "what was asked for is there");
    const told = await appliance.fetch(`/api/v1/desktops/${id}/connection`);
    t.notMatch(await told.text(), new RegExp(`${PASSWORD}|${WRONG}`), "what is kept is told to nobody");
    t.notMatch(await page.content(), new RegExp(PASSWORD));
    t.same(complaints, []);
  });
}

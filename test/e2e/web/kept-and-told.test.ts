import type { Page } from "playwright-core";
import t from "tap";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

// What the pages keep of what a person chose, and what they say before something is lost.

t.test("what a person chose is kept, and what would be lost is told", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance);
  const viewer = async (): Promise<void> => {
    await page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(page));
  };

  await t.test("a viewer is found as it was left, on the same desktop alone", async (t) => {
    await viewer();
    const pressed = (name: string): Promise<string | null> =>
      page.getByRole("button", { name, exact: true }).first().getAttribute("aria-pressed");
    await page.getByLabel("Zoom").selectOption("1.5");
    await page.getByRole("button", { name: "View only" }).first().click();
    await page.getByRole("button", { name: "Panel" }).click();
    t.equal(await pressed("Panel"), "false");
    await page.getByRole("button", { name: "Clipboard" }).first().click();
    await page.getByRole("button", { name: "View only" }).first().click();
    await page.getByRole("button", { name: "Clipboard" }).first().click();
    await page.getByLabel("Keep both in step").check();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "View only" }).first().click();
    await viewer();
    t.equal(await page.getByLabel("Zoom").inputValue(), "1.5");
    t.equal(await pressed("View only"), "true");
    t.equal(await pressed("Panel"), "false");
    await page.getByRole("button", { name: "Clipboard" }).first().click();
    t.ok(await page.getByLabel("Keep both in step").isChecked());
    const kept = await page.evaluate<string>(`localStorage.getItem("overlay-companion.desktops")`);
    t.same(Object.keys(JSON.parse(kept)), [id]);
  });

  await t.test("what another version kept, or nobody wrote, does no harm", async (t) => {
    const odd = JSON.stringify({ [id]: { zoom: "huge", isPanelOpen: 3 }, other: 7 });
    await page.evaluate(`localStorage.setItem("overlay-companion.desktops", ${JSON.stringify(odd)})`);
    await viewer();
    t.equal(await page.getByLabel("Zoom").inputValue(), "fit");
    await page.evaluate(`localStorage.setItem("overlay-companion.desktops", "{")`);
    await viewer();
    t.equal(await page.getByLabel("Zoom").inputValue(), "fit");
  });

  await t.test("rules that were changed are not left without a word", async (t) => {
    const address = `${appliance.url}/desktops/${id}/rules`;
    await viewer();
    // Within the app, so that the way back is within it too.
    await page.getByLabel("Mode: what agents may do").selectOption("custom");
    const back = page.getByRole("link", { name: "Back to the desktop" });
    await back.waitFor();
    await changeRule(page);
    await back.click();
    const dialog = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await dialog.waitFor();
    await looksWell(t, page, "rules-leave");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    t.equal(page.url(), address, "it stays");
    await page.getByText("your changes are not saved").or(page.getByText("Saving puts it")).first().waitFor();
    t.ok(
      await page.getByRole("button", { name: "Discard changes" }).isEnabled(),
      "and keeps what was changed",
    );
    await page.evaluate("history.back()");
    await dialog.waitFor();
    t.equal(page.url(), address, "the way back asks as well");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    let asked = 0;
    page.on("dialog", (native) => {
      asked++;
      t.equal(native.type(), "beforeunload");
      native.accept().catch(() => undefined);
    });
    await page.reload();
    t.equal(asked, 1, "and so does the browser");
    await back.waitFor();
    await changeRule(page);
    await back.click();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await page.locator(".viewer-screen canvas").waitFor();
    await page.goto(address);
    await back.waitFor();
    await back.click();
    await page.locator(".viewer-screen canvas").waitFor();
    t.equal(asked, 1, "nothing is asked where nothing was changed");
  });

  await t.test("an address that is pasted anywhere in the form fills its fields", async (t) => {
    await page.goto(appliance.url);
    await page.getByRole("button", { name: "Add desktop" }).first().click();
    const dialog = page.getByRole("dialog");
    const value = (name: string): Promise<string> => dialog.locator(`[name=${name}]`).inputValue();
    await paste(page, "[name=name]", "rdp://ann:secret@box:3390");
    await until("the host", async () => (await value("host")) === "box");
    t.same(await Promise.all(["protocol", "host", "port", "username", "password", "name"].map(value)), [
      "rdp",
      "box",
      "3390",
      "ann",
      "secret",
      "",
    ]);
    await paste(page, "[name=host]", "vnc://10.0.0.7:5902");
    await until("the other host", async () => (await value("host")) === "10.0.0.7");
    t.same(await Promise.all(["protocol", "port"].map(value)), ["vnc", "5902"]);
    await looksWell(t, page, "pasted-address");
    await page.keyboard.press("Escape");
  });
  t.same(complaints, []);

  await t.test("who is signed out reads why", async (t) => {
    const made = await appliance.fetch("/api/v1/tokens", { name: "Ann", role: "operator" });
    const { token, id: tokenId } = newTokenSchema.parse(await made.json());
    const ann = await signIn(browser, { url: appliance.url, adminToken: token });
    await ann.page.getByRole("heading", { name: "Desktops" }).waitFor();
    await appliance.fetch(`/api/v1/tokens/${tokenId}`, undefined, { method: "DELETE" });
    await ann.page.getByText("the token that you signed in with was revoked").waitFor();
    await looksWell(t, ann.page, "signed-out");
    await ann.page.goto(`${appliance.url}/recordings`);
    await ann.page.getByText("the token that you signed in with was revoked").waitFor();
    await ann.context.close();
    const stranger = await browser.newContext();
    const door = await stranger.newPage();
    await door.goto(appliance.url);
    await door.getByLabel("Access token").waitFor();
    t.equal(await door.getByText("You were signed out").count(), 0, "nobody else is told anything");
    // As of a data folder that was restored, or emptied: a session that nobody knows.
    const port = new URL(appliance.url).port;
    await stranger.addCookies([{ name: `oc_session_${port}`, value: "x".repeat(43), url: appliance.url }]);
    await door.reload();
    await door.getByText("the server does not know your session any more").waitFor();
    await stranger.close();
  });

  await t.test("what a role cannot use is not shown", async (t) => {
    const made = await appliance.fetch("/api/v1/tokens", { name: "Vera", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const vera = await signIn(browser, { url: appliance.url, adminToken: token });
    await vera.page.getByRole("heading", { name: "Desktops" }).waitFor();
    const offOf = (): Promise<number> => vera.page.locator(":is(button, select, input):disabled").count();
    const names = (): Promise<string> =>
      vera.page.evaluate(`[...document.querySelectorAll("button, a, select")]
        .map((one) => one.getAttribute("aria-label") || one.textContent).join(" | ")`);
    t.equal(await vera.page.locator("nav a").allInnerTexts().then(String), "Desktops");
    t.notMatch(await names(), /Add desktop|Invite|Edit|Remove/);
    t.equal(await offOf(), 0);
    await vera.page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(vera.page));
    await vera.page.getByRole("tab", { name: "Masks" }).click();
    t.notMatch(await names(), /Stop|Record|Mode|View only|Extra keys|Invite|Take over|Hide|Resume/);
    t.equal(await offOf(), 0);
    await looksWell(t, vera.page, "viewer-role");
    t.same(vera.complaints, []);
    await vera.context.close();
  });
});

/** Sets the first rule to another word. */
async function changeRule(page: Page): Promise<void> {
  const words = page.locator(".rules-page").getByRole("radio", { checked: false });
  await words.first().check({ force: true });
}

/** As a person pastes: the browser's own clipboard is not shared with pages that nobody sees. */
async function paste(page: Page, selector: string, text: string): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/plain", ${JSON.stringify(text)});
    document.querySelector("dialog " + ${JSON.stringify(selector)}).dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
}

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import { masksSchema } from "../../../src/web/api/api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture, looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { viewerShot } from "./viewer-scenario.ts";

const run = promisify(execFile);

/** Desktop pixels, all grey where they are hidden. */
const RECT = { x: 40, y: 40, width: 200, height: 100 };
const GREY = 0x40;

interface Pixels {
  readonly width: number;
  readonly rgba: Uint8Array;
}

/** How many pixels of the rectangle are not a mask's. */
function openPixels({ width, rgba }: Pixels, off = 0): number {
  let count = 0;
  for (let y = RECT.y; y < RECT.y + RECT.height; y++) {
    for (let x = RECT.x; x < RECT.x + RECT.width; x++) {
      const at = (y * width + x) * 4;
      if ([0, 1, 2].some((channel) => Math.abs((rgba[at + channel] ?? 0) - GREY) > off)) count++;
    }
  }
  return count;
}

t.test("an operator hides a place from those who only look on", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "vncsnapshot"])) return;
  const appliance = await Appliance.start(t, {
    hasVnc: true,
    args: ["--demo"],
    env: { OC_VNC_SECURITY: "none" },
  });
  const tokenOf = async (role: string): Promise<string> => {
    const made = await appliance.fetch("/api/v1/tokens", { name: role, role });
    return newTokenSchema.parse(await made.json()).token;
  };
  const [operator, looker] = [await tokenOf("operator"), await tokenOf("viewer")];
  const browser = await openBrowser(t);
  const open = async (adminToken: string) => {
    const { page } = await signIn(browser, { url: appliance.url, adminToken });
    await page.goto(`${appliance.url}/desktops/demo`);
    await until("a picture", () => viewerShot(page));
    return page;
  };
  const [hiding, looking] = [await open(operator), await open(looker)];
  const seenBy = async (page: typeof hiding): Promise<number> => {
    const shot = await viewerShot(page);
    return shot === null ? -1 : openPixels(shot);
  };
  await until("both see it", async () => (await seenBy(hiding)) > 0 && (await seenBy(looking)) > 0);
  const byVnc = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
  t.teardown(() => byVnc.end());
  byVnc.request(false);

  await hiding.getByRole("tab", { name: "Masks" }).click();
  await hiding.getByRole("button", { name: "Hide a place" }).click();
  const frame = await hiding.locator(".viewer-frame").boundingBox();
  const desktop = await viewerShot(hiding);
  if (frame === null || desktop === null) throw new Error("the viewer has no frame");
  const scale = frame.width / desktop.width;
  await hiding.mouse.move(frame.x + 20 * scale, frame.y + 20 * scale);
  await hiding.mouse.down();
  await hiding.mouse.move(frame.x + 300 * scale, frame.y + 200 * scale, { steps: 4 });
  await hiding.mouse.up();
  const dialog = hiding.getByRole("dialog");
  for (const name of [/^Agents/, /^Recordings/]) await dialog.getByRole("checkbox", { name }).uncheck();
  await dialog.getByRole("checkbox", { name: /only look on/ }).check();
  await looksWell(t, hiding, "mask-by-role");
  await dialog.getByRole("button", { name: "Hide it" }).click();
  await hiding.getByText("From viewers and recordings,").waitFor();
  const [mask] = masksSchema.parse(await (await appliance.fetch("/api/v1/desktops/demo/masks")).json());
  t.same(mask?.audiences, ["viewer:viewer", "recording"]);

  await until("it is grey for who looks on", async () => (await seenBy(looking)) === 0);
  t.ok((await seenBy(hiding)) > 0, "and as it was for the operator");
  await until("by VNC without a token too", () => {
    const { width, bytes } = byVnc.frame;
    return width > 0 && openPixels({ width, rgba: bytes }) === 0;
  });
  const file = join(t.testdir(), "shot.jpg");
  const display = `127.0.0.1:${(appliance.vncPort ?? 0) - 5900}`;
  await run("vncsnapshot", ["-quiet", "-nocursor", display, file], { timeout: 60_000 });
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  t.ok(
    openPixels({ width: info.width, rgba: data }, 8) < 50,
    "nor to another viewer, but for what JPEG loses",
  );
  for (const [token, isSeen] of [
    [operator, true],
    [appliance.adminToken, true],
    [looker, false],
  ] as const) {
    const answer = await fetch(`${appliance.url}/api/v1/desktops/demo/screenshot.png`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const shot = await decodePicture(Buffer.from(await answer.arrayBuffer()));
    t.equal(openPixels(shot) > 0, isSeen, "as pictures over REST");
  }
  await hiding.getByRole("button", { name: /^Show again/ }).click();
  await until("it is shown again", async () => (await seenBy(looking)) > 0);

  await t.test("and by keys alone", async (t) => {
    const { keyboard } = hiding;
    await hiding.getByRole("button", { name: "Hide a place" }).focus();
    await keyboard.press("Enter");
    await dialog.waitFor();
    // From the button that closes the dialog on, field by field; what is in one is chosen as a whole.
    await dialog.getByRole("button", { name: "Close" }).focus();
    for (const side of [RECT.x, RECT.y, RECT.width, RECT.height]) {
      await keyboard.press("Tab");
      await keyboard.type(String(side));
    }
    await looksWell(t, hiding, "mask-by-keys");
    await keyboard.press("Enter");
    await hiding.getByText("From agents and recordings,").waitFor();
    const now = masksSchema.parse(await (await appliance.fetch("/api/v1/desktops/demo/masks")).json());
    t.match(now, [{ places: [RECT], audiences: ["agent", "recording"] }]);
  });
});

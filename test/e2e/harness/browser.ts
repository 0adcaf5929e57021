import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import type { Test } from "tap";
import type { Owner } from "../../support/program.ts";
import type { Appliance } from "./appliance.ts";
import { askPages, BrowserWatch } from "./browser-watch.ts";
import type { Shot } from "./xwd.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const BROWSER_ARGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update"],
];

/** Notifications stay in the browser: a session bus of the machine, where nobody shows any, would swallow them. */
const BROWSER_ENV = { ...process.env, DBUS_SESSION_BUS_ADDRESS: "disabled:" };

/** A start takes no longer, on a busy machine either. */
const START_MS = 60_000;

/**
 * Debian's Chromium, headless, which asks nobody on the network for anything. It is killed where it answers nothing for as
 * long as `watch` says.
 */
export async function openBrowser(
  owner: Owner,
  more: readonly string[] = [],
  watch = new BrowserWatch(),
): Promise<Browser> {
  const args = [...BROWSER_ARGS, watch.mark, ...more];
  const browser = await chromium.launch({
    ...{ executablePath: "/usr/bin/chromium", args, env: BROWSER_ENV, timeout: START_MS },
  });
  const session = await browser.newBrowserCDPSession();
  const ask = () => [
    ["the browser", session.send("Browser.getVersion")] as const,
    ...askPages(browser.contexts().flatMap((context) => context.pages())),
  ];
  watch.begin(owner, ask, () => browser.close());
  return browser;
}

/** A page of a person who is signed in. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained of: errors of scripts, of the policy, of loading. */
  readonly complaints: readonly string[];
}

/** The browser of somebody who has set its text to `fontPx` pixels, 16 by default; it is closed with its only context. */
export async function openSizedText(owner: Owner, fontPx: number): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), "oc-browser-"));
  mkdirSync(join(profile, "Default"));
  const preferences = { webkit: { webprefs: { default_font_size: fontPx } } };
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  owner.teardown(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const watch = new BrowserWatch();
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath: "/usr/bin/chromium", args: [...BROWSER_ARGS, watch.mark], env: BROWSER_ENV },
    timeout: START_MS,
  });
  const ask = () => [["the browser", context.cookies()] as const, ...askPages(context.pages())];
  watch.begin(owner, ask, () => context.close());
  return context;
}

/** Signs in as the administrator; the window is 1440 x 900 pixels unless the options say otherwise. */
export async function signIn(
  browser: Browser,
  appliance: Pick<Appliance, "url" | "adminToken">,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
  return { context, page, complaints };
}

/** The canvas that a selector finds, at its own size; null where there is none yet. */
export async function canvasShot(page: Page, selector: string): Promise<Shot | null> {
  const url = await page.evaluate<string>(
    `document.querySelector(${JSON.stringify(selector)})?.toDataURL("image/png") ?? ""`,
  );
  const base64 = url.split(",")[1] ?? "";
  return base64 === "" ? null : decodePicture(Buffer.from(base64, "base64"));
}

/** RGBA of an image file, by a decoder that is not ours. */
export async function decodePicture(file: Uint8Array): Promise<Shot> {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgba: data };
}

/**
 * What axe finds wrong within what a selector finds, a line each: the rule and where. Looks when all transitions are
 * over: halfway from one theme to the other, colours have no contrast.
 */
export async function accessibilityFaults(page: Page, selector = "html"): Promise<readonly string[]> {
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter((animation) => animation instanceof CSSTransition)
      .map((transition) => transition.finished.catch(() => null)))`,
  );
  if (!(await page.evaluate<boolean>("globalThis.axe !== undefined"))) await page.evaluate(AXE);
  return await page.evaluate<readonly string[]>(
    `axe.run(document.querySelector(${JSON.stringify(selector)})).then((run) =>
      run.violations.map((rule) => [rule.id, ...rule.nodes.map((node) => node.target.join(" "))].join(": ")))`,
  );
}

/** As a person chooses it on the page: left to the system, what lies around a desktop or a recording is always dark. */
export async function setTheme(page: Page, theme: "dark" | "light"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
}

/**
 * Looks at a page in both themes: axe finds nothing, and neither the page nor a dialog is wider than its place. Pictures
 * of it go to the folder OC_SCREENSHOTS, where that is named.
 */
export async function looksWell(t: Test, page: Page, name: string): Promise<void> {
  const folder = process.env["OC_SCREENSHOTS"];
  for (const colorScheme of ["dark", "light"] as const) {
    await setTheme(page, colorScheme);
    t.same(await accessibilityFaults(page), [], `${name} ${colorScheme}`);
    const width = page.viewportSize()?.width ?? 0;
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
  }
  const excess = `[document.documentElement, ...document.querySelectorAll("dialog")]
    .map((one) => one.scrollWidth - one.clientWidth)`;
  t.ok(
    (await page.evaluate<number[]>(excess)).every((pixels) => pixels <= 0),
    `nothing of ${name} is cut`,
  );
}

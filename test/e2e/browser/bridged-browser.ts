import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import * as z from "zod";
import { EXTENSION_ID } from "../../../src/browser/wire/calls.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";

const EXTENSION = fileURLToPath(new URL("../../../dist/extension", import.meta.url));

export const EXTENSION_ARGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update", "--window-size=1100,800"],
  ...[`--disable-extensions-except=${EXTENSION}`, `--load-extension=${EXTENSION}`],
];

const linkSchema = z.object({ link: z.string().startsWith("vf://") });

/** A link to pair one browser, as the Setup page makes it. */
export async function pairingLink(appliance: Appliance, agentId: string | null = null): Promise<string> {
  const answer = await appliance.fetch("/api/v1/browsers/pairings", { agent_id: agentId });
  if (answer.status !== 201) throw new Error(`no pairing: ${answer.status} ${await answer.text()}`);
  return linkSchema.parse(await answer.json()).link;
}

/** Debian's Chromium with the built extension, and a person at it. */
export class BridgedBrowser {
  readonly context: BrowserContext;
  readonly profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.context = context;
    this.profile = profile;
  }

  /** `profile`: one that was used before; default a new one. */
  static async open(owner: Owner, profile?: string): Promise<BridgedBrowser> {
    const folder = profile ?? mkdtempSync(join(tmpdir(), "oc-browser-"));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: "/usr/bin/chromium",
      args: EXTENSION_ARGS,
      ignoreDefaultArgs: ["--disable-extensions"],
      viewport: null,
    });
    owner.teardown(async () => {
      await context.close().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    const browser = new BridgedBrowser(context, folder);
    await browser.worker();
    return browser;
  }

  async worker(): Promise<Worker> {
    return await until("the extension's worker", () => this.context.serviceWorkers()[0] ?? null);
  }

  /** The popup as a page of its own. */
  async popup(): Promise<Page> {
    const page = await this.context.newPage();
    await page.setViewportSize({ width: 360, height: 600 });
    await page.goto(`chrome-extension://${EXTENSION_ID}/popup.html`);
    await page.getByRole("status").waitFor();
    return page;
  }

  async pair(popup: Page, link: string): Promise<void> {
    await popup.getByLabel("Pairing link").fill(link);
    await popup.getByRole("button", { name: "Pair" }).click();
  }

  /** What the icon's badge says. */
  async badge(): Promise<string> {
    return await (await this.worker()).evaluate<string>("chrome.action.getBadgeText({})");
  }
}

/** Waits until the popup says so. */
export async function saysIn(popup: Page, words: RegExp, mostMs = 15_000): Promise<void> {
  await until(
    `the popup to say ${words}`,
    async () => words.test(await popup.getByRole("status").innerText()),
    mostMs,
  );
}

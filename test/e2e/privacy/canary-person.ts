import { type BrowserContext, chromium, type Page } from "playwright-core";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";
import { canvasShot } from "../harness/browser.ts";
import type { Shot } from "../harness/xwd.ts";

const SCREEN = ".viewer-screen canvas";

/** What a page may keep, by the name of where: as the browser itself tells, all that is kept of each. */
const KEPT = `(async () => {
  const whole = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const databases = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await whole(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const kept = database.transaction(store).objectStore(store);
      databases.push([name, store, await whole(kept.getAllKeys()), await whole(kept.getAll())]);
    }
    database.close();
  }
  const bodies = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys())
      bodies.push([name, request.url, await (await cache.match(request)).text()]);
  }
  return [
    ["localStorage", JSON.stringify({ ...localStorage })],
    ["sessionStorage", JSON.stringify({ ...sessionStorage })],
    ["IndexedDB", JSON.stringify(databases)],
    ["Cache", JSON.stringify(bodies)],
  ];
})()`;

/** Keeps a word in all of these, as a page may. */
const plantScript = (word: string): string => `(async (word) => {
  localStorage.setItem("control", word);
  sessionStorage.setItem("control", word);
  document.cookie = "control=" + word + "; max-age=3600";
  await (await caches.open("control")).put("/control", new Response(word));
  const opening = indexedDB.open("control");
  opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
  await new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction("kept", "readwrite");
      writing.objectStore("kept").put(word, 1);
      writing.oncomplete = resolve;
    };
  });
  opening.result.close();
})(${JSON.stringify(word)})`;

/** A person at a desktop's viewer, in a browser whose profile is looked through when it has ended. */
export class CanaryPerson {
  /** All that came to the page by sockets. */
  readonly heard: Buffer[] = [];
  /** Addresses that the page asked for, its sockets' too. */
  readonly asked: string[] = [];
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #url: string;

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.#page = page;
    this.#url = url;
    page.on("request", (request) => {
      if (request.method() === "GET") this.asked.push(request.url());
    });
    page.on("websocket", (socket) => {
      this.asked.push(socket.url());
      socket.on("framereceived", ({ payload }) => this.heard.push(Buffer.from(payload)));
    });
  }

  static async open(
    owner: Owner,
    appliance: Appliance,
    { desktopId, profile }: { readonly desktopId: string; readonly profile: string },
  ): Promise<CanaryPerson> {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
      viewport: { width: 1200, height: 1000 },
    });
    owner.teardown(() => context.close());
    const page = await context.newPage();
    const person = new CanaryPerson(context, page, appliance.url);
    await page.goto(`${appliance.url}/?token=${appliance.adminToken}`);
    await page.goto(`${appliance.url}/desktops/${desktopId}`);
    return person;
  }

  /** The desktop as it is shown to them; null where it is not yet. */
  seen(): Promise<Shot | null> {
    return canvasShot(this.#page, SCREEN);
  }

  /** Takes over what an agent asks for, in private as it proposes. */
  async take(requestId: string): Promise<void> {
    const card = this.#card(requestId);
    await card.getByRole("button", { name: "Take over" }).click();
    await card.getByText("You are at it. Private").waitFor();
  }

  async done(requestId: string): Promise<void> {
    const card = this.#card(requestId);
    await card.getByRole("button", { name: "Done" }).click();
    await card.waitFor({ state: "detached" });
  }

  /** Types where the desktop has its keyboard. */
  async type(text: string): Promise<void> {
    await this.#page.evaluate(`document.querySelector(${JSON.stringify(SCREEN)}).focus()`);
    await this.#page.keyboard.type(text);
  }

  async openClipboard(): Promise<void> {
    await this.#page.evaluate(`document.getElementById("viewer-clipboard").showPopover()`);
  }

  async sendClipboard(text: string): Promise<void> {
    await this.#clipboard.getByLabel("To the desktop").fill(text);
    await this.#clipboard.getByRole("button", { name: "Put on the desktop's clipboard" }).click();
  }

  /** It lies over other things that are to be pressed. */
  async closeClipboard(): Promise<void> {
    await this.#page.evaluate(`document.getElementById("viewer-clipboard").hidePopover()`);
  }

  /** What the desktop last copied, as the page shows it. */
  copied(): Promise<string> {
    return this.#clipboard.getByLabel("From the desktop").inputValue();
  }

  /** Has the browser keep a word wherever a page may keep one. */
  async plant(word: string): Promise<void> {
    await this.#page.evaluate(plantScript(word));
  }

  /** What a recording's player paints at these moments; without its overlays and pointer. */
  async play(recordingId: string, moments: readonly number[]): Promise<readonly Shot[]> {
    const shots: Shot[] = [];
    await this.#page.goto(`${this.#url}/recordings/${recordingId}`);
    for (const ms of moments) {
      await this.#page.evaluate(`location.hash = "#t=${(ms / 1000).toFixed(3)}"`);
      const painted = `Number(document.querySelector(".stage")?.dataset.positionMs ?? -1)`;
      await until(`the picture of ${ms}`, async () => (await this.#page.evaluate<number>(painted)) === ms);
      const shot = await canvasShot(this.#page, ".player-canvas");
      if (shot !== null) shots.push(shot);
    }
    return shots;
  }

  /** Visits pages, and tells all that the browser keeps then, by where. Ends the browser. */
  async leave(paths: readonly string[]): Promise<readonly (readonly [string, string])[]> {
    for (const path of paths) await this.#page.goto(`${this.#url}${path}`);
    const kept = await this.#page.evaluate<[string, string][]>(KEPT);
    const cookies = JSON.stringify(await this.#context.cookies());
    await this.#context.close();
    return [...kept, ["cookies", cookies]];
  }

  get #clipboard() {
    return this.#page.locator("#viewer-clipboard");
  }

  #card(requestId: string) {
    return this.#page.locator(`[data-request-id="${requestId}"]`);
  }
}

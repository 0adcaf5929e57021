import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { startTarget } from "../targets/target.ts";
import { onlyDesktop, partOf, viewerShot } from "./viewer-scenario.ts";

/** What each window shows: three monitors beside each other. */
const SIZE = 400;
const MONITORS = ["left", "middle", "right"] as const;

class Window {
  readonly page: Page;
  /** Of the picture, by its WebSockets. */
  bytes = 0;
  #x: number;

  constructor(page: Page, x: number) {
    this.page = page;
    this.#x = x;
    page.on("websocket", (socket) => {
      if (!socket.url().includes("/ws/desktops/")) return;
      socket.on("framereceived", ({ payload }) => {
        this.bytes += payload.length;
      });
    });
  }

  async show(url: string, x: number): Promise<void> {
    this.#x = x;
    await this.page.goto(`${url}?vx=${x}&vy=0&vw=${SIZE}&vh=${SIZE}`);
  }

  /** Where it differs from its part of the display, or null. */
  async differenceFrom(whole: Shot): Promise<string | null> {
    const seen = await viewerShot(this.page);
    const part = (shot: Shot): Shot => partOf(shot, this.#x, 0, SIZE, SIZE);
    return seen === null ? "nothing was drawn" : differenceOf(part(seen), part(whole));
  }
}

t.test("a window for each of three monitors", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "chromium", "xdotool", "xsetroot", "xterm", "xwd"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-windows-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const geometry = `${MONITORS.length * SIZE}x${SIZE}`;
  const { display, url: target } = await startTarget(t, "tigervnc", folder, { geometry });
  const appliance = await Appliance.start(t, { connect: [target] });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const url = `${appliance.url}/desktops/${await onlyDesktop(appliance)}`;
  const browser = await openBrowser(t);
  const windows: Window[] = [];
  for (const [index] of MONITORS.entries()) {
    const { page } = await signIn(browser, appliance, { viewport: { width: 600, height: 600 } });
    const window = new Window(page, index * SIZE);
    await window.show(url, index * SIZE);
    windows.push(window);
  }
  const [left, middle, right] = windows;
  if (!left || !middle || !right) throw new Error("a window is missing");
  const allShow = async (shown: readonly Window[], what: string): Promise<void> => {
    let differences: readonly (string | null)[] = [];
    const areSame = async (): Promise<boolean> => {
      const whole = await display.shot();
      differences = await Promise.all(shown.map((window) => window.differenceFrom(whole)));
      return differences.every((difference) => difference === null);
    };
    await until(what, areSame).catch((cause: unknown) => {
      throw new Error(`${what}: ${differences.join(" | ")}`, { cause });
    });
  };

  await t.test("all of them show each change, every pixel of their own part", async () => {
    for (let step = 1; step <= 20; step++) {
      await display.command("xsetroot", "-solid", `#${(step * 0x0a_07_05).toString(16).padStart(6, "0")}`);
      await allShow(windows, `change ${step} in three windows`);
    }
  });

  // Over a window the server would draw its pointer into the picture; the root window has none.
  await display.command("xdotool", "mousemove", "600", "395");
  await t.test("each gets the bytes of what it shows, and none of what it does not", async (t) => {
    await display.openTerminal(
      "busy",
      `40x20+${SIZE + 20}+20`,
      "i=0; while [ $i -lt 400 ]; do i=$((i+1)); head -c 30 /dev/urandom | od -An -tx1; sleep 0.01; done; sleep 100",
    );
    await until("the terminal in the middle", async () => middle.bytes > 200_000);
    await allShow(windows, "the text in the middle");
    const before = windows.map(({ bytes }) => bytes);
    await display.openTerminal("right", `20x5+${2 * SIZE + 20}+20`, "seq 1 200; sleep 100");
    await allShow(windows, "the text on the right");
    const got = windows.map(({ bytes }, index) => bytes - (before[index] ?? 0));
    t.ok((got[2] ?? 0) > 1000, `the right one got ${got[2]} bytes`);
    t.ok(
      left.bytes * 20 < middle.bytes,
      `the left one got ${left.bytes} bytes, the middle one ${middle.bytes}`,
    );
  });

  await t.test("one that crashes takes none with it, and one that moves shows its new part", async (t) => {
    const crashed = new Promise<void>((resolve) => middle.page.once("crash", () => resolve()));
    const session = await middle.page.context().newCDPSession(middle.page);
    session.send("Page.crash").catch(() => undefined);
    await crashed;
    await display.command("xsetroot", "-solid", "#204060");
    await allShow([left, right], "the change in the two that are left");
    await right.show(url, 100);
    await allShow([left, right], "two that overlap");
    await display.command("xsetroot", "-solid", "#604020");
    await allShow([left, right], "a change in both");
    t.ok((await appliance.fetch("/health")).ok);
  });
});

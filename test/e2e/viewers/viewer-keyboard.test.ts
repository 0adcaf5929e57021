import type { CDPSession, Page } from "playwright-core";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { openScene, requireScene } from "../targets/scene-target.ts";
import { onlyDesktop, viewerShot } from "./viewer-scenario.ts";

/** What an input method shows while a person composes, and what it puts at last. */
const COMPOSED = [
  { name: "Chinese", steps: ["n", "ni", "ni h", "ni hao"], text: "你好世界" },
  { name: "Japanese", steps: ["に", "にほ", "にほん", "日本"], text: "日本かな" },
  { name: "Korean", steps: ["ㅎ", "하", "한"], text: "한글" },
  { name: "a dead key", steps: ["´"], text: "é" },
  { name: "a letter beyond the first plane", steps: [], text: "𠮷" },
] as const;

interface Finger {
  readonly x: number;
  readonly y: number;
}

/** Real touches, as a screen sends them. */
class Fingers {
  readonly #session: CDPSession;

  constructor(session: CDPSession) {
    this.#session = session;
  }

  async #send(type: "touchStart" | "touchMove" | "touchEnd", fingers: readonly Finger[]): Promise<void> {
    const touchPoints = fingers.map(({ x, y }, id) => ({ x, y, id }));
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints });
  }

  async down(...fingers: readonly Finger[]): Promise<void> {
    for (let count = 1; count <= fingers.length; count++) {
      await this.#send("touchStart", fingers.slice(0, count));
    }
  }

  async up(): Promise<void> {
    await this.#send("touchEnd", []);
  }

  /** In steps, all fingers at a time. */
  async move(from: readonly Finger[], to: readonly Finger[]): Promise<void> {
    const steps = 10;
    for (let step = 1; step <= steps; step++) {
      const share = step / steps;
      const between = from.map(({ x, y }, index) => ({
        x: x + ((to[index]?.x ?? x) - x) * share,
        y: y + ((to[index]?.y ?? y) - y) * share,
      }));
      await this.#send("touchMove", between);
    }
  }
}

async function scaleOf(page: Page): Promise<number> {
  return (await page.evaluate<number>("document.querySelector('.viewer-surface').clientWidth")) / 1024;
}

t.test("what is typed and composed in the browser arrives exactly", { timeout: 300_000 }, async (t) => {
  if (!requireScene(t, "tigervnc", ["chromium"])) return;
  const target = await openScene(t, "tigervnc");
  const appliance = await Appliance.start(t, { connect: [target.url] });
  const id = await onlyDesktop(appliance);
  const display = await target.display();
  const typewriter = await display.openTypewriter(t.testdir(), "80x10+10+20");
  const { page, context } = await signIn(await openBrowser(t), appliance);
  await page.goto(`${appliance.url}/desktops/${id}`);
  await until("a picture", () => viewerShot(page));
  const frame = await page.locator(".viewer-frame").boundingBox();
  if (frame === null) throw new Error("the viewer has no frame");
  await page.mouse.click(frame.x + 60, frame.y + 60);
  const session = await context.newCDPSession(page);
  const arriving = async (expected: string, type: () => Promise<unknown>): Promise<string> => {
    const before = typewriter.read().length;
    await type();
    const since = (): string => typewriter.read().slice(before);
    await until("the characters", () => since().length >= expected.length, 30_000).catch(() => undefined);
    return since();
  };

  t.equal(
    await page.evaluate<boolean>("document.activeElement.matches('textarea:not(:disabled)')"),
    true,
    "what has the keyboard can be edited",
  );
  const plain = "Az09 @{}[]|~ ok";
  t.equal(await arriving(plain, () => page.keyboard.type(plain)), plain, "by keys");
  for (const { name, steps, text } of COMPOSED) {
    const got = await arriving(text, async () => {
      for (const step of steps) {
        await session.send("Input.imeSetComposition", {
          ...{ text: step, selectionStart: step.length, selectionEnd: step.length },
        });
      }
      await session.send("Input.insertText", { text });
    });
    t.equal(got, text, name);
  }
  t.equal(await arriving("b", () => page.keyboard.type("b")), "b", "and keys again");
  t.same(await accessibilityFaults(page), []);

  await t.test("extra keys are pressed, and a modifier holds until the next key", async (t) => {
    await page.getByRole("button", { name: "Extra keys" }).click();
    const bar = page.getByRole("toolbar", { name: "Extra keys" });
    const key = (name: string) => bar.getByRole("button", { name, exact: true });
    t.equal(await arriving("\x1b", () => key("Esc").click()), "\x1b");
    t.equal(await arriving("\x1b[A", () => key("Up").click()), "\x1b[A");
    await page.mouse.click(frame.x + 60, frame.y + 60);
    await key("Ctrl").click();
    t.equal(await key("Ctrl").getAttribute("aria-pressed"), "true");
    t.equal(await arriving("\x18", () => page.keyboard.press("x")), "\x18", "Ctrl+X");
    await until("the release", async () => (await key("Ctrl").getAttribute("aria-pressed")) === "false");
    t.equal(await arriving("x", () => page.keyboard.press("x")), "x", "and x alone");
    await key("Ctrl").click();
    const composed = await arriving("\x19", () => session.send("Input.insertText", { text: "y" }));
    t.equal(composed, "\x19", "also with what an on-screen keyboard types");
    t.same(await accessibilityFaults(page), []);
  });

  await t.test("in full screen the bar leaves the panel's tabs alone", async (t) => {
    await page.getByRole("button", { name: "Full screen" }).click();
    await until("full screen", () => page.evaluate<boolean>("document.fullscreenElement !== null"));
    await page.locator(".viewer-bar").hover();
    const tabs = page.locator(".viewer-panel").getByRole("tab");
    t.equal(await tabs.count(), 5);
    const covered = await page.evaluate<string[]>(`[...document.querySelectorAll(".viewer-panel [role=tab]")]
      .filter((tab) => {
        const { x, y, width, height } = tab.getBoundingClientRect();
        return !tab.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      })
      .map(({ textContent }) => textContent)`);
    t.same(covered, []);
    await page.evaluate("document.exitFullscreen()");
    await until("the window", () => page.evaluate<boolean>("document.fullscreenElement === null"));
  });

  await t.test("Stop stays in full screen, where it was", async (t) => {
    await page.getByRole("button", { name: /^Panel/ }).click();
    const stop = page.locator(".stop-button");
    const before = await stop.boundingBox();
    await page.getByRole("button", { name: "Full screen" }).click();
    await until("full screen", () => page.evaluate<boolean>("document.fullscreenElement !== null"));
    await page.mouse.move(frame.x + 300, frame.y + 300);
    await page.mouse.click(frame.x + 300, frame.y + 300);
    const box = await stop.boundingBox();
    t.same(box && [box.width, box.height, box.y], before && [before.width, before.height, before.y]);
    const window = await page.evaluate<number>("innerWidth");
    t.ok(box && box.x + box.width <= window && box.x > window - 140, "it is at the right end");
    t.equal(
      await page.evaluate<boolean>(
        `document.elementFromPoint(${(box?.x ?? 0) + 20}, ${(box?.y ?? 0) + 10})?.closest(".stop-button") !== null`,
      ),
      true,
      "and nothing lies over it",
    );
    t.equal(await page.locator(".viewer-name").isVisible(), false, "the rest of the bar is away");
    await page.keyboard.press("Control+Alt+Shift");
    await page.locator(".viewer-name").waitFor();
    await page.evaluate("document.exitFullscreen()");
  });

  await t.test("who leaves while holding the input is asked", async (t) => {
    await page.mouse.click(frame.x + 300, frame.y + 300);
    await page.getByText("You hold the input").waitFor();
    const asked = new Promise<string>((resolve) => {
      page.once("dialog", (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await page.close({ runBeforeUnload: true });
    t.equal(await asked, "beforeunload");
  });

  await t.test("a zoom is chosen, from a quarter to four times", async () => {
    const zoom = page.getByLabel("Zoom");
    for (const factor of [0.25, 1, 4]) {
      await zoom.selectOption(String(factor));
      await until("the zoom", async () => Math.abs((await scaleOf(page)) - factor) < 0.01);
    }
    await zoom.selectOption("fit");
    await until("the whole desktop again", async () => (await scaleOf(page)) < 4);
  });
  await context.close();
});

t.test("fingers act on the desktop, and zoom and move the view", { timeout: 300_000 }, async (t) => {
  if (!requireScene(t, "tigervnc", ["chromium"])) return;
  const target = await openScene(t, "tigervnc");
  const appliance = await Appliance.start(t, { connect: [target.url] });
  const id = await onlyDesktop(appliance);
  const display = await target.display();
  const probe = await display.openButtonProbe("1000x700+10+20");
  const { page, context } = await signIn(await openBrowser(t), appliance, {
    viewport: { width: 820, height: 700 },
    hasTouch: true,
    isMobile: true,
  });
  await page.goto(`${appliance.url}/desktops/${id}`);
  await until("a picture", () => viewerShot(page));
  const fingers = new Fingers(await context.newCDPSession(page));
  const frame = await page.locator(".viewer-frame").boundingBox();
  if (frame === null) throw new Error("the viewer has no frame");
  const middle = { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 };
  const pressed = async (what: string, button: number): Promise<void> => {
    await until(what, () => probe.presses().at(-1)?.button === button);
  };

  await fingers.down(middle);
  await fingers.up();
  await pressed("a tap is a click", 1);
  t.equal(
    await page.evaluate<string>("document.activeElement.inputMode"),
    "none",
    "a tap brings no on-screen keyboard",
  );

  await fingers.down(middle);
  await pressed("a long press is a right click", 3);
  await fingers.up();

  const two = [
    { x: middle.x - 40, y: middle.y },
    { x: middle.x + 40, y: middle.y },
  ];
  await fingers.down(...two);
  await fingers.move(
    two,
    two.map(({ x, y }) => ({ x, y: y - 200 })),
  );
  await fingers.up();
  await pressed("two fingers up scroll down", 5);

  const presses = probe.presses().length;
  const before = await scaleOf(page);
  const apart = [
    { x: middle.x - 240, y: middle.y },
    { x: middle.x + 240, y: middle.y },
  ];
  await fingers.down(...two);
  await fingers.move(two, apart);
  await fingers.up();
  const zoomed = await scaleOf(page);
  t.ok(zoomed > before * 1.5, `a pinch makes it larger, got ${before} and ${zoomed}`);
  t.equal(probe.presses().length, presses, "and the desktop hears nothing");

  const scroll = (): Promise<readonly number[]> =>
    page.evaluate(
      `(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])(document.querySelector(".viewer-frame"))`,
    );
  const [left = 0, top = 0] = await scroll();
  const three = [...two, { x: middle.x, y: middle.y + 40 }];
  await fingers.down(...three);
  await fingers.move(
    three,
    three.map(({ x, y }) => ({ x: x - 50, y: y - 30 })),
  );
  await fingers.up();
  const [movedLeft = 0, movedTop = 0] = await scroll();
  t.ok(
    Math.abs(movedLeft - left - 50) <= 2 && Math.abs(movedTop - top - 30) <= 2,
    "three fingers move the view",
  );
  t.equal(probe.presses().length, presses, "and the desktop hears nothing of that either");

  await page.getByRole("button", { name: "On-screen keyboard" }).tap();
  t.equal(
    await page.evaluate<string>("document.activeElement.inputMode"),
    "text",
    "the on-screen keyboard comes when it is asked for",
  );
  await context.close();
});

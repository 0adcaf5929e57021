import { delay } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import { objectIn } from "./answers.ts";
import { type Box, boxAtRest, checkHit, ownersOf } from "./element-box.ts";
import { guard, HAS_FOCUS, PRESSED } from "./in-page.ts";
import type { Page } from "./page.ts";
import type { ElementPlace } from "./refs.ts";
import type { Target } from "./target.ts";

export const MOUSE_BUTTONS = ["left", "middle", "right"] as const;
export type MouseButton = (typeof MOUSE_BUTTONS)[number];
/** MouseEvent.buttons. */
const BUTTON_BIT = { left: 1, middle: 4, right: 2 } as const;

/** How long the sign of a click is shown before it. */
const SIGN_MS = 400;
const SIGN = { radius: 12, fill: { r: 229, g: 72, b: 77, a: 0.5 } } as const;

export interface ClickHow {
  readonly button: MouseButton;
  readonly clicks: number;
  /** Between press and release. */
  readonly delayMs: number;
  readonly isShown: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where a click goes: the middle of an element that rests and that nothing covers. Rejects with BrowserError. */
async function pointOn(page: Page, target: Target): Promise<Point> {
  const { x, y, width, height } = await boxAtRest(page, target.place);
  const point = { x: x + width / 2, y: y + height / 2 };
  await checkHit(page, target.place, point.x, point.y);
  return point;
}

/**
 * Clicks an element and nothing else. Rejects with BrowserError; with `moving` where it was elsewhere by the time of the
 * press or of the release, of which the page has seen nothing then.
 */
export async function clickElement(page: Page, target: Target, how: ClickHow): Promise<void> {
  if (how.isShown) await showSign(page, await pointOn(page, target));
  const point = await pointOn(page, target);
  const { levels } = await watchPress(page, target.place, how.clicks);
  await clickPoint(page, point, { ...how, isShown: false });
  await endWatch(page, levels);
}

/** Where a press is watched over: the element, and those that hold its frame. */
export interface PressWatch {
  readonly levels: readonly ElementPlace[];
  /** See `guard`. */
  readonly mayHold: boolean;
}

/** Watches over the next press on an element, in its frame and in those that hold it. */
export async function watchPress(page: Page, place: ElementPlace, clicks: number): Promise<PressWatch> {
  const levels = [place, ...(await ownersOf(page, place.session))];
  let mayHold = false;
  // The last one is the tab's own, which has the focus where a frame in it has it.
  for (const { session, node } of levels)
    mayHold = (await page.callOn(session, node, guard(clicks))) === true;
  return { levels, mayHold };
}

/**
 * Ends the watch; gives whether the page saw a press, null where it is gone by that. Rejects with BrowserError moving where
 * that would have hit something else, and was taken out.
 */
export async function endWatch(page: Page, levels: readonly ElementPlace[]): Promise<boolean | null> {
  let isPressed: boolean | null = false;
  for (const { session, node } of levels) {
    const seen = await page.callOn(session, node, PRESSED).catch(nullWhereGone);
    if (seen === null) isPressed = null;
    const told = objectIn(seen);
    if (told["isPressed"] === true && isPressed !== null) isPressed = true;
    const { missed } = told;
    if (typeof missed !== "string") continue;
    const instead = JSON.stringify(missed.slice(0, 120));
    throw new BrowserError(
      "moving",
      `the element moved away as it was pressed, and ${instead} was there: nothing was clicked`,
    );
  }
  return isPressed;
}

/** What was clicked may be gone by that, and its page too. */
export function nullWhereGone(error: unknown): null {
  const isGone = error instanceof BrowserError && /^(browser_refused|page_changed)$/.test(error.code);
  if (!isGone) throw error;
  return null;
}

/** Clicks a point of the tab as a mouse does: the page sees trusted events. */
export async function clickPoint(page: Page, { x, y }: Point, how: ClickHow): Promise<void> {
  const { button, clicks, delayMs, isShown } = how;
  const mouse = (type: string, more: object = {}) =>
    page.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  if (isShown) await showSign(page, { x, y });
  await mouse("mouseMoved");
  for (let clickCount = 1; clickCount <= clicks; clickCount++) {
    await mouse("mousePressed", { button, buttons: BUTTON_BIT[button], clickCount });
    if (delayMs > 0) await delay(page.clock, delayMs);
    await mouse("mouseReleased", { button, buttons: 0, clickCount });
  }
}

async function showSign(page: Page, { x, y }: Point): Promise<void> {
  const { radius, fill } = SIGN;
  const size = 2 * radius;
  await page.send("Overlay.enable");
  await page.send("Overlay.highlightRect", {
    ...{ x: Math.round(x - radius), y: Math.round(y - radius), width: size, height: size },
    color: fill,
  });
  await delay(page.clock, SIGN_MS);
  await page.send("Overlay.hideHighlight");
}

/** Puts the keyboard into an element by a click, as people do. Rejects with BrowserError not_visible where it takes none. */
export async function focusOn(page: Page, target: Target): Promise<void> {
  const { session, node } = target.place;
  // A list opens when it is clicked, and what is typed would go to its pop-up.
  if (target.isSelect) await page.send("DOM.focus", { backendNodeId: node }, session);
  else {
    const how: ClickHow = { button: "left", clicks: 1, delayMs: 0, isShown: false };
    await clickElement(page, target, how);
  }
  if ((await page.callOn(session, node, HAS_FOCUS)) === true) return;
  throw new BrowserError("not_visible", "the element takes no keys: it is disabled, or no field");
}

export interface TypeHow {
  /** Between two characters; 0: all at once. */
  readonly delayMs: number;
  readonly pressesEnter: boolean;
  /** The keyboard is in a list, which only keys choose from. */
  readonly isByKeys: boolean;
}

/** Types where the keyboard is. */
export async function typeText(
  page: Page,
  text: string,
  { delayMs, pressesEnter, isByKeys }: TypeHow,
): Promise<void> {
  const key = (type: string, more: object) => page.send("Input.dispatchKeyEvent", { type, ...more });
  if (delayMs === 0 && !isByKeys) await page.send("Input.insertText", { text });
  else {
    for (const character of text) {
      await key("keyDown", { text: character, key: character });
      await key("keyUp", { key: character });
      if (delayMs > 0) await delay(page.clock, delayMs);
    }
  }
  if (!pressesEnter) return;
  const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
  await key("keyDown", { ...enter, text: "\r" });
  await key("keyUp", enter);
}

/** Turns the wheel over an element, or over the middle of what is in view. */
export async function scrollBy(page: Page, box: Box, pixels: number): Promise<void> {
  await page.send("Input.dispatchMouseEvent", {
    type: "mouseWheel",
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    deltaX: 0,
    deltaY: pixels,
  });
}

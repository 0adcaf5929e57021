import type { CDPSession, Page } from "playwright-core";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { KEYBOARD_RECORDER } from "./keyboard-recorder.ts";

/** So many presses are sent at once. */
const BATCH = 12;
/** More stops than any page has. */
const MOST_STOPS = 400;

/** What keys alone found on a page. */
interface Round {
  readonly stops: number;
  readonly faults: readonly string[];
}

/** By their Windows codes. */
const KEYS = { Tab: 9, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 } as const;

const SHIFT = 8;

const stateSchema = z.object({ stops: z.number(), isRound: z.boolean(), isDesktop: z.boolean() });
const groupsSchema = z.array(z.object({ isRow: z.boolean(), members: z.number() }));
const openSchema = z.object({ isOpen: z.boolean(), isBack: z.boolean(), name: z.string() });
const namesSchema = z.array(z.string());

/** Somebody without a mouse, on the pages of one tab. */
export class KeyboardRounds {
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  /** From the tab's next page on. */
  static async on(page: Page): Promise<KeyboardRounds> {
    await page.addInitScript(KEYBOARD_RECORDER);
    return new KeyboardRounds(page, await page.context().newCDPSession(page));
  }

  /**
   * Goes around the page as it stands: by Tab from its top until it comes round, by Shift+Tab the same way back, by arrows
   * within what has one stop; closes by Escape what is open. What came meanwhile is looked for in a second round.
   */
  async go(): Promise<Round> {
    await this.#do("reset()");
    let stops = await this.#around();
    let missed = await this.#missed();
    if (missed.length > 0) {
      stops = Math.max(stops, await this.#around());
      missed = await this.#missed();
    }
    const passed = await this.#arrows();
    const faults = namesSchema.parse(await this.#do("faults()"));
    const left = await this.#escape();
    await this.#page.evaluate("document.activeElement?.blur()");
    const unreached = [...missed, ...passed].map((name) => `out of reach: ${name}`);
    return { stops, faults: [...faults, ...unreached, ...left] };
  }

  #do(what: string): Promise<unknown> {
    return this.#page.evaluate(`keyboardRound.${what}`);
  }

  async #around(): Promise<number> {
    await this.#do("fromTop()");
    const { stops, isDesktop } = await this.#tab(0);
    await this.#do("turn()");
    if (isDesktop) {
      await this.#page.keyboard.press("Control+Alt+Shift");
      await until("the bar", () =>
        this.#page.evaluate<boolean>(`document.activeElement.matches(".viewer-bar")`),
      );
      // Messages are above the bar.
      await this.#tab(SHIFT);
    }
    await this.#do("fromLast()");
    await this.#tab(SHIFT);
    await this.#do("compare()");
    return stops;
  }

  /** What no arrow reaches within what has one stop. */
  async #arrows(): Promise<readonly string[]> {
    const groups = groupsSchema.parse(await this.#do("groups()"));
    for (const [index, { isRow, members }] of groups.entries()) {
      for (const key of isRow ? (["ArrowRight"] as const) : (["ArrowUp", "ArrowDown"] as const)) {
        await this.#do(`enter(${index})`);
        await this.#press(key, members + 1);
      }
    }
    return namesSchema.parse(await this.#do("passed()"));
  }

  /** Until it comes round, or is on a desktop, which keeps the key, or moves no more. */
  async #tab(modifiers: number): Promise<z.infer<typeof stateSchema>> {
    for (let before = -1; ; ) {
      await this.#press("Tab", BATCH, modifiers);
      const state = stateSchema.parse(await this.#do("state()"));
      if (state.isRound || state.isDesktop || state.stops === before || state.stops > MOST_STOPS)
        return state;
      before = state.stops;
    }
  }

  async #press(key: keyof typeof KEYS, times: number, modifiers = 0): Promise<void> {
    const told = { key, code: key, windowsVirtualKeyCode: KEYS[key], modifiers };
    const send = (type: "rawKeyDown" | "keyUp"): Promise<unknown> =>
      this.#session.send("Input.dispatchKeyEvent", { type, ...told });
    await Promise.all(Array.from({ length: times }, () => [send("rawKeyDown"), send("keyUp")]).flat());
  }

  /** What a mouse can press and no key has reached. */
  async #missed(): Promise<readonly string[]> {
    // The console's: a page cannot ask what listens to an element.
    const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
      expression: "keyboardRound.groups(); keyboardRound.missed(getEventListeners)",
      includeCommandLineAPI: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return namesSchema.parse(result.value);
  }

  /** Dialogs and what lies above the page end by Escape, and the focus is where it was before. */
  async #escape(): Promise<readonly string[]> {
    const look = async () => openSchema.parse(await this.#do("open()"));
    const { isOpen, name } = await look();
    if (!isOpen) return [];
    await this.#do("inside()");
    await this.#press("Escape", 1);
    // A dialog tells of its end in a task of its own.
    await this.#page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    const after = await look();
    if (after.isOpen) return [`Escape does not close: ${name}`];
    return after.isBack ? [] : [`does not give the focus back: ${name}`];
  }
}

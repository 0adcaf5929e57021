import type { Clock } from "../../../platform/clock.ts";
import type { CdpObject } from "../../../protocols/cdp/cdp-client.ts";
import { type CdpKey, cdpKeyOf, keyEventOf, MODIFIER } from "../../../protocols/cdp/keys.ts";
import { Barriers } from "../barriers.ts";

/** Buttons of RFC 6143 section 7.5.5, and what Input.dispatchMouseEvent calls them. */
const BUTTONS = [
  { mask: 1, name: "left", bit: 1 },
  { mask: 2, name: "middle", bit: 4 },
  { mask: 4, name: "right", bit: 2 },
  { mask: 128, name: "back", bit: 8 },
  { mask: 256, name: "forward", bit: 16 },
] as const;
/** A notch of the wheel: what Chromium scrolls on Linux. */
const NOTCH = 120;
const NOTCHES = [
  { mask: 8, deltaX: 0, deltaY: -NOTCH },
  { mask: 16, deltaX: 0, deltaY: NOTCH },
  { mask: 32, deltaX: -NOTCH, deltaY: 0 },
  { mask: 64, deltaX: NOTCH, deltaY: 0 },
] as const;

/** A second press at the same place within so long is a double click. */
const CLICK_MS = 500;
const CLICK_DISTANCE = 4;

/** A page that takes none of so many does not work. */
const MOST_WAITING = 10_000;

export interface PageInputPorts {
  /** To the page that is shown; a rejection says that the page did not take it. */
  call(method: string, params: CdpObject): Promise<unknown>;
  /** True: the key was the browser's own, and the page does not get it. */
  shortcut(key: CdpKey, modifiers: number): boolean;
  /** What was offered to be pasted; null: the browser's own clipboard is newer. */
  offered(): string | null;
  copied(): void;
  /** More input waits than a page takes. */
  flooded(): void;
}

type Command = { readonly method: string; readonly params: CdpObject } | { readonly barrier: number };

/** What people and agents do, for a page: one after the other, each once the page had the one before. */
export class PageInput {
  readonly #ports: PageInputPorts;
  readonly #clock: Clock;
  readonly #barriers = new Barriers();
  readonly #down = new Set<string>();
  #queue: Command[] = [];
  #isBusy = false;
  /** What is under way, so that what was left behind says nothing any more. */
  #turn = 0;
  #x = 0;
  #y = 0;
  #buttons = 0;
  #modifiers = 0;
  #clicks = { button: 0, count: 0, atMs: Number.NEGATIVE_INFINITY, x: 0, y: 0 };

  constructor(ports: PageInputPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** Everything that was said before is with the page. */
  barrier(): Promise<void> {
    const { number, passed } = this.#barriers.open();
    this.#push({ barrier: number });
    return passed;
  }

  /** What the page was asked last is waited for no longer: it shows a dialog, or another page is shown. */
  skip(): void {
    this.#isBusy = false;
    this.#turn += 1;
    this.#next();
  }

  fail(error: Parameters<Barriers["fail"]>[0]): void {
    this.#queue = [];
    this.#barriers.fail(error);
  }

  pointer(x: number, y: number, buttons: number): void {
    const before = this.#buttons;
    const hasMoved = x !== this.#x || y !== this.#y;
    this.#x = x;
    this.#y = y;
    this.#buttons = buttons;
    if (hasMoved) this.#moved(before);
    for (const { mask, name } of BUTTONS) {
      if ((before & mask) === (buttons & mask)) continue;
      const isDown = (buttons & mask) !== 0;
      const clickCount = isDown ? this.#count(mask) : this.#clicks.count;
      this.#mouse({ type: isDown ? "mousePressed" : "mouseReleased", button: name, clickCount });
    }
    for (const { mask, deltaX, deltaY } of NOTCHES) {
      if ((before & mask) === 0 && (buttons & mask) !== 0)
        this.#mouse({ type: "mouseWheel", deltaX, deltaY });
    }
  }

  key(keysym: number, isDown: boolean): void {
    const key = cdpKeyOf(keysym);
    if (key === null) return;
    const id = `${key.key} ${key.code}`;
    const isRepeat = isDown && this.#down.has(id);
    if (isDown) this.#down.add(id);
    else if (!this.#down.delete(id)) return; // its press was the browser's own
    if (isDown) this.#modifiers |= key.modifier;
    else this.#modifiers &= ~key.modifier;
    if (isDown && this.#isOurs(key)) {
      this.#down.delete(id);
      return;
    }
    this.#push({
      method: "Input.dispatchKeyEvent",
      params: keyEventOf(key, isDown, this.#modifiers, isRepeat),
    });
  }

  #isOurs(key: CdpKey): boolean {
    const isControl = this.#modifiers === MODIFIER.control;
    if (isControl && (key.code === "KeyC" || key.code === "KeyX")) this.#ports.copied();
    const pastes =
      (isControl && key.code === "KeyV") || (this.#modifiers === MODIFIER.shift && key.code === "Insert");
    const offered = pastes ? this.#ports.offered() : null;
    if (offered !== null) {
      this.#push({ method: "Input.insertText", params: { text: offered } });
      return true;
    }
    return this.#ports.shortcut(key, this.#modifiers);
  }

  #moved(buttons: number): void {
    const last = this.#queue.at(-1);
    // A page that is behind is told where the pointer is, not where it was.
    if (last !== undefined && "params" in last && last.params["type"] === "mouseMoved") this.#queue.pop();
    const held = BUTTONS.find(({ mask }) => (buttons & mask) !== 0);
    this.#mouse({ type: "mouseMoved", button: held?.name ?? "none" }, buttons);
  }

  #count(button: number): number {
    const nowMs = this.#clock.nowMs();
    const { count, atMs, x, y, button: before } = this.#clicks;
    const isNear = Math.abs(x - this.#x) <= CLICK_DISTANCE && Math.abs(y - this.#y) <= CLICK_DISTANCE;
    const isAgain = before === button && isNear && nowMs - atMs <= CLICK_MS;
    this.#clicks = { button, count: isAgain ? count + 1 : 1, atMs: nowMs, x: this.#x, y: this.#y };
    return this.#clicks.count;
  }

  #mouse(event: CdpObject, held = this.#buttons): void {
    const buttons = BUTTONS.reduce((bits, { mask, bit }) => bits | ((held & mask) === 0 ? 0 : bit), 0);
    const params = { x: this.#x, y: this.#y, buttons, modifiers: this.#modifiers, ...event };
    this.#push({ method: "Input.dispatchMouseEvent", params });
  }

  #push(command: Command): void {
    this.#queue.push(command);
    if (this.#queue.length > MOST_WAITING) {
      this.#queue = [];
      this.#ports.flooded();
      return;
    }
    if (!this.#isBusy) this.#next();
  }

  #next(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if ("barrier" in next) {
        this.#barriers.pass(next.barrier);
        continue;
      }
      this.#isBusy = true;
      const turn = ++this.#turn;
      const done = (): void => {
        if (turn !== this.#turn) return;
        this.#isBusy = false;
        this.#next();
      };
      // A page that is gone took nothing: what came of it is on the screen.
      this.#ports.call(next.method, next.params).then(done, done);
      return;
    }
  }
}

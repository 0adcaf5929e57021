import { DemoScreen } from "../../src/demo/demo-screen.ts";
import type { TypefaceChoice } from "../../src/demo/typeface.ts";
import type { Cursor } from "../../src/framebuffer/cursor.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import type { Region } from "../../src/framebuffer/region.ts";
import { FakeClock } from "../fake-clock.ts";

export const KEY = {
  backSpace: 0xff08,
  tab: 0xff09,
  return: 0xff0d,
  escape: 0xff1b,
  home: 0xff50,
  left: 0xff51,
  up: 0xff52,
  right: 0xff53,
  down: 0xff54,
  end: 0xff57,
  delete: 0xffff,
  control: 0xffe3,
} as const;

/** A demo screen, and the hand that uses it; what it told is kept. */
export class DemoHand {
  readonly clock = new FakeClock(new Date(2026, 10, 24, 14, 5, 30));
  readonly screen: DemoScreen;
  readonly cursors: Cursor[] = [];
  readonly copied: string[] = [];
  damagedTimes = 0;

  constructor(typeface: TypefaceChoice = "auto") {
    this.screen = new DemoScreen(
      { clock: this.clock, typeface },
      {
        damaged: () => {
          this.damagedTimes++;
        },
        cursor: (cursor) => this.cursors.push(cursor),
        copied: (text) => this.copied.push(text),
      },
    );
    this.screen.repaint();
    this.damagedTimes = 0;
  }

  rectOf(name: string): Rect {
    const r = this.screen.stableElements()[name];
    if (r === undefined) throw new Error(`no element ${name} on the demo`);
    return r;
  }

  centreOf(name: string): { readonly x: number; readonly y: number } {
    const { x, y, width, height } = this.rectOf(name);
    return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) };
  }

  click(name: string, button = 1): void {
    const { x, y } = this.centreOf(name);
    this.clickAt(x, y, button);
  }

  clickAt(x: number, y: number, button = 1): void {
    this.screen.pointer(x, y, 0);
    this.screen.pointer(x, y, button);
    this.screen.pointer(x, y, 0);
  }

  /** Presses on an element, goes to another place and releases there. */
  drag(name: string, dx: number, dy: number): void {
    const { x, y } = this.centreOf(name);
    this.screen.pointer(x, y, 1);
    this.screen.pointer(x + Math.trunc(dx / 2), y + Math.trunc(dy / 2), 1);
    this.screen.pointer(x + dx, y + dy, 1);
    this.screen.pointer(x + dx, y + dy, 0);
  }

  wheel(name: string, notches: number): void {
    const { x, y } = this.centreOf(name);
    for (let i = 0; i < Math.abs(notches); i++) {
      this.screen.pointer(x, y, notches > 0 ? 16 : 8);
      this.screen.pointer(x, y, 0);
    }
  }

  press(keysym: number, times = 1): void {
    for (let i = 0; i < times; i++) {
      this.screen.key(keysym, true);
      this.screen.key(keysym, false);
    }
  }

  /** Holds Control while a key is pressed. */
  control(letter: string): void {
    this.screen.key(KEY.control, true);
    this.press(letter.codePointAt(0) ?? 0);
    this.screen.key(KEY.control, false);
  }

  type(text: string): void {
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0;
      if (character === "\n") this.press(KEY.return);
      else this.press(point < 0x100 ? point : 0x0100_0000 + point);
    }
  }

  /** Runs something and tells which pixels the repaint after it may have changed, and which it did change. */
  watch(act: () => void): { readonly damage: Region; readonly changed: number; readonly missed: number } {
    const { framebuffer } = this.screen;
    const before = framebuffer.words.slice();
    act();
    const damage = this.screen.repaint();
    const { words, width } = framebuffer;
    const isDamaged = new Uint8Array(words.length);
    for (const r of damage.rects) {
      for (let y = r.y; y < r.y + r.height; y++)
        isDamaged.fill(1, y * width + r.x, y * width + r.x + r.width);
    }
    let changed = 0;
    let missed = 0;
    for (let i = 0; i < words.length; i++) {
      if (words[i] === before[i]) continue;
      changed++;
      if (isDamaged[i] === 0) missed++;
    }
    return { damage, changed, missed };
  }

  /** How many pixels differ from what painting everything anew gives. */
  stalePixels(): number {
    this.screen.repaint();
    const { framebuffer, screens } = this.screen;
    const partly = framebuffer.words.slice();
    this.screen.resize(framebuffer.width, framebuffer.height, screens);
    this.screen.repaint();
    let count = 0;
    for (let i = 0; i < partly.length; i++) if (partly[i] !== framebuffer.words[i]) count++;
    return count;
  }
}

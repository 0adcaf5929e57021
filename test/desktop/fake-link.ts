import { LinkError } from "../../src/desktop/error.ts";
import type { Link, LinkEvents } from "../../src/desktop/link.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { MissingPixels } from "../../src/framebuffer/missing-pixels.ts";
import type { CopyMove } from "../../src/framebuffer/picture.ts";
import { type Rect, rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";

/** A target that a test plays by hand. */
export class FakeLink implements Link {
  readonly framebuffer: Framebuffer;
  isExact = true;
  hasLatinClipboard = false;
  isFenced = true;
  showsLateMs: number | undefined = undefined;
  provesClipboard = false;
  holdsWheel = false;
  newKeys: number | undefined = undefined;
  readonly description = "a fake";
  readonly said: string[] = [];
  isWatched = false;
  isClosed = false;
  /** Barriers are passed at once unless this is false. */
  answers = true;
  /** The pixel at 10,20 when the first input came after `said` was emptied. */
  colourAtFirstInput: number | null = null;
  readonly #missing = new MissingPixels();
  #held: (() => void)[] = [];
  #events: LinkEvents | null = null;

  constructor(width = 200, height = 100) {
    this.framebuffer = new Framebuffer(width, height);
    this.#missing.expect(this.framebuffer);
  }

  get events(): LinkEvents {
    if (this.#events === null) throw new Error("the link is not open");
    return this.#events;
  }

  open(events: LinkEvents): void {
    this.#events = events;
  }

  /** The handshake and a first whole picture. */
  goLive(): void {
    const { width, height } = this.framebuffer;
    this.events.ready({ name: "fake", screens: [{ id: 1, rect: rect(0, 0, width, height), flags: 0 }] });
    this.paint(this.framebuffer.rect, 0x222222);
  }

  /** Fills and tells of it as one update. */
  paint(area: Rect, colour: number, copies: readonly CopyMove[] = []): void {
    this.framebuffer.fill(area, colour);
    this.#missing.paint(area);
    for (const { to } of copies) this.#missing.paint(to);
    this.events.update({ painted: Region.of(area), copies, missing: this.#missing.count });
  }

  drop(error = new LinkError("target_closed", "the target closed the connection")): void {
    const events = this.events;
    this.#events = null;
    events.closed(error);
  }

  follow(isWatched: boolean): void {
    this.isWatched = isWatched;
  }

  refresh(): void {
    this.said.push("refresh");
  }

  hasFence(): boolean {
    return this.isFenced;
  }

  showsWithinMs(): number | undefined {
    return this.showsLateMs;
  }

  barrier(): Promise<void> {
    return this.answers ? Promise.resolve() : new Promise((resolve) => this.#held.push(resolve));
  }

  /** Answers every barrier that waits. */
  pass(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  latest(): Promise<void> {
    this.said.push("latest");
    return this.barrier();
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#note();
    this.said.push(`pointer ${x},${y} ${buttons}`);
  }

  key(keysym: number, isDown: boolean): void {
    this.#note();
    this.said.push(`${isDown ? "down" : "up"} ${keysym.toString(16)}`);
  }

  #note(): void {
    if (this.said.some((line) => /^(pointer|down|up)/.test(line))) return;
    const { words, width } = this.framebuffer;
    this.colourAtFirstInput = width > 10 ? (words[20 * width + 10] ?? 0) & 0xffffff : null;
  }

  listen(isOn: boolean): void {
    this.said.push(`listen ${isOn ? "on" : "off"}`);
  }

  clipboard(text: string): void {
    this.said.push(`clipboard ${text.length}`);
  }

  resize(): boolean {
    return false;
  }

  close(): void {
    this.isClosed = true;
    this.#events = null;
  }
}

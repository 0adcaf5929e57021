import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { FilesCommand } from "../../protocols/rdp/files/file-messages.ts";
import type { RefusedError } from "../error.ts";
import type { Link, LinkEvents } from "../link.ts";

/** What decides of one desktop, asked in the turn that sends. */
export interface Fence {
  /** Why nothing may be sent; null: it may. */
  notHeld(): RefusedError | null;
  /** Whether what is down may come up: nobody else can have the desktop yet. */
  mayLetGo(): boolean;
}

/**
 * A link whose input goes down only while this node surely has the desktop. INVARIANT: each thing that is sent asks the fence in the
 * same turn; what presses, moves or writes throws its refusal, what only lets go is dropped, and nothing is sent.
 */
export class FencedLink implements Link {
  readonly #link: Link;
  readonly #fence: Fence;
  /** keysym -> scancode of what the target has down. */
  readonly #down = new Map<number, number | null>();
  #hasSent = false;
  #buttons = 0;
  #x = 0;
  #y = 0;

  constructor(link: Link, fence: Fence) {
    this.#link = link;
    this.#fence = fence;
  }

  get framebuffer(): Framebuffer {
    return this.#link.framebuffer;
  }

  get isExact(): boolean {
    return this.#link.isExact;
  }

  get description(): string {
    return this.#link.description;
  }

  get inputRefusal(): string | undefined {
    return this.#link.inputRefusal;
  }

  get hasLatinClipboard(): boolean {
    return this.#link.hasLatinClipboard === true;
  }

  get holdsWheel(): boolean {
    return this.#link.holdsWheel === true;
  }

  get provesClipboard(): boolean {
    return this.#link.provesClipboard === true;
  }

  get newKeys(): number | undefined {
    return this.#link.newKeys;
  }

  notHeld(): RefusedError | null {
    return this.#fence.notHeld();
  }

  /** Whether any input went out. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  hasFence(): boolean {
    return this.#link.hasFence?.() === true;
  }

  showsWithinMs(): number | undefined {
    return this.#link.showsWithinMs?.();
  }

  canType(keysym: number): boolean {
    return this.#link.canType?.(keysym) !== false;
  }

  open(events: LinkEvents): void {
    this.#link.open(events);
  }

  follow(isWatched: boolean): void {
    this.#link.follow(isWatched);
  }

  refresh(): void {
    this.#link.refresh();
  }

  barrier(): Promise<void> {
    return this.#link.barrier();
  }

  latest(area?: Rect | null): Promise<void> {
    return this.#link.latest(area);
  }

  listen(isOn: boolean): void {
    this.#link.listen?.(isOn);
  }

  close(): void {
    this.#link.close();
  }

  /** Throws RefusedError not_held or held_elsewhere, as all that follows. */
  pointer(x: number, y: number, buttons: number): void {
    const isRelease = buttons !== this.#buttons && (buttons & ~this.#buttons) === 0;
    if (isRelease) {
      if (!this.#fence.mayLetGo()) return;
    } else this.#check();
    this.#link.pointer(x, y, buttons);
    [this.#x, this.#y, this.#buttons] = [x, y, buttons];
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    if (isDown) this.#check();
    else if (!this.#fence.mayLetGo()) return;
    // What is let go of already would come after what the next node sends.
    else if (!this.#down.has(keysym) && this.#fence.notHeld() !== null) return;
    this.#link.key(keysym, isDown, scancode);
    if (isDown) this.#down.set(keysym, scancode);
    else this.#down.delete(keysym);
  }

  clipboard(text: string): void {
    this.#check();
    this.#link.clipboard(text);
  }

  /** What is offered is written; bytes are given and asked for as pixels are. */
  files(command: FilesCommand): void {
    if (command.kind === "offer") this.#check();
    this.#link.files?.(command);
  }

  resize(width: number, height: number, screens?: readonly Rect[]): boolean | Promise<boolean> {
    this.#check();
    return this.#link.resize(width, height, screens);
  }

  /** Lets go of what is down, where it may; true where something was. */
  letGo(): boolean {
    const isAnyDown = this.#down.size > 0 || this.#buttons !== 0;
    if (!isAnyDown || !this.#fence.mayLetGo()) return false;
    for (const [keysym, scancode] of [...this.#down]) this.key(keysym, false, scancode);
    if (this.#buttons !== 0) this.pointer(this.#x, this.#y, 0);
    return true;
  }

  #check(): void {
    const refusal = this.#fence.notHeld();
    if (refusal !== null) throw refusal;
    this.#hasSent = true;
  }
}

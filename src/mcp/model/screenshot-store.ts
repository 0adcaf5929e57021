import { randomUUID } from "node:crypto";
import { RefusedError } from "../../desktop/error.ts";
import type { ImageFormat } from "../../desktop/view.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Framing } from "./coordinates.ts";

/** What is kept where nothing is said: pictures in memory, all principals together, and for how long. */
const KEPT = { memoryBytes: 64 * 1024 * 1024, keepMs: 3_600_000 };
/** Of which one principal's at most this share: a busy agent pushes out its own. */
const SHARE_OF_ONE = 1 / 2;
/** Pictures taken by the clock, of one principal: they do not push out what it looked at itself. */
const MAX_TIMED = 60;
/** Screenshots whose place on the desktop is remembered, with or without their picture. */
const MAX_ENTRIES = 2000;
/** So that one busy agent does not push out everybody else's. */
const MAX_ENTRIES_A_PRINCIPAL = 500;

/**
 * screen: what the agent looks at as a whole. computer: the same, given by the tool `computer`, whose coordinates are of
 * what it gave itself. detail: zooms, differences and annotated copies. timed: taken as set_screenshot_frequency says, and
 * seen only when it is read.
 */
export type ScreenshotRole = "screen" | "computer" | "detail" | "timed";

/** What was captured: all of a desktop, one of its monitors, a part. */
export const CAPTURE_MODES = ["fullscreen", "monitor", "region"] as const;
export type CaptureMode = (typeof CAPTURE_MODES)[number];

/** A picture that an agent was shown, and where it lies on its desktop. */
export interface Screenshot {
  readonly id: string;
  readonly principalId: string;
  readonly desktopId: string;
  readonly desktopName: string;
  readonly role: ScreenshotRole;
  readonly mode: CaptureMode;
  readonly framing: Framing;
  /** The target may have drawn its own pointer into it. */
  readonly isPointed: boolean;
  readonly format: ImageFormat;
  readonly generation: number;
  /** ISO 8601. */
  readonly takenAt: string;
  /** null: it was pushed out by newer ones, or its time was over. */
  readonly bytes: Uint8Array | null;
}

export type NewScreenshot = Omit<Screenshot, "id" | "bytes"> & { readonly bytes: Uint8Array };

/** Screenshots by id, each seen by its own principal alone. When full, the oldest pictures go first. */
export class ScreenshotStore {
  readonly memoryBytes: number;
  readonly keepMs: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Screenshot>();
  /** How many entries share the same memory: unchanged screens are kept once. */
  readonly #users = new Map<Uint8Array, number>();
  readonly #heldBy = new Map<string, number>();
  /** When the pictures that are held are forgotten, by their id and in that order. */
  readonly #ends = new Map<string, number>();
  #cancelEnd: (() => void) | null = null;
  #heldBytes = 0;

  constructor(clock: Clock, { memoryBytes, keepMs } = KEPT) {
    this.#clock = clock;
    this.memoryBytes = memoryBytes;
    this.keepMs = keepMs;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Pictures that wait for the end of their time. */
  get awaited(): number {
    return this.#ends.size;
  }

  add(input: NewScreenshot): Screenshot {
    // No picture was sent: nothing changed, or only parts of it were.
    const isKept = input.bytes.byteLength > 0 && this.keepMs > 0;
    const bytes = isKept ? this.#share(input) : null;
    const entry: Screenshot = { ...input, bytes, id: randomUUID() };
    this.#entries.set(entry.id, entry);
    if (bytes !== null) {
      this.#hold(entry, bytes);
      this.#ends.set(entry.id, this.#clock.nowMs() + this.keepMs);
      this.#awaitEnd();
    }
    this.#makeRoom(input.principalId);
    return this.#entries.get(entry.id) ?? entry;
  }

  /** Throws RefusedError not_found for what is not there, or not the principal's. */
  get(id: string, principalId: string): Screenshot {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.principalId !== principalId) {
      throw new RefusedError("not_found", "no such screenshot: it is not yours, or was forgotten since");
    }
    return entry;
  }

  /** As `get`, but the picture itself; throws RefusedError not_found where it was pushed out. */
  bytesOf(id: string, principalId: string): Uint8Array {
    const { bytes } = this.get(id, principalId);
    if (bytes === null) {
      throw new RefusedError("not_found", "the picture of that screenshot was pushed out or is too old");
    }
    return bytes;
  }

  /** The newest screen that a principal saw of a desktop, or that `computer` gave them; null for none. */
  latest(principalId: string, desktopId: string, role: "any" | "computer" = "any"): Screenshot | null {
    const ofDesktop = this.recent(principalId).filter((entry) => entry.desktopId === desktopId);
    const isWanted = ({ role: of }: Screenshot): boolean =>
      of === "computer" || (role === "any" && of === "screen");
    return ofDesktop.find(isWanted) ?? null;
  }

  /** Newest first. */
  recent(principalId: string): readonly Screenshot[] {
    return [...this.#entries.values()].filter((entry) => entry.principalId === principalId).reverse();
  }

  /** Nothing is kept any more. */
  close(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = null;
    for (const entry of [...this.#entries.values()]) this.#drop(entry);
  }

  #awaitEnd(): void {
    const [first] = this.#ends.values();
    if (first === undefined || this.#cancelEnd !== null) return;
    const forget = (): void => {
      this.#cancelEnd = null;
      const nowMs = this.#clock.nowMs();
      for (const [id, atMs] of this.#ends) {
        if (atMs > nowMs) break;
        this.#dropPicture({ id });
      }
      this.#awaitEnd();
    };
    const leftMs = Math.max(0, first - this.#clock.nowMs());
    this.#cancelEnd = this.#clock.after(leftMs, forget, { isIdle: true });
  }

  /** The same memory where the principal's newest screenshot of the desktop has the same bytes. */
  #share({ principalId, desktopId, generation, bytes }: NewScreenshot): Uint8Array {
    const newest = this.recent(principalId).find((entry) => entry.desktopId === desktopId);
    const known = newest?.bytes ?? null;
    if (known === null || newest?.generation !== generation || known.length !== bytes.length) return bytes;
    return Buffer.compare(known, bytes) === 0 ? known : bytes;
  }

  #hold({ principalId }: Screenshot, bytes: Uint8Array): void {
    const users = this.#users.get(bytes) ?? 0;
    if (users === 0) this.#count(principalId, bytes.byteLength);
    this.#users.set(bytes, users + 1);
  }

  #release({ id, principalId, bytes }: Screenshot): void {
    if (bytes === null) return;
    this.#ends.delete(id);
    const users = (this.#users.get(bytes) ?? 1) - 1;
    if (users > 0) {
      this.#users.set(bytes, users);
      return;
    }
    this.#users.delete(bytes);
    this.#count(principalId, -bytes.byteLength);
  }

  #count(principalId: string, bytes: number): void {
    this.#heldBytes += bytes;
    const held = (this.#heldBy.get(principalId) ?? 0) + bytes;
    if (held === 0) this.#heldBy.delete(principalId);
    else this.#heldBy.set(principalId, held);
  }

  #makeRoom(principalId: string): void {
    const own = [...this.#entries.values()].filter((entry) => entry.principalId === principalId);
    for (const entry of own.slice(0, Math.max(0, own.length - MAX_ENTRIES_A_PRINCIPAL))) this.#drop(entry);
    const timed = own.filter(({ role }) => role === "timed");
    for (const entry of timed.slice(0, Math.max(0, timed.length - MAX_TIMED))) this.#drop(entry);
    for (const entry of [...this.#entries.values()]) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#drop(entry);
    }
    for (const entry of own) {
      if ((this.#heldBy.get(principalId) ?? 0) <= this.memoryBytes * SHARE_OF_ONE) break;
      this.#dropPicture(entry);
    }
    for (const entry of this.#entries.values()) {
      if (this.#heldBytes <= this.memoryBytes) break;
      this.#dropPicture(entry);
    }
  }

  /** Its place on the desktop stays. */
  #dropPicture({ id }: Pick<Screenshot, "id">): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#release(entry);
    this.#entries.set(id, { ...entry, bytes: null });
  }

  /** Nothing where it is gone already. */
  #drop({ id }: Pick<Screenshot, "id">): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#release(entry);
    this.#entries.delete(id);
  }
}

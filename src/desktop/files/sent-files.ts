import { randomUUID } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { FilesEvent } from "../../protocols/rdp/files/file-messages.ts";
import { RefusedError } from "../error.ts";
import type { Link } from "../link.ts";
import { sentName } from "./file-name.ts";
import { checkDisk, HeldFile } from "./held-file.ts";

/** At once, and together. */
const MOST_SENT_FILES = 100;
const MOST_SENT_BYTES = 2 * 1024 ** 3;
/** Of one desktop: the newest, the one before, which the desktop may still be reading, and those that come in. */
const MOST_SENDINGS = 4;
/** What neither comes in nor is read for so long is let go of. */
const IDLE_MS = 60 * 60_000;

/** Files that a person sends to a desktop. */
export interface Sending {
  readonly id: string;
  readonly ownerId: string;
  /** Under which the desktop is offered them; null while they come in. */
  offer: number | null;
  readonly files: readonly HeldFile[];
  usedAtMs: number;
}

interface SentFilesPorts {
  readonly clock: Clock;
  /** Where they lie meanwhile; absent: none can be sent. */
  readonly folder: string | undefined;
  link(): Pick<Link, "files"> | null;
  isAble(): boolean;
}

/**
 * Files on their way to one desktop: they come in part by part and lie on the disk, under no name, until the desktop
 * has read them. It reads them when somebody pastes them there, in whatever order it likes.
 */
export class SentFiles {
  readonly #ports: SentFilesPorts;
  readonly #all = new Map<string, Sending>();
  #nextOffer = 1;
  #isClosed = false;
  #cancelSweep: (() => void) | null = null;

  constructor(ports: SentFilesPorts) {
    this.#ports = ports;
  }

  /** Of one person, the oldest first. */
  of(ownerId: string): readonly Sending[] {
    return [...this.#all.values()].filter((sending) => sending.ownerId === ownerId);
  }

  /**
   * Somebody is going to send these. Throws RefusedError invalid_parameters, too_many, not_supported, before anything
   * of them is taken.
   */
  async begin(
    files: readonly { readonly name: string; readonly size: number }[],
    ownerId: string,
  ): Promise<Sending> {
    const { folder, clock } = this.#ports;
    if (folder === undefined || !this.#ports.isAble()) {
      throw new RefusedError("not_supported", "files cannot be sent to this desktop as it is connected now");
    }
    const named = files.map(({ name, size }) => ({ name: sentName(name), size }));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (files.length === 0 || files.length > MOST_SENT_FILES || bytes > MOST_SENT_BYTES) {
      throw new RefusedError(
        "invalid_parameters",
        `got ${files.length} files of ${bytes} bytes, expected 1 to ${MOST_SENT_FILES} of at most ${MOST_SENT_BYTES} together`,
      );
    }
    this.#checkRoom();
    await checkDisk(folder, bytes);
    const held: HeldFile[] = [];
    try {
      for (const { name, size } of named) held.push(await HeldFile.open(folder, name, size));
      // Others may have begun meanwhile.
      this.#checkRoom();
    } catch (error) {
      for (const file of held) file.close();
      throw error;
    }
    const sending: Sending = {
      ...{ id: randomUUID(), ownerId, offer: null, files: held, usedAtMs: clock.nowMs() },
    };
    this.#all.set(sending.id, sending);
    this.#offerWhole(sending);
    this.#cancelSweep ??= clock.after(IDLE_MS, () => this.#sweep());
    return sending;
  }

  /** Takes the next part of a file; once all of all files are here the desktop is offered them. Throws RefusedError. */
  async write(
    id: string,
    index: number,
    { ownerId, offset, parts }: { ownerId: string; offset: number; parts: AsyncIterable<Uint8Array> },
  ): Promise<Sending> {
    const sending = this.#find(id, ownerId);
    const file = sending.files[index];
    if (file === undefined) {
      throw new RefusedError("not_found", `got file ${index} of ${sending.files.length}, counted from 0`);
    }
    await file.write(offset, parts);
    sending.usedAtMs = this.#ports.clock.nowMs();
    if (this.#all.has(id)) this.#offerWhole(sending);
    return sending;
  }

  /** Takes them back, wherever they are; what the desktop has read it has. */
  cancel(id: string, ownerId: string): void {
    const sending = this.#all.get(id);
    if (sending?.ownerId !== ownerId) return;
    const isNewest = sending.offer !== null && sending.offer === this.#newest?.offer;
    this.#drop(sending);
    if (isNewest) this.#ports.link()?.files?.({ kind: "offer", offer: 0, files: [] });
  }

  /** The desktop is connected anew: what was offered before is offered again. */
  reoffer(): void {
    const newest = this.#newest;
    if (newest === undefined) return;
    try {
      this.#offer(newest);
    } catch {
      // Another node of a fleet has the desktop: it is not for this one to offer anything.
    }
  }

  /** The desktop wants bytes. */
  give({ id, offer, index, offset, bytes }: Extract<FilesEvent, { kind: "wanted" }>): void {
    const link = this.#ports.link();
    const sending = [...this.#all.values()].find((one) => one.offer === offer);
    const reply = (given: Uint8Array | null): void => link?.files?.({ kind: "give", id, bytes: given });
    const file = sending?.files[index];
    if (sending === undefined || file === undefined) {
      reply(null);
      return;
    }
    sending.usedAtMs = this.#ports.clock.nowMs();
    file.read(offset, bytes).then(reply, () => reply(null));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSweep?.();
    for (const sending of [...this.#all.values()]) this.#drop(sending);
  }

  get #newest(): Sending | undefined {
    return [...this.#all.values()]
      .filter(({ offer }) => offer !== null)
      .toSorted((a, b) => (a.offer ?? 0) - (b.offer ?? 0))
      .at(-1);
  }

  #find(id: string, ownerId: string): Sending {
    const sending = this.#all.get(id);
    if (sending?.ownerId === ownerId) return sending;
    throw new RefusedError("not_found", "these files are not being sent: begin again");
  }

  #checkRoom(): void {
    if (this.#isClosed) throw new RefusedError("cancelled", "the desktop was removed");
    if (this.#all.size < MOST_SENDINGS) return;
    throw new RefusedError(
      "too_many",
      `files are being sent to this desktop ${this.#all.size} times: wait, or take some back`,
    );
  }

  #offerWhole(sending: Sending): void {
    if (sending.offer !== null || sending.files.some(({ received, size }) => received < size)) return;
    sending.offer = this.#nextOffer++;
    this.#offer(sending);
    // Two that were offered: the newest, and the one before.
    const offered = [...this.#all.values()].filter(({ offer }) => offer !== null);
    for (const old of offered.toSorted((a, b) => (a.offer ?? 0) - (b.offer ?? 0)).slice(0, -2))
      this.#drop(old);
  }

  #offer({ offer, files }: Sending): void {
    const list = files.map(({ name, size }) => ({ name, size }));
    this.#ports.link()?.files?.({ kind: "offer", offer: offer ?? 0, files: list });
  }

  #drop(sending: Sending): void {
    this.#all.delete(sending.id);
    for (const file of sending.files) file.close();
  }

  #sweep(): void {
    const { clock } = this.#ports;
    for (const sending of [...this.#all.values()]) {
      if (clock.nowMs() - sending.usedAtMs >= IDLE_MS) this.cancel(sending.id, sending.ownerId);
    }
    this.#cancelSweep = this.#all.size === 0 ? null : clock.after(IDLE_MS / 4, () => this.#sweep());
  }
}

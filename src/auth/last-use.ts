import * as z from "zod";
import type { Clock } from "../platform/clock.ts";
import { readPrivateFile, writePrivateFile } from "../platform/private-file.ts";

/** How often it is written at most. */
const WRITTEN_EVERY_MS = 60_000;

const fileSchema = z.record(z.string(), z.iso.datetime());

/** When things were used last, to the minute, kept in a file of the data directory: told to people, never relied on. */
export class LastUse {
  readonly #path: string;
  readonly #clock: Clock;
  /** What is not there any more is left out of the file. */
  readonly #isKept: (id: string) => boolean;
  readonly #used: Map<string, string>;
  #writtenAtMs: number;
  #isDirty = false;
  #writes: Promise<void> = Promise.resolve();

  private constructor(
    path: string,
    clock: Clock,
    isKept: (id: string) => boolean,
    used: Readonly<Record<string, string>>,
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#isKept = isKept;
    this.#used = new Map(Object.entries(used));
    this.#writtenAtMs = clock.nowMs();
  }

  /** A file that cannot be understood is as none: it is never worth refusing to start. */
  static async open(
    path: string,
    clock: Clock,
    isKept: (id: string) => boolean = () => true,
  ): Promise<LastUse> {
    const used = fileSchema.safeParse(parseJson((await readPrivateFile(path)) ?? "{}"));
    return new LastUse(path, clock, isKept, used.data ?? {});
  }

  /** ISO 8601; null for never. */
  at(id: string): string | null {
    return this.#used.get(id) ?? null;
  }

  mark(id: string): void {
    const minute = `${this.#clock.date().toISOString().slice(0, 16)}:00.000Z`;
    if (this.#used.get(id) === minute) return;
    this.#used.set(id, minute);
    this.#isDirty = true;
    if (this.#clock.nowMs() - this.#writtenAtMs >= WRITTEN_EVERY_MS) this.#write();
  }

  forget(id: string): void {
    if (this.#used.delete(id)) this.#isDirty = true;
  }

  /** Writes what is not written yet, and waits for it. */
  async close(): Promise<void> {
    this.#write();
    await this.#writes;
  }

  #write(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#writtenAtMs = this.#clock.nowMs();
    const used = [...this.#used].filter(([id]) => this.#isKept(id));
    const text = `${JSON.stringify(Object.fromEntries(used))}\n`;
    // A full disk must not keep anybody from signing in.
    this.#writes = this.#writes.then(() => writePrivateFile(this.#path, text)).catch(() => undefined);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { Clock } from "../../platform/clock.ts";
import type { RecordingsFace } from "../library/recording-types.ts";
import type { RecordingReader } from "./reader.ts";

/** Open at once; the one that was not used for longest goes. */
const MOST_OPEN = 8;
/** A person who scrubs asks many times a second; a file is closed when it was not read for so long. */
const IDLE_MS = 30_000;

interface Held {
  readonly reader: Promise<RecordingReader>;
  users: number;
  cancelIdle: () => void;
  /** Closed as soon as its last reader is done. */
  isLeaving: boolean;
}

/** Recordings that are read again and again, opened once. */
export class OpenReaders {
  readonly #recordings: Pick<RecordingsFace, "open" | "on">;
  readonly #clock: Pick<Clock, "after">;
  /** In order of use. */
  readonly #held = new Map<string, Held>();
  readonly #stop: () => void;

  constructor(recordings: Pick<RecordingsFace, "open" | "on">, clock: Pick<Clock, "after">) {
    this.#recordings = recordings;
    this.#clock = clock;
    this.#stop = recordings.on((event) => {
      // A recording that ended is sealed: what is open of it does not know.
      if (event.type === "removed") this.#leave(event.id);
      else if (event.type === "stopped") this.#leave(event.recording.id);
    });
  }

  /** Runs something with a reader, which stays open until it is done. Rejects as `open` does. */
  async use<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    const held = this.#hold(id);
    held.users += 1;
    try {
      return await run(await held.reader);
    } finally {
      held.users -= 1;
      this.#release(id, held);
    }
  }

  close(): void {
    this.#stop();
    for (const id of [...this.#held.keys()]) this.#leave(id);
  }

  #hold(id: string): Held {
    const known = this.#held.get(id);
    if (known !== undefined) {
      known.cancelIdle();
      this.#held.delete(id);
      this.#held.set(id, known);
      return known;
    }
    for (const oldest of this.#held.keys()) {
      if (this.#held.size < MOST_OPEN) break;
      this.#leave(oldest);
    }
    const reader = this.#recordings.open(id);
    const held: Held = { reader, users: 0, cancelIdle: () => {}, isLeaving: false };
    this.#held.set(id, held);
    // One that could not be opened is tried anew by whoever asks next; the asker hears of it.
    reader.catch(() => {
      if (this.#held.get(id) === held) this.#held.delete(id);
    });
    return held;
  }

  #release(id: string, held: Held): void {
    if (held.users > 0) return;
    if (held.isLeaving) {
      end(held);
      return;
    }
    if (this.#held.get(id) !== held) return;
    held.cancelIdle();
    held.cancelIdle = this.#clock.after(IDLE_MS, () => this.#leave(id));
  }

  #leave(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    held.cancelIdle();
    held.isLeaving = true;
    if (held.users === 0) end(held);
  }
}

function end({ reader }: Held): void {
  // Nobody waits for it, and a file that was only read loses nothing.
  reader.then((open) => open.close()).catch(() => {});
}

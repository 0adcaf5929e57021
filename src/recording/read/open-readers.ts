import type { Clock } from "../../platform/clock.ts";
import type { RecordingsEvent } from "../library/recording-types.ts";
import type { RecordingReader } from "./reader.ts";

/** Open at once; the one that was not used for longest goes. */
const MOST_OPEN = 8;
/** A person who scrubs asks many times a second; a file is closed when it was not read for so long. */
const IDLE_MS = 30_000;

/** What is opened; a recording by itself, or as a whole: see WholesFace. */
export interface ReadRecordings {
  open(id: string): Promise<RecordingReader>;
  /** All ids of what is opened for one, with whatever else tells that another reader is to be opened; default the id alone. */
  keyOf?(id: string): string;
  on(listener: (event: RecordingsEvent) => void): () => void;
}

interface Held {
  readonly reader: Promise<RecordingReader>;
  users: number;
  cancelIdle: () => void;
  /** Closed as soon as its last reader is done. */
  isLeaving: boolean;
}

/** Recordings that are read again and again, opened once. */
export class OpenReaders {
  readonly #recordings: ReadRecordings;
  readonly #clock: Pick<Clock, "after">;
  /** By their keys, in order of use. */
  readonly #held = new Map<string, Held>();
  readonly #stop: () => void;

  constructor(recordings: ReadRecordings, clock: Pick<Clock, "after">) {
    this.#recordings = recordings;
    this.#clock = clock;
    this.#stop = recordings.on((event) => {
      // A recording that ended is sealed: what is open of it does not know.
      if (event.type === "removed") this.#leaveAll(event.id);
      else if (event.type === "stopped") this.#leaveAll(event.recording.id);
    });
  }

  /** Runs something with a reader, which stays open until it is done. Rejects as `open` does. */
  async use<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    const key = this.#recordings.keyOf?.(id) ?? id;
    const held = this.#hold(id, key);
    held.users += 1;
    let isStale = false;
    try {
      const reader = await held.reader;
      try {
        return await run(reader);
      } finally {
        isStale = reader.isStale === true;
      }
    } finally {
      held.users -= 1;
      if (isStale && this.#held.get(key) === held) this.#leave(key);
      else this.#release(key, held);
    }
  }

  close(): void {
    this.#stop();
    for (const key of [...this.#held.keys()]) this.#leave(key);
  }

  #hold(id: string, key: string): Held {
    const known = this.#held.get(key);
    if (known !== undefined) {
      known.cancelIdle();
      this.#held.delete(key);
      this.#held.set(key, known);
      return known;
    }
    for (const oldest of this.#held.keys()) {
      if (this.#held.size < MOST_OPEN) break;
      this.#leave(oldest);
    }
    const reader = this.#recordings.open(id);
    const held: Held = { reader, users: 0, cancelIdle: () => {}, isLeaving: false };
    this.#held.set(key, held);
    // One that could not be opened is tried anew by whoever asks next; the asker hears of it.
    reader.catch(() => {
      if (this.#held.get(key) === held) this.#held.delete(key);
    });
    return held;
  }

  #release(key: string, held: Held): void {
    if (held.users > 0) return;
    if (held.isLeaving) {
      end(held);
      return;
    }
    if (this.#held.get(key) !== held) return;
    held.cancelIdle();
    held.cancelIdle = this.#clock.after(IDLE_MS, () => this.#leave(key));
  }

  /** All that have a recording in them. */
  #leaveAll(id: string): void {
    for (const key of [...this.#held.keys()]) if (key.split(" ").includes(id)) this.#leave(key);
  }

  #leave(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.cancelIdle();
    held.isLeaving = true;
    if (held.users === 0) end(held);
  }
}

function end({ reader }: Held): void {
  // Nobody waits for it, and a file that was only read loses nothing.
  reader.then((open) => open.close()).catch(() => {});
}

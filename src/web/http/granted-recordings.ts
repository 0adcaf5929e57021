import { reaches } from "../../auth/granted-desktops.ts";
import type { Principal } from "../../auth/principal.ts";
import type { RecordingNote } from "../../recording/library/recording-notes.ts";
import type {
  FoundInRecordings,
  PartsAround,
  RecordingReader,
  RecordingSummary,
  RecordingsFace,
} from "../../recording/library/recording-types.ts";
import { noSuchRecording } from "../../recording/library/refused.ts";
import type { OpenReaders } from "../../recording/read/open-readers.ts";
import type { WebDesktops } from "./ports.ts";

/** The recordings of a caller's desktops; those of others are answered as if they were not there. */
export class RecordingsOfCaller
  implements Omit<RecordingsFace, "on" | "runningOn" | "bookmark" | "searchAll" | "notes">
{
  readonly #recordings: RecordingsFace;
  readonly #readers: Pick<OpenReaders, "use">;
  readonly #desktops: Pick<WebDesktops, "get">;
  readonly #principal: Principal;

  /** `desktops`: the caller's. */
  constructor(
    house: { readonly recordings: RecordingsFace; readonly readers: Pick<OpenReaders, "use"> },
    desktops: Pick<WebDesktops, "get">,
    principal: Principal,
  ) {
    this.#recordings = house.recordings;
    this.#readers = house.readers;
    this.#desktops = desktops;
    this.#principal = principal;
  }

  async list(): Promise<readonly RecordingSummary[]> {
    return (await this.#recordings.list()).filter((recording) => this.#isTold(recording));
  }

  async get(id: string): Promise<RecordingSummary> {
    const recording = await this.#recordings.get(id);
    if (!this.#isTold(recording)) throw noSuchRecording();
    return recording;
  }

  async searchAll(query: string, limit: number): Promise<FoundInRecordings> {
    return this.#recordings.searchAll(query, {
      reach: (recording) => (this.#isTold(recording) ? "all" : "none"),
      limit,
    });
  }

  async start(...[desktopId, options]: Parameters<RecordingsFace["start"]>): Promise<RecordingSummary> {
    return this.#recordings.start(this.#desktops.get(desktopId).id, options);
  }

  async open(id: string): Promise<RecordingReader> {
    await this.#check(id);
    return this.#recordings.open(id);
  }

  async stop(...args: Parameters<RecordingsFace["stop"]>): Promise<RecordingSummary> {
    await this.#check(args[0]);
    return this.#recordings.stop(...args);
  }

  async remove(...args: Parameters<RecordingsFace["remove"]>): Promise<void> {
    await this.#check(args[0]);
    return this.#recordings.remove(...args);
  }

  /** Of one that the caller was told of. */
  noteOf({ id }: RecordingSummary): RecordingNote {
    return this.#recordings.notes.get(id);
  }

  /** Of one that the caller was told of. */
  around(recording: RecordingSummary): PartsAround {
    return this.#recordings.around(recording);
  }

  /** The notes of a recording, to be changed. Rejects with RefusedError not_found. */
  async notesOf(id: string): Promise<RecordingsFace["notes"]> {
    await this.get(id);
    return this.#recordings.notes;
  }

  async verify(id: string): ReturnType<RecordingsFace["verify"]> {
    await this.#check(id);
    return this.#recordings.verify(id);
  }

  async bookmark(...args: Parameters<RecordingsFace["bookmark"]>): Promise<void> {
    await this.#check(args[0]);
    this.#recordings.bookmark(...args);
  }

  /** Runs something with a recording that stays open meanwhile. Rejects as `open` does. */
  async use<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    await this.#check(id);
    return this.#readers.use(id, run);
  }

  async #check(id: string): Promise<void> {
    if (this.#principal.desktops !== undefined) await this.get(id);
  }

  #isTold({ desktopId }: RecordingSummary): boolean {
    return reaches(this.#principal, desktopId);
  }
}

import { reaches } from "../../auth/granted-desktops.ts";
import type { Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { RecordingNote } from "../../recording/library/recording-notes.ts";
import type {
  FoundInRecordings,
  PartsAround,
  RecordingReader,
  RecordingSummary,
  RecordingsFace,
  WholesFace,
} from "../../recording/library/recording-types.ts";
import { noSuchRecording } from "../../recording/library/refused.ts";
import type { OpenReaders } from "../../recording/read/open-readers.ts";
import type { WebDesktops } from "./ports.ts";

/** Recordings that are open, as wholes and each by itself. */
interface Readers {
  readonly wholes: Pick<OpenReaders, "use">;
  readonly parts: Pick<OpenReaders, "use">;
}

/**
 * The recordings of a caller's desktops, each with all its parts whichever of them is named; those of others are answered as if
 * they were not there. All parts of one are of one desktop.
 */
export class RecordingsOfCaller
  implements Pick<RecordingsFace, "list" | "get" | "start" | "open" | "stop" | "remove" | "verify">
{
  readonly #recordings: RecordingsFace;
  readonly #readers: Readers;
  readonly #desktops: Pick<WebDesktops, "get">;
  readonly #principal: Principal;

  /** `desktops`: the caller's. */
  constructor(
    house: { readonly recordings: RecordingsFace; readonly readers: Readers },
    desktops: Pick<WebDesktops, "get">,
    principal: Principal,
  ) {
    this.#recordings = house.recordings;
    this.#readers = house.readers;
    this.#desktops = desktops;
    this.#principal = principal;
  }

  /** Each part by itself. */
  async list(): Promise<readonly RecordingSummary[]> {
    return (await this.#recordings.list()).filter((recording) => this.#isTold(recording));
  }

  async get(id: string): Promise<RecordingSummary> {
    const recording = await this.#recordings.wholes.get(id);
    if (!this.#isTold(recording)) throw noSuchRecording();
    return recording;
  }

  async searchAll(query: string, limit: number): Promise<FoundInRecordings> {
    const found = await this.#recordings.searchAll(query, {
      reach: (recording) => (this.#isTold(recording) ? "all" : "none"),
      limit,
    });
    return this.#recordings.wholes.placed(found);
  }

  async start(...[desktopId, options]: Parameters<RecordingsFace["start"]>): Promise<RecordingSummary> {
    return this.#recordings.start(this.#desktops.get(desktopId).id, options);
  }

  async open(id: string): Promise<RecordingReader> {
    await this.#check(id);
    return this.#recordings.wholes.open(id);
  }

  async stop(...[id, by]: Parameters<RecordingsFace["stop"]>): Promise<RecordingSummary> {
    return this.#recordings.stop(await this.#lastOf(id), by);
  }

  async remove(...args: Parameters<RecordingsFace["remove"]>): Promise<void> {
    await this.#check(args[0]);
    return this.#recordings.wholes.remove(...args);
  }

  /** Of one that the caller was told of. */
  noteOf(recording: RecordingSummary): Promise<RecordingNote> {
    return this.#recordings.wholes.noteOf(recording);
  }

  /** Of one that the caller was told of. */
  around(recording: RecordingSummary): PartsAround {
    return this.#recordings.around(recording);
  }

  /** The notes of a recording, to be changed. Rejects with RefusedError not_found. */
  async notesOf(id: string): Promise<Pick<WholesFace, "change" | "mark" | "unmark">> {
    await this.get(id);
    return this.#recordings.wholes;
  }

  async verify(id: string): ReturnType<RecordingsFace["verify"]> {
    await this.#check(id);
    return this.#recordings.wholes.verify(id);
  }

  async bookmark(...[id, label, by]: Parameters<RecordingsFace["bookmark"]>): Promise<void> {
    this.#recordings.bookmark(await this.#lastOf(id), label, by);
  }

  /** Runs something with a recording that stays open meanwhile. Rejects as `open` does. */
  async use<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    await this.#check(id);
    return this.#readers.wholes.use(id, run);
  }

  /** As `use`, of a part by itself that is here. */
  async usePart<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    if (!this.#isTold(await this.#recordings.get(id))) throw noSuchRecording();
    return this.#readers.parts.use(id, run);
  }

  /** The part that may run, which is here. */
  async #lastOf(id: string): Promise<string> {
    const last = await this.#recordings.get(this.#recordings.wholes.lastOf(id)?.id ?? id);
    if (!this.#isTold(last)) throw noSuchRecording();
    return last.id;
  }

  async #check(id: string): Promise<void> {
    if (this.#principal.desktops === undefined) return;
    const here = await this.#recordings.get(id).catch((error: unknown) => {
      if (error instanceof RefusedError && error.code === "not_found") return null;
      throw error;
    });
    if (here === null) await this.get(id);
    else if (!this.#isTold(here)) throw noSuchRecording();
  }

  #isTold({ desktopId }: RecordingSummary): boolean {
    return reaches(this.#principal, desktopId);
  }
}

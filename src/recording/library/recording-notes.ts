import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { JsonFile } from "../../platform/json-file.ts";

const MOST_NOTED = 10_000;
const MOST_MARKERS = 500;
/** Of all notes together: the file is written anew with each change. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

const NAME_LENGTH = 200;
const TEXT_LENGTH = 4000;
const LABEL_LENGTH = 200;

const markerSchema = z.strictObject({
  id: z.string().max(100),
  at_ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  label: z.string().min(1).max(LABEL_LENGTH),
  by: z.string().max(512),
});
const noteSchema = z.strictObject({
  recording_id: z.string().min(1).max(200),
  name: z.string().min(1).max(NAME_LENGTH).nullable(),
  text: z.string().min(1).max(TEXT_LENGTH).nullable(),
  markers: z.array(markerSchema).max(MOST_MARKERS),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  notes: z.array(noteSchema).max(MOST_NOTED),
});

type NotesFile = z.infer<typeof fileSchema>;

/** A moment that somebody marked after it was recorded. */
export interface AddedMarker {
  readonly id: string;
  /** Since the recording began. */
  readonly atMs: number;
  readonly label: string;
  /** The name of who set it. */
  readonly by: string;
}

/** What people wrote about a recording afterwards. */
export interface RecordingNote {
  /** In place of its desktop's name; null for none. */
  readonly name: string | null;
  readonly text: string | null;
  /** By time. */
  readonly markers: readonly AddedMarker[];
}

const NOTHING: RecordingNote = { name: null, text: null, markers: [] };

/**
 * Names, notes and markers of recordings, in `recording-notes.json` of the data folder: beside what is sealed, which stays as
 * it was recorded. A change that cannot be written is not made.
 */
export class RecordingNotes {
  readonly #save: (file: NotesFile) => Promise<void>;
  #notes: ReadonlyMap<string, RecordingNote>;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    save: (file: NotesFile) => Promise<void>,
    notes: ReadonlyMap<string, RecordingNote> = new Map(),
  ) {
    this.#save = save;
    this.#notes = notes;
  }

  /** Throws FileError where the file holds something else. */
  static async open(dataDir: string): Promise<RecordingNotes> {
    const file = new JsonFile(
      join(dataDir, "recording-notes.json"),
      "a file of notes on recordings",
      fileSchema,
    );
    const kept = (await file.read())?.notes ?? [];
    const notes = kept.map(({ recording_id, name, text, markers }): [string, RecordingNote] => [
      recording_id,
      { name, text, markers: markers.map(({ at_ms, ...marker }) => ({ ...marker, atMs: at_ms })) },
    ]);
    return new RecordingNotes((changed) => file.write(() => changed), new Map(notes));
  }

  get(id: string): RecordingNote {
    return this.#notes.get(id) ?? NOTHING;
  }

  /** Names a recording, or writes about it; null takes that away, what is left out stays. */
  change(id: string, { name, text }: { name?: string | null; text?: string | null }): Promise<RecordingNote> {
    return this.#change(id, (note) => ({
      ...note,
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { text }),
    }));
  }

  /** Throws RefusedError too_many. */
  async mark(id: string, marker: Omit<AddedMarker, "id">): Promise<AddedMarker> {
    const added = { ...marker, id: randomUUID() };
    await this.#change(id, (note) => {
      if (note.markers.length >= MOST_MARKERS) {
        throw new RefusedError(
          "too_many",
          `a recording has at most ${MOST_MARKERS} markers: remove some first`,
        );
      }
      return { ...note, markers: [...note.markers, added].sort((a, b) => a.atMs - b.atMs) };
    });
    return added;
  }

  /** Throws RefusedError not_found. */
  async unmark(id: string, markerId: string): Promise<void> {
    await this.#change(id, (note) => {
      const markers = note.markers.filter((marker) => marker.id !== markerId);
      if (markers.length === note.markers.length) {
        throw new RefusedError(
          "not_found",
          "no such marker, or one of the recording itself, which stays as it is",
        );
      }
      return { ...note, markers };
    });
  }

  /** Of a recording that was deleted. */
  async forget(id: string): Promise<void> {
    if (this.#notes.has(id)) await this.#change(id, () => NOTHING);
  }

  /** One change after the other: each is made to what the last one left. */
  #change(id: string, make: (note: RecordingNote) => RecordingNote): Promise<RecordingNote> {
    const change = async (): Promise<RecordingNote> => {
      const note = make(this.get(id));
      const notes = new Map(this.#notes);
      if (note.name === null && note.text === null && note.markers.length === 0) notes.delete(id);
      else notes.set(id, note);
      const kept = [...notes].map(([recording_id, { markers, ...words }]) => ({
        recording_id,
        ...words,
        markers: markers.map(({ atMs, ...marker }) => ({ ...marker, at_ms: atMs })),
      }));
      if (kept.length > MOST_NOTED || JSON.stringify(kept).length > MOST_CHARACTERS) {
        throw new RefusedError(
          "too_many",
          "there are too many notes on recordings: remove some, or delete recordings",
        );
      }
      await this.#save({ version: 1, notes: kept });
      this.#notes = notes;
      return note;
    };
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }
}

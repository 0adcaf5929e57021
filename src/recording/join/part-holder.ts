import type { Actor } from "../../desktop/control/action.ts";
import type { AddedMarker, RecordingNote } from "../library/recording-notes.ts";
import type { RecordingsFace, Verification } from "../library/recording-types.ts";
import type { AskPart } from "./far-part.ts";
import { markerSchema, noteSchema, readPartAnswer, verificationSchema } from "./part-asks.ts";

/** Who has a part, for all that is done with one but reading it. Times are of the part. */
export interface PartHolder {
  verify(): Promise<Verification>;
  note(): Promise<RecordingNote>;
  change(words: { readonly name?: string | null; readonly text?: string | null }): Promise<void>;
  mark(marker: Omit<AddedMarker, "id">): Promise<AddedMarker>;
  unmark(markerId: string): Promise<void>;
  remove(by: Actor): Promise<void>;
}

type Recordings = Pick<RecordingsFace, "notes" | "verify" | "remove">;

/** This node, or another one that is asked. */
export function partHolder(id: string, at: Recordings | AskPart): PartHolder {
  return typeof at === "function" ? farHolder(at) : nearHolder(id, at);
}

function nearHolder(id: string, recordings: Recordings): PartHolder {
  const { notes } = recordings;
  return {
    verify: () => recordings.verify(id),
    note: async () => notes.get(id),
    change: async (words) => void (await notes.change(id, words)),
    mark: (marker) => notes.mark(id, marker),
    unmark: (markerId) => notes.unmark(id, markerId),
    remove: (by) => recordings.remove(id, by),
  };
}

function farHolder(ask: AskPart): PartHolder {
  const resultOf = async (asked: Parameters<AskPart>[0]): Promise<unknown> =>
    readPartAnswer(await ask(asked)).result;
  return {
    verify: async () => verificationSchema.parse(await resultOf({ ask: "verify" })),
    note: async () => noteSchema.parse(await resultOf({ ask: "note" })),
    change: async (words) => void (await resultOf({ ask: "name", ...words })),
    mark: async ({ atMs, label, by }) =>
      markerSchema.parse(await resultOf({ ask: "mark", at_ms: atMs, label, by })),
    unmark: async (marker) => void (await resultOf({ ask: "unmark", marker })),
    remove: async ({ id, name }) => void (await resultOf({ ask: "remove", by: { id, name } })),
  };
}

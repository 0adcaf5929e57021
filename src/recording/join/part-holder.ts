import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { AddedMarker, RecordingNote } from "../library/recording-notes.ts";
import type { RecordingsFace, Verification } from "../library/recording-types.ts";
import type { AskPart } from "./far-part.ts";
import { markerSchema, noteSchema, readPartAnswer, verificationSchema } from "./part-asks.ts";

/** Who has a part, for all that is done with one but reading it. Times are of the part. */
export interface PartHolder {
  /** Its node is gone: it is read in the archive, and whatever would change it is refused. */
  readonly isGone: boolean;
  verify(): Promise<Verification>;
  note(): Promise<RecordingNote>;
  change(words: { readonly name?: string | null; readonly text?: string | null }): Promise<void>;
  mark(marker: Omit<AddedMarker, "id">): Promise<AddedMarker>;
  unmark(markerId: string): Promise<void>;
  remove(by: Actor): Promise<void>;
}

type Recordings = Pick<RecordingsFace, "notes" | "verify" | "remove">;

/** This node, or another one that is asked. `gone`: the node that made it, where this one reads it in that one's archive. */
export function partHolder(id: string, at: Recordings | AskPart, gone?: string): PartHolder {
  if (typeof at === "function") return farHolder(at);
  return gone === undefined ? nearHolder(id, at) : goneHolder(nearHolder(id, at), gone);
}

function goneHolder({ verify, note, remove }: PartHolder, node: string): PartHolder {
  const refused = async (): Promise<never> => {
    throw new RefusedError(
      "node_unreachable",
      `got a change of what node ${node} recorded, which is gone: its archive is only read, so try again when it is back`,
    );
  };
  return { isGone: true, verify, note, remove, change: refused, mark: refused, unmark: refused };
}

function nearHolder(id: string, recordings: Recordings): PartHolder {
  const { notes } = recordings;
  return {
    isGone: false,
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
    isGone: false,
    verify: async () => verificationSchema.parse(await resultOf({ ask: "verify" })),
    note: async () => noteSchema.parse(await resultOf({ ask: "note" })),
    change: async (words) => void (await resultOf({ ask: "name", ...words })),
    mark: async ({ atMs, label, by }) =>
      markerSchema.parse(await resultOf({ ask: "mark", at_ms: atMs, label, by })),
    unmark: async (marker) => void (await resultOf({ ask: "unmark", marker })),
    remove: async ({ id, name }) => void (await resultOf({ ask: "remove", by: { id, name } })),
  };
}

import { RefusedError } from "../../desktop/error.ts";
import type { JoinedPart } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { AddedMarker, RecordingNote } from "../library/recording-notes.ts";
import type { Verification } from "../library/recording-types.ts";
import type { PartHolder } from "./part-holder.ts";

type HolderOf = (part: JoinedPart) => Promise<PartHolder>;

const NOTHING: RecordingNote = { name: null, text: null, markers: [] };

/** The words of the first part that has any, and the markers of all, in the time of the whole. */
export async function noteOfWhole(parts: readonly JoinedPart[], of: HolderOf): Promise<RecordingNote> {
  const notes = await Promise.all(
    parts.map(async (part) => {
      const note = part.problem === null ? await reached(async () => (await of(part)).note()) : null;
      const { markers, ...words } = note ?? NOTHING;
      return { ...words, markers: markers.map((one) => ({ ...one, atMs: one.atMs + part.fromMs })) };
    }),
  );
  return {
    name: notes.find(({ name }) => name !== null)?.name ?? null,
    text: notes.find(({ text }) => text !== null)?.text ?? null,
    markers: notes.flatMap(({ markers }) => markers),
  };
}

/** Throws RefusedError not_found where no part can be read. */
export async function changeWhole(
  parts: readonly JoinedPart[],
  words: Parameters<PartHolder["change"]>[0],
  of: HolderOf,
): Promise<void> {
  // Each has what was said of it: what is said now is the whole's.
  const there = await Promise.all(parts.filter(({ problem }) => problem === null).map(of));
  const [first, ...others] = there.filter(({ isGone }) => !isGone);
  if (first === undefined) throw nothingThere();
  await first.change(words);
  for (const holder of others) {
    const { name, text } = await holder.note();
    if (name !== null || text !== null) await holder.change(cleared(words));
  }
}

function cleared(words: Parameters<PartHolder["change"]>[0]): Parameters<PartHolder["change"]>[0] {
  return {
    ...(words.name === undefined ? {} : { name: null }),
    ...(words.text === undefined ? {} : { text: null }),
  };
}

/** Marks the part that has the moment; one in a gap the end of the part before it. */
export async function markWhole(
  parts: readonly JoinedPart[],
  marker: Omit<AddedMarker, "id">,
  of: HolderOf,
): Promise<AddedMarker> {
  const there = parts.filter(({ problem }) => problem === null);
  const part = there.findLast(({ fromMs }) => fromMs <= marker.atMs) ?? there[0];
  if (part === undefined) throw nothingThere();
  const atMs = Math.max(0, Math.min(marker.atMs, part.toMs) - part.fromMs);
  const marked = await (await of(part)).mark({ ...marker, atMs });
  return { ...marked, atMs: marked.atMs + part.fromMs };
}

/** Throws RefusedError not_found. */
export async function unmarkWhole(
  parts: readonly JoinedPart[],
  markerId: string,
  of: HolderOf,
): Promise<void> {
  const there = parts.filter(({ problem }) => problem === null);
  for (const part of there) {
    const holder = await of(part);
    const isIts = (await holder.note()).markers.some(({ id }) => id === markerId);
    if (isIts || part === there.at(-1)) return holder.unmark(markerId);
  }
  throw nothingThere();
}

const WORST = ["tampered", "unsealed", "sealed"] as const;

/** Each part by itself, one after the other; a part that is not there is named, and the whole is not proven. */
export async function verifyWhole(
  id: string,
  parts: readonly JoinedPart[],
  of: HolderOf,
): Promise<Verification> {
  const found: Verification[] = [];
  const problems: string[] = [];
  for (const part of parts) {
    const { problem: why = "it is not there" } = part;
    const one = await reached(async () => (await of(part)).verify());
    if (one !== null) found.push(one);
    if (one === null)
      problems.push(`part ${part.id} of node ${part.node} is missing: ${why ?? "it is not there"}`);
    else if (one.problem !== null) problems.push(`part ${part.id} of node ${part.node}: ${one.problem}`);
  }
  const worst = WORST.find((state) => found.some((one) => one.state === state)) ?? "unsealed";
  const sumOf = (of: (one: Verification) => number): number => found.reduce((sum, one) => sum + of(one), 0);
  return {
    id,
    state: worst === "sealed" && found.length < parts.length ? "unsealed" : worst,
    problem: problems.length === 0 ? null : problems.join("; "),
    intactBytes: sumOf(({ intactBytes }) => intactBytes),
    bytes: sumOf(({ bytes }) => bytes),
    blocks: sumOf(({ blocks }) => blocks),
  };
}

/** null: its node does not answer, or has it no more. */
async function reached<Result>(ask: () => Promise<Result>): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RefusedError || error instanceof RecordingError) return null;
    throw error;
  }
}

function nothingThere(): RefusedError {
  return new RefusedError(
    "not_found",
    "none of its parts can be reached: try again when their nodes are back",
  );
}

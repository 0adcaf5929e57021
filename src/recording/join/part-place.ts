import { RefusedError } from "../../desktop/error.ts";
import { RecordingError } from "../library/error.ts";
import { LostPartError } from "../library/refused.ts";
import type { PictureChunk, RecordingReader } from "../read/reader.ts";
import type { OpenedPart } from "./opened-part.ts";
import { type LaidPart, lossOf } from "./part-layout.ts";

/** More than a part has ever: its own numbers are u32. */
const PART_CHUNKS = 2 ** 32;
/** Of the numbers of a part the one that no chunk has: it stands for all of the part while that cannot be read. */
const LOST_CHUNK = PART_CHUNKS - 1;

/** A part in its place, with the numbers of its chunks. */
export interface Place extends LaidPart {
  readonly firstChunk: number;
  readonly chunks: number;
}

/** One that can be read. */
export interface ReadPlace extends Place {
  readonly reader: RecordingReader;
}

/**
 * Numbers by where a part comes, seen from the one that was named: neither what can be read nor how far back the chain is known changes
 * them, and what goes on from a recording that was alone leaves that its own. `counts`: of each, how many chunks it has.
 */
export function placesOf(
  laid: readonly LaidPart[],
  namedId: string,
  counts: readonly number[],
): readonly Place[] {
  const named = laid.findIndex(({ part }) => part.id === namedId);
  return laid.map((one, nth) => ({
    ...one,
    firstChunk: (nth - named) * PART_CHUNKS,
    chunks: counts[nth] ?? 0,
  }));
}

export function isLost({ part }: Place): boolean {
  return part.reader === null;
}

/** Where a chunk is, and its number there. Throws RecordingError damaged; RefusedError invalid_parameters. */
export function ownChunk(
  places: readonly Place[],
  index: number,
): { readonly place: Place; readonly own: number } {
  const place = places.findLast(({ firstChunk }) => firstChunk <= index);
  const own = index - (place?.firstChunk ?? 0);
  if (place !== undefined && (own < place.chunks || (isLost(place) && own <= LOST_CHUNK)))
    return { place, own };
  if (place !== undefined && own === LOST_CHUNK) {
    const { node } = place.part;
    throw new RefusedError(
      "invalid_parameters",
      `got chunk ${index}, which stood for what node ${node} recorded while that could not be read: ask for the chunks anew`,
    );
  }
  throw new RecordingError("damaged", `there is no chunk ${index} of pictures`);
}

/** All that a part has, while it cannot be read: until the next one begins. */
export function lostChunk(lost: Place, places: readonly Place[]): PictureChunk {
  const { firstChunk, fromMs, toMs } = lost;
  const next = places.find((place) => place.firstChunk > firstChunk);
  return {
    ...{ index: firstChunk + LOST_CHUNK, isKey: true, fromMs, toMs: next?.fromMs ?? toMs },
    ...{ frames: 0, sizeBytes: 0, rawBytes: 0, changedPixels: 0 },
  };
}

/** A chunk of a part, in the whole. */
export function placed(chunk: PictureChunk, { fromMs, firstChunk }: Place): PictureChunk {
  return {
    ...chunk,
    index: chunk.index + firstChunk,
    fromMs: chunk.fromMs + fromMs,
    toMs: chunk.toMs + fromMs,
  };
}

/** Times are of the part, the chunks of the whole. */
export async function chunksOf(
  place: ReadPlace,
  fromMs: number,
  toMs: number,
): Promise<readonly PictureChunk[]> {
  const { reader, chunks } = place;
  const found = await reader.chunks(Math.max(0, fromMs), toMs);
  return found.filter(({ index }) => index < chunks).map((chunk) => placed(chunk, place));
}

/** Where it lies does not answer; what is damaged is an error of its moment. */
export function isAway(error: unknown): error is Error {
  if (error instanceof RecordingError) return error.code === "unreachable";
  return error instanceof RefusedError && error.code === "node_unreachable";
}

export function cannotBeRead(part: OpenedPart, cause?: unknown): LostPartError {
  const code = part.isForbidden === true ? "permission_denied" : "node_unreachable";
  return new LostPartError(code, lossOf(part), { cause });
}

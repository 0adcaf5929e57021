import { RefusedError } from "../../desktop/error.ts";
import type { ActionEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { Step } from "../read/frame-seeker.ts";
import type {
  PictureChunk,
  PictureRun,
  RecordedFrame,
  RecordedText,
  RecordingReader,
  SearchHit,
} from "../read/reader.ts";
import type { OpenedPart } from "./opened-part.ts";
import { beginningOf, gapsOf, type LaidPart, layParts, summaryOfWhole } from "./part-layout.ts";
import { endOfPart, gapEntry, laterEntry } from "./seam.ts";
import { shiftedChunk } from "./shifted-chunk.ts";

const MOST_HITS = 200;
/** For a part of which nobody can say how many it has: more than it has ever, so that no number is told twice for two chunks. */
const UNKNOWN_CHUNKS = 2 ** 20;

/** A part that can be read, in its place. */
interface Place {
  readonly part: OpenedPart;
  readonly reader: RecordingReader;
  readonly fromMs: number;
  readonly toMs: number;
  /** How many chunks all before it have. */
  readonly firstChunk: number;
  readonly chunks: number;
}

/** What a part can be asked for, with the length and chunks that it had when it was opened: only the last one grows. */
interface Held {
  part: OpenedPart;
  readonly lengthMs: number;
  readonly chunks: number;
}

/**
 * Parts of one recording as one timeline, from the beginning of the first on. What lies between them, and parts that cannot be read,
 * are gaps that say why. INVARIANT: chunks are numbered through all parts that can be read, no number is of two chunks in whatever was opened
 * before or after, and pictures, entries and hits say the time of the whole.
 */
export class JoinedReader implements RecordingReader {
  readonly #id: string;
  readonly #parts: Held[];
  /** Of parts that ended: what ends with them, by id. */
  readonly #ends = new Map<string, Promise<readonly TrackEntry[]>>();
  #stepped: RecordingReader | null = null;
  #isStale = false;

  /** `id`: of the part by which it was asked for. `parts`: in order, one of them at least can be read; they are closed with this. */
  constructor(id: string, parts: readonly OpenedPart[]) {
    this.#id = id;
    this.#parts = parts.map((part) => ({
      part,
      lengthMs: part.reader?.summary.durationMs ?? 0,
      chunks: part.reader?.chunkCount ?? UNKNOWN_CHUNKS,
    }));
  }

  /** A part was lost since it was opened: what is opened anew may have it again. */
  get isStale(): boolean {
    return this.#isStale;
  }

  get summary(): RecordingSummary {
    const laid = this.#laid;
    const summaries = laid.flatMap(({ part }) => {
      const summary = part.reader?.summary ?? part.summary;
      return summary === null ? [] : [summary];
    });
    const [first] = laid;
    return {
      ...summaryOfWhole(this.#id, summaries, {
        startedMs: first === undefined ? null : beginningOf(first.part),
        durationMs: laid.at(-1)?.toMs ?? 0,
        gaps: gapsOf(laid).length,
      }),
      parts: laid.map(({ part: { id, node, problem }, fromMs, toMs }) => ({
        id,
        node,
        fromMs,
        toMs,
        problem,
      })),
    };
  }

  get chunkCount(): number {
    return this.#places.reduce((sum, { chunks }) => sum + chunks, 0);
  }

  frameAt(ms: number): Promise<RecordedFrame> {
    return this.#pictureAt(ms, async ({ reader, fromMs }, localMs) => {
      const frame = await reader.frameAt(localMs);
      return { atMs: frame.atMs, made: { ...frame, atMs: frame.atMs + fromMs } };
    });
  }

  async step<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    const [made] = await this.#pictureAt(ms, ({ reader, fromMs }, localMs, isAny) => {
      const isOther = this.#stepped !== reader;
      return reader.step(localMs, (step) => {
        const { atMs } = step.head;
        // A picture that comes later is shown only where there is none before it.
        const isTaken = isAny || atMs <= localMs;
        this.#stepped = isTaken ? reader : null;
        const head = { ...step.head, atMs: atMs + fromMs };
        const damage = isOther ? null : step.damage;
        return { atMs, made: isTaken ? ([use({ ...step, head, damage })] as const) : null };
      });
    }).then((taken) => taken ?? []);
    if (made === undefined) throw new RecordingError("no_picture", "the recording has no picture yet");
    return made;
  }

  async keyframes(): Promise<readonly number[]> {
    const all = await this.#ofAll(0, Number.POSITIVE_INFINITY, async ({ reader, fromMs }) =>
      (await reader.keyframes()).map((time) => time + fromMs),
    );
    return all.flat();
  }

  async frameTimes(fromMs: number, toMs: number): Promise<readonly number[]> {
    const all = await this.#ofAll(fromMs, toMs, async (place) => {
      const times = await place.reader.frameTimes(
        Math.max(0, fromMs - place.fromMs),
        Math.min(toMs, place.toMs) - place.fromMs,
      );
      return times.map((time) => time + place.fromMs);
    });
    return all.flat();
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    const all = await this.#ofAll(fromMs, toMs, (place) =>
      chunksOf(place, fromMs - place.fromMs, toMs - place.fromMs),
    );
    const chunks = all.flat();
    const begun = chunks[0]?.fromMs ?? Number.POSITIVE_INFINITY;
    if (begun <= fromMs) return chunks;
    // What is shown at its beginning is the last picture of a part before.
    const before = await this.#placeBefore(fromMs, async (place) => {
      const last = await chunksOf(place, place.toMs - place.fromMs, place.toMs - place.fromMs);
      return last.length === 0 ? null : last;
    });
    return [...(before ?? []), ...chunks];
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const place = this.#places.find(
      ({ firstChunk, chunks }) => index >= firstChunk && index < firstChunk + chunks,
    );
    if (place === undefined) {
      throw new RecordingError("damaged", `there is no chunk ${index} of pictures`);
    }
    return shiftedChunk(await place.reader.chunkBytes(index - place.firstChunk), true, place.fromMs);
  }

  async run(ms: number): Promise<PictureRun> {
    const { place, run } = await this.#pictureAt(ms, async (place, localMs) => {
      const run = await place.reader.run(localMs);
      const [first] = run.parts;
      if (first === undefined) throw new RecordingError("no_picture", "the part has no picture");
      return { atMs: first.chunk.fromMs, made: { place, run } };
    }).catch((error: unknown) => {
      if (error instanceof RecordingError && error.code === "no_picture") return { place: null, run: null };
      throw error;
    });
    if (place === null) return { parts: [], untilMs: null };
    const parts = await Promise.all(
      run.parts.map(async ({ chunk, isDeflated, bytes }) => ({
        chunk: placed(chunk, place),
        isDeflated,
        bytes: await shiftedChunk(bytes, isDeflated, place.fromMs),
      })),
    );
    const untilMs = run.untilMs === null ? await this.#nextPicture(place) : run.untilMs + place.fromMs;
    return { parts, untilMs };
  }

  async events(fromMs = 0, toMs = Number.POSITIVE_INFINITY): Promise<readonly TrackEntry[]> {
    const last = this.#places.at(-1)?.reader;
    const all = await this.#ofAll(fromMs, toMs, async (place) => {
      const { reader } = place;
      const isLast = reader === last;
      const untilMs = isLast ? toMs : Math.min(toMs, place.toMs);
      const entries = await reader.events(Math.max(0, fromMs - place.fromMs), untilMs - place.fromMs);
      const later = entries.map((entry) => laterEntry(entry, place.fromMs));
      const isOver = !isLast && place.toMs >= fromMs && place.toMs <= toMs;
      return isOver ? [...later, ...(await this.#endsOf(place))] : later;
    });
    // After the parts: one that is lost meanwhile is among them.
    const gaps = gapsOf(this.#laid).map(gapEntry);
    const own = gaps.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return [...all.flat(), ...own].sort((a, b) => a.atMs - b.atMs);
  }

  async actions(): Promise<readonly ActionEntry[]> {
    return (await this.events()).filter((entry) => entry.type === "action");
  }

  async search(query: string): Promise<readonly SearchHit[]> {
    const all = await this.#ofAll(0, Number.POSITIVE_INFINITY, async ({ reader, fromMs }) =>
      (await reader.search(query)).map((hit) => ({
        ...hit,
        entry: laterEntry(hit.entry, fromMs),
        atMs: hit.atMs + fromMs,
        untilMs: hit.untilMs === null ? null : hit.untilMs + fromMs,
      })),
    );
    return all.flat().slice(0, MOST_HITS);
  }

  async textAt(ms: number): Promise<RecordedText | null> {
    const place = this.#placeAt(ms);
    if (place === undefined) return null;
    const { fromMs } = place;
    const text = await this.#from(place, () => place.reader.textAt(Math.max(0, ms - fromMs)), null);
    if (text === null) return null;
    return {
      ...text,
      atMs: text.atMs + fromMs,
      untilMs: text.untilMs === null ? null : text.untilMs + fromMs,
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#parts.map(({ part }) => part.reader?.close()));
  }

  get #laid(): readonly LaidPart[] {
    const last = this.#parts.at(-1);
    const lengths = new Map(this.#parts.map(({ part, lengthMs }) => [part, lengthMs]));
    return layParts(
      this.#parts.map(({ part }) => part),
      (part) => (part === last?.part ? (part.reader?.summary.durationMs ?? 0) : (lengths.get(part) ?? 0)),
    );
  }

  /** Those that can be read. */
  get #places(): readonly Place[] {
    const laid = this.#laid;
    let firstChunk = 0;
    return this.#parts.flatMap(({ part, chunks: had }, nth) => {
      const { reader } = part;
      const isLast = nth === this.#parts.length - 1;
      const chunks = isLast ? (reader?.chunkCount ?? had) : had;
      const first = firstChunk;
      // Of one that is lost too: numbers that were told stay.
      firstChunk += chunks;
      const { fromMs = 0, toMs = 0 } = laid[nth] ?? {};
      return reader === null ? [] : [{ part, reader, fromMs, toMs, firstChunk: first, chunks }];
    });
  }

  /** The last that has begun by then, or the first of all. */
  #placeAt(ms: number): Place | undefined {
    const places = this.#places;
    return places.findLast(({ fromMs }) => fromMs <= ms) ?? places[0];
  }

  /**
   * What is made of the last picture by a moment, of whichever part it is; where there is none, of the first of all. `isAny`: what is
   * made of a later picture is taken too. Throws RecordingError no_picture.
   */
  async #pictureAt<Made>(
    ms: number,
    make: (
      place: Place,
      localMs: number,
      isAny: boolean,
    ) => Promise<{ readonly atMs: number; readonly made: Made }>,
  ): Promise<Made> {
    const places = this.#places;
    for (const place of places.filter(({ fromMs }) => fromMs <= ms).reverse()) {
      const localMs = Math.min(ms, place.toMs) - place.fromMs;
      const found = await this.#from(place, () => make(place, localMs, false), null);
      if (found !== null && found.atMs <= localMs) return found.made;
    }
    for (const place of places) {
      const found = await this.#from(place, () => make(place, 0, true), null);
      if (found !== null) return found.made;
    }
    throw new RecordingError("no_picture", "the recording has no picture yet");
  }

  /** The nearest part before a time of which something is found. */
  async #placeBefore<Found>(
    ms: number,
    find: (place: Place) => Promise<Found | null>,
  ): Promise<Found | null> {
    for (const place of this.#places.filter(({ toMs }) => toMs <= ms).reverse()) {
      const found = await this.#from(place, () => find(place), null);
      if (found !== null) return found;
    }
    return null;
  }

  /** When the first picture after a part was taken; null: there is none so far. */
  async #nextPicture({ part: { id } }: Place): Promise<number | null> {
    const places = this.#places;
    for (const place of places.slice(places.findIndex(({ part }) => part.id === id) + 1)) {
      const [first] = await this.#from(place, () => place.reader.chunks(0, 0), []);
      if (first !== undefined) return first.fromMs + place.fromMs;
    }
    return null;
  }

  async #ofAll<Found>(
    fromMs: number,
    toMs: number,
    find: (place: Place) => Promise<Found>,
  ): Promise<readonly Found[]> {
    const touched = this.#places.filter(
      (place, nth, all) => place.fromMs <= toMs && (place.toMs >= fromMs || nth === all.length - 1),
    );
    const found = await Promise.all(
      touched.map((place) => this.#from(place, async () => [await find(place)], [])),
    );
    return found.flat();
  }

  #endsOf({ part: { id }, reader, fromMs, toMs }: Place): Promise<readonly TrackEntry[]> {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const ends = reader.events(0, toMs - fromMs).then((entries) => endOfPart(entries, toMs));
    this.#ends.set(id, ends);
    ends.catch(() => this.#ends.delete(id));
    return ends;
  }

  /** What a part gives; `lost` where it has no picture, or its place does not give it: it is lost from now on. */
  async #from<Found, Lost>({ part }: Place, ask: () => Promise<Found>, lost: Lost): Promise<Found | Lost> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof RecordingError && error.code === "no_picture") return lost;
      if (!isAway(error)) throw error;
      const held = this.#parts.find((one) => one.part === part);
      if (held !== undefined) {
        this.#isStale = true;
        const summary = part.reader?.summary ?? part.summary;
        held.part = { ...part, summary, reader: null, problem: error.message };
        part.reader?.close().catch(() => undefined); // nothing is lost that was not
      }
      return lost;
    }
  }
}

/** Where it lies does not answer; what is damaged is an error of its moment. */
function isAway(error: unknown): error is Error {
  if (error instanceof RecordingError) return error.code === "unreachable";
  return error instanceof RefusedError && error.code === "node_unreachable";
}

function placed(chunk: PictureChunk, { fromMs, firstChunk }: Place): PictureChunk {
  return {
    ...chunk,
    index: chunk.index + firstChunk,
    fromMs: chunk.fromMs + fromMs,
    toMs: chunk.toMs + fromMs,
  };
}

async function chunksOf(place: Place, fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
  const { reader, chunks } = place;
  const found = await reader.chunks(Math.max(0, fromMs), toMs);
  return found.filter(({ index }) => index < chunks).map((chunk) => placed(chunk, place));
}

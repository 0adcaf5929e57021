import type { ActionEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import { LostPartError } from "../library/refused.ts";
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
import {
  cannotBeRead,
  chunksOf,
  isAway,
  isLost,
  lostChunk,
  ownChunk,
  type Place,
  placed,
  placesOf,
  type ReadPlace,
} from "./part-place.ts";
import { endOfPart, gapEntry, laterEntry } from "./seam.ts";
import { shiftedChunk } from "./shifted-chunk.ts";

const MOST_HITS = 200;

/** What a part can be asked for, with the length and chunks that it had when it was opened: only the last one grows. */
interface Held {
  part: OpenedPart;
  readonly lengthMs: number;
  readonly chunks: number;
}

/**
 * Parts of one recording as one timeline, from the beginning of the first on. What lies between them, and parts that cannot be read,
 * are gaps that say why; whose picture is asked for while it cannot be read is told so. INVARIANT: the number of a chunk says how many parts
 * after the one that was named its part comes, whichever of them can be read, so that no number is of two chunks in whatever was opened before
 * or after; and pictures, entries and hits say the time of the whole.
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
      chunks: part.reader?.chunkCount ?? 0,
    }));
  }

  /** A part was lost since it was opened, or was asked for while it cannot be read: what is opened anew may have it again. */
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
    return this.#readable.reduce((sum, { chunks }) => sum + chunks, 0);
  }

  frameAt(ms: number): Promise<RecordedFrame> {
    return this.#pictureAt(ms, async ({ reader, fromMs }, localMs) => {
      const frame = await reader.frameAt(localMs);
      return { atMs: frame.atMs, made: { ...frame, atMs: frame.atMs + fromMs } };
    });
  }

  async step<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    const taken = await this.#pictureAt(ms, ({ reader, fromMs }, localMs, isAny) => {
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
    });
    if (taken === null) throw new RecordingError("no_picture", "the recording has no picture yet");
    return taken[0];
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
    // From there on the picture is not known.
    const lost = this.#places.filter(isLost).map((place) => place.fromMs);
    const times = [...all.flat(), ...lost.filter((time) => time >= fromMs && time <= toMs)];
    return [...new Set(times)].sort((a, b) => a - b);
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    const all = await this.#ofAll(fromMs, toMs, (place) =>
      chunksOf(place, fromMs - place.fromMs, toMs - place.fromMs),
    );
    const places = this.#places;
    const lost = places.filter((place) => isLost(place) && place.fromMs >= fromMs && place.fromMs <= toMs);
    const chunks = [...all.flat(), ...lost.map((place) => lostChunk(place, places))];
    chunks.sort((a, b) => a.index - b.index);
    const begun = chunks[0]?.fromMs ?? Number.POSITIVE_INFINITY;
    if (begun > fromMs) chunks.unshift(...(await this.#chunksBefore(fromMs)));
    return chunks.map((chunk, nth) => {
      // What is lost lasts until there is a picture again.
      const next = chunks[nth + 1];
      return chunk.frames > 0 || next === undefined ? chunk : { ...chunk, toMs: next.fromMs };
    });
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const { place, own } = ownChunk(this.#places, index);
    const bytes = await this.#ask(place, ({ reader }) => reader.chunkBytes(own));
    return shiftedChunk(bytes, true, place.fromMs);
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
    const all = await this.#ofAll(fromMs, toMs, async (place) => {
      const { reader } = place;
      const isLast = this.#isLast(place);
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
    const places = this.#places;
    // The last that has begun by then, or the first of all.
    const place = places.findLast((one) => one.fromMs <= ms) ?? places[0];
    if (place === undefined) return null;
    const { fromMs } = place;
    const text = await this.#ask(place, ({ reader }) => reader.textAt(Math.max(0, ms - fromMs)));
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

  get #places(): readonly Place[] {
    const last = this.#parts.at(-1);
    const counts = this.#parts.map((held) =>
      held === last ? (held.part.reader?.chunkCount ?? held.chunks) : held.chunks,
    );
    return placesOf(this.#laid, this.#id, counts);
  }

  get #readable(): readonly ReadPlace[] {
    return this.#places.flatMap((place) => {
      const { reader } = place.part;
      return reader === null ? [] : [{ ...place, reader }];
    });
  }

  /** It may grow. */
  #isLast({ part: { id } }: Place): boolean {
    return id === this.#parts.at(-1)?.part.id;
  }

  /**
   * What is made of the last picture by a moment, of whichever part it is; where there is none, of the first of all. `isAny`: what is
   * made of a later picture is taken too. Throws RecordingError no_picture; RefusedError node_unreachable where the part cannot be read.
   */
  async #pictureAt<Made>(
    ms: number,
    make: (
      place: ReadPlace,
      localMs: number,
      isAny: boolean,
    ) => Promise<{ readonly atMs: number; readonly made: Made }>,
  ): Promise<Made> {
    const places = this.#places;
    for (const place of places.filter(({ fromMs }) => fromMs <= ms).reverse()) {
      const localMs = Math.min(ms, place.toMs) - place.fromMs;
      const found = await this.#picture(place, (there) => make(there, localMs, false));
      if (found !== null && found.atMs <= localMs) return found.made;
    }
    for (const place of places) {
      const found = await this.#picture(place, (there) => make(there, 0, true));
      if (found !== null) return found.made;
    }
    throw new RecordingError("no_picture", "the recording has no picture yet");
  }

  /** What is shown until the first chunk that begins later: the last picture of a part before. */
  async #chunksBefore(ms: number): Promise<readonly PictureChunk[]> {
    const places = this.#places;
    const before = places.filter((place) => (isLost(place) ? place.fromMs : place.toMs) <= ms);
    for (const place of before.reverse()) {
      const atMs = place.toMs - place.fromMs;
      const last = await this.#from(place, (there) => chunksOf(there, atMs, atMs), null);
      if (last === null) return [lostChunk(place, places)];
      if (last.length > 0) return last;
    }
    return [];
  }

  /** When the first picture after a part was taken, or what cannot be read begins; null: there is none so far. */
  async #nextPicture({ firstChunk }: Place): Promise<number | null> {
    for (const place of this.#places.filter((one) => one.firstChunk > firstChunk)) {
      const found = await this.#from(place, ({ reader }) => reader.chunks(0, 0), null);
      if (found === null) return place.fromMs;
      const [first] = found;
      if (first !== undefined) return first.fromMs + place.fromMs;
    }
    return null;
  }

  async #ofAll<Found>(
    fromMs: number,
    toMs: number,
    find: (place: ReadPlace) => Promise<Found>,
  ): Promise<readonly Found[]> {
    const touched = this.#readable.filter(
      (place) => place.fromMs <= toMs && (place.toMs >= fromMs || this.#isLast(place)),
    );
    const found = await Promise.all(
      touched.map((place) => this.#from(place, async (there) => [await find(there)], [])),
    );
    return found.flat();
  }

  #endsOf({ part: { id }, reader, fromMs, toMs }: ReadPlace): Promise<readonly TrackEntry[]> {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const ends = reader.events(0, toMs - fromMs).then((entries) => endOfPart(entries, toMs));
    this.#ends.set(id, ends);
    ends.catch(() => this.#ends.delete(id));
    return ends;
  }

  /** null: the part has no picture. */
  async #picture<Found>(place: Place, ask: (place: ReadPlace) => Promise<Found>): Promise<Found | null> {
    try {
      return await this.#ask(place, ask);
    } catch (error) {
      if (error instanceof RecordingError && error.code === "no_picture") return null;
      throw error;
    }
  }

  /** What a part gives; `lost` where its place does not give it, or it has nothing. */
  async #from<Found, Lost>(
    place: Place,
    ask: (place: ReadPlace) => Promise<Found>,
    lost: Lost,
  ): Promise<Found | Lost> {
    if (isLost(place)) return lost;
    try {
      return (await this.#picture(place, ask)) ?? lost;
    } catch (error) {
      if (error instanceof LostPartError) return lost;
      throw error;
    }
  }

  /** Throws LostPartError where its place does not give it: it is lost from now on. */
  async #ask<Found>(place: Place, ask: (place: ReadPlace) => Promise<Found>): Promise<Found> {
    const { part } = place;
    const { reader } = part;
    if (reader === null) {
      this.#isStale ||= part.isForbidden !== true;
      throw cannotBeRead(part);
    }
    try {
      return await ask({ ...place, reader });
    } catch (error) {
      const held = this.#parts.find((one) => one.part.id === part.id);
      // Else somebody else has lost it meanwhile, and closed it.
      if (held?.part === part) {
        if (!isAway(error)) throw error;
        this.#isStale = true;
        held.part = { ...part, summary: reader.summary, reader: null, problem: error.message };
        reader.close().catch(() => undefined); // nothing is lost that was not
      }
      throw cannotBeRead(held?.part ?? part, error);
    }
  }
}

import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { EarlierPart, RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { RecordingCopies } from "../library/recording-copies.ts";
import type { AddedMarker, RecordingNote } from "../library/recording-notes.ts";
import type {
  FoundInRecordings,
  PartsChain,
  RecordingParts,
  RecordingsFace,
  Verification,
  WholesFace,
} from "../library/recording-types.ts";
import { noSuchRecording } from "../library/refused.ts";
import type { RecordingReader } from "../read/reader.ts";
import { FarPart } from "./far-part.ts";
import { JoinedReader } from "./joined-reader.ts";
import type { OpenedPart, PlacedPart } from "./opened-part.ts";
import { type PartHolder, partHolder } from "./part-holder.ts";
import { laterEntry } from "./seam.ts";
import { changeWhole, markWhole, noteOfWhole, unmarkWhole, verifyWhole } from "./whole-notes.ts";

/** Longer ones are cut at their beginning: a desktop that moved so often has other worries. */
const MOST_PARTS = 256;
/** Of so many recordings it is remembered which desktop they show, and of those at other nodes what was told of them. */
const MOST_REMEMBERED = 1000;

type Recordings = Pick<RecordingsFace, "get" | "list" | "open" | "notes" | "verify" | "remove"> & {
  readonly copies?: Pick<RecordingCopies, "unanswered"> | null;
};
type MayRead = (part: RecordingSummary) => boolean;

const EVERYBODY: MayRead = () => true;

/** As WholesFace. `parts` null: this server is alone, and each recording is whole. */
export class WholeRecordings implements WholesFace {
  readonly #recordings: Recordings;
  readonly #parts: RecordingParts | null;
  /** Desktops by recordings. */
  readonly #desktops = new Map<string, string>();
  /** Of parts at other nodes, as they were when they were last read: where they lie does not change when they cannot be. */
  readonly #far = new Map<string, RecordingSummary>();

  constructor(recordings: Recordings, parts: RecordingParts | null) {
    this.#recordings = recordings;
    this.#parts = parts;
  }

  keyOf(id: string): string {
    const chain = this.#parts?.chain(id, this.#desktops.get(id) ?? null) ?? null;
    return [id, ...(chain?.parts ?? []).map((part) => `${part.id} ${part.endedMs}`)].join(" ");
  }

  lastOf(id: string): EarlierPart | null {
    return this.#parts?.chain(id, this.#desktops.get(id) ?? null)?.parts.at(-1) ?? null;
  }

  async get(id: string): Promise<RecordingSummary> {
    if (this.#parts === null) return this.#recordings.get(id);
    const here = await this.#here(id);
    const chain = this.#chain(id, here);
    // What is alone needs not be opened, and may be of those that cannot be.
    const isAlone = here?.continues === undefined && chain?.parts.length === 1;
    if (here !== null && isAlone) return here;
    const reader = await this.open(id).catch((error: unknown) => {
      if (here === null || !isUnreadable(error)) throw error;
      return null;
    });
    if (reader === null) return here ?? this.#recordings.get(id);
    try {
      return reader.summary;
    } finally {
      await reader.close();
    }
  }

  async open(id: string, mayRead: MayRead = EVERYBODY): Promise<RecordingReader> {
    if (this.#parts === null) return this.#recordings.open(id);
    const parts = await this.#openAll(id, this.#parts, mayRead);
    const [only] = parts;
    if (parts.length === 1 && only?.reader !== null && only !== undefined) return only.reader;
    if (parts.length > 1 && parts.some(({ reader }) => reader !== null)) return new JoinedReader(id, parts);
    // As what is wrong with it says itself.
    const reader = await this.#recordings.open(id);
    if (mayRead(reader.summary)) return reader;
    await reader.close();
    throw noSuchRecording();
  }

  async placed(found: FoundInRecordings): Promise<FoundInRecordings> {
    const offsets = new Map<string, number>();
    for (const { recording } of found.hits) {
      // The first of all begins with the whole.
      if (this.#parts === null || recording.continues === undefined || offsets.has(recording.id)) continue;
      const { parts = [] } = await this.get(recording.id);
      offsets.set(recording.id, parts.find(({ id }) => id === recording.id)?.fromMs ?? 0);
    }
    const hits = found.hits.map((hit) => {
      const byMs = offsets.get(hit.recording.id) ?? 0;
      const untilMs = hit.untilMs === null ? null : hit.untilMs + byMs;
      return { ...hit, atMs: hit.atMs + byMs, untilMs, entry: laterEntry(hit.entry, byMs) };
    });
    return { ...found, hits };
  }

  async verify(id: string): Promise<Verification> {
    const { parts } = await this.get(id);
    if (parts === undefined) return this.#recordings.verify(id);
    return verifyWhole(id, parts, (part) => this.#holder(part));
  }

  async remove(id: string, by: Actor = NOBODY): Promise<void> {
    const { parts } = await this.get(id);
    if (parts === undefined) return this.#recordings.remove(id, by);
    // What is read for the others' sake goes first: the one by which all are found is the last.
    const removed = await Promise.allSettled(
      parts.map(async (part) => (await this.#holder(part)).remove(by)),
    );
    const fault = removed.find((one) => one.status === "rejected" && !isGone(one.reason));
    if (fault?.status === "rejected") throw fault.reason;
  }

  async noteOf({ id, parts }: RecordingSummary): Promise<RecordingNote> {
    if (parts === undefined) return this.#recordings.notes.get(id);
    return noteOfWhole(parts, (part) => this.#holder(part));
  }

  async change(id: string, words: Parameters<WholesFace["change"]>[1]): Promise<void> {
    const { parts } = await this.get(id);
    if (parts === undefined) await (await this.#alone(id)).change(words);
    else await changeWhole(parts, words, (part) => this.#holder(part));
  }

  async mark(id: string, marker: Omit<AddedMarker, "id">): Promise<AddedMarker> {
    const { parts } = await this.get(id);
    if (parts === undefined) return (await this.#alone(id)).mark(marker);
    return markWhole(parts, marker, (part) => this.#holder(part));
  }

  async unmark(id: string, markerId: string): Promise<void> {
    const { parts } = await this.get(id);
    if (parts === undefined) await (await this.#alone(id)).unmark(markerId);
    else await unmarkWhole(parts, markerId, (part) => this.#holder(part));
  }

  /** null: it is not here. */
  async #here(id: string): Promise<RecordingSummary | null> {
    try {
      const summary = await this.#recordings.get(id);
      this.#remember(id, summary.desktopId);
      return summary;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  #remember(id: string, desktopId: string): void {
    remember(this.#desktops, id, desktopId);
  }

  #chain(id: string, here: RecordingSummary | null): PartsChain | null {
    const desktopId = here?.desktopId ?? this.#desktops.get(id) ?? null;
    const chain = this.#parts?.chain(id, desktopId) ?? null;
    if (chain !== null) this.#remember(id, chain.desktopId);
    return chain;
  }

  /** All that is known, in order; empty: nothing is. What was opened is its caller's to close. */
  async #openAll(id: string, house: RecordingParts, mayRead: MayRead): Promise<readonly OpenedPart[]> {
    const here = await this.#here(id);
    const told = this.#chain(id, here);
    const desktopId = told?.desktopId ?? here?.desktopId;
    if (desktopId === undefined) return [];
    const own = placeHere(id, here?.archive?.node ?? house.name);
    const places = told?.parts ?? [own, ...(await this.#after(id, house.name))];
    const open = (place: PlacedPart): Promise<OpenedPart> => this.#openOne(place, desktopId, house, mayRead);
    const opened = await Promise.all(places.map(open));
    // What came before is said by the files, for ever.
    for (let left = MOST_PARTS - opened.length; left > 0; left--) {
      const before = opened[0]?.summary?.continues;
      if (before === undefined || opened.some((part) => part.id === before.id)) break;
      opened.unshift(await open({ ...before, startedMs: null, endedMs: null }));
    }
    return opened;
  }

  /** What is here and goes on from one of whose desktop nodes tell nothing any more. */
  async #after(id: string, node: string): Promise<readonly PlacedPart[]> {
    const next = new Map(
      (await this.#recordings.list()).map((one) => [one.continues?.id ?? "", one] as const),
    );
    const after: PlacedPart[] = [];
    for (let last = next.get(id); last !== undefined && after.length < MOST_PARTS; last = next.get(last.id))
      after.push(placeHere(last.id, last.archive?.node ?? node));
    return after;
  }

  async #openOne(
    place: PlacedPart,
    desktopId: string,
    house: RecordingParts,
    mayRead: MayRead,
  ): Promise<OpenedPart> {
    const here = await this.#here(place.id);
    let summary = here ?? this.#far.get(place.id) ?? null;
    try {
      if (summary !== null && !mayRead(summary)) return notTold(place, summary);
      const { id, node } = place;
      const reader =
        here === null
          ? await this.#openFar(place, house, (ask) => house.ask({ id, node, desktopId }, ask))
          : await this.#recordings.open(id);
      summary = reader.summary;
      if (here === null) remember(this.#far, id, summary);
      if (mayRead(summary)) return { ...place, summary, reader, problem: null };
      await reader.close();
      return notTold(place, summary);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return { ...place, summary, reader: null, problem: error.message };
    }
  }

  /** Rejects with RefusedError node_unreachable, not_found; RecordingError. */
  async #openFar(
    { node }: PlacedPart,
    { name }: RecordingParts,
    ask: Parameters<typeof FarPart.open>[0],
  ): Promise<RecordingReader> {
    if (node === name) throw new RefusedError("not_found", "it is not there any more");
    try {
      return await FarPart.open(ask);
    } catch (error) {
      const { copies = null } = this.#recordings;
      if (copies === null || !(error instanceof RefusedError) || error.code !== "node_unreachable")
        throw error;
      const why = `${error.message}, and ${copies.unanswered(node)}`;
      throw new RefusedError("node_unreachable", why, { cause: error });
    }
  }

  /** Of one that is whole by itself. */
  async #alone(id: string): Promise<PartHolder> {
    return partHolder(id, this.#recordings, (await this.#here(id))?.archive?.node);
  }

  async #holder({ id, node }: { readonly id: string; readonly node: string }): Promise<PartHolder> {
    const here = await this.#here(id);
    if (here !== null || this.#parts === null) return partHolder(id, this.#recordings, here?.archive?.node);
    const house = this.#parts;
    const desktopId = this.#chain(id, null)?.desktopId ?? this.#desktops.get(id);
    if (desktopId === undefined || node === house.name) throw noSuchRecording();
    return partHolder(id, (ask) => house.ask({ id, node, desktopId }, ask));
  }
}

const NOBODY: Actor = { kind: "extension", id: "recorder", name: "Recorder" };

/** The newest last; the oldest are forgotten. */
function remember<Known>(all: Map<string, Known>, id: string, known: Known): void {
  all.delete(id);
  all.set(id, known);
  for (const oldest of all.keys()) {
    if (all.size > MOST_REMEMBERED) all.delete(oldest);
  }
}

function placeHere(id: string, node: string): PlacedPart {
  return { id, node, startedMs: null, endedMs: null };
}

/** When it was is no secret to who may read what comes before and after. */
function notTold(place: PlacedPart, { startedAt, durationMs }: RecordingSummary): OpenedPart {
  const startedMs = Date.parse(startedAt);
  return {
    ...place,
    ...{ startedMs, endedMs: startedMs + durationMs, summary: null, reader: null },
    ...{ problem: "it is not for who asks", isForbidden: true },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.code === "not_found";
}

/** What is wrong with one part alone. */
function isUnreadable(error: unknown): error is Error {
  return error instanceof RecordingError || error instanceof RefusedError;
}

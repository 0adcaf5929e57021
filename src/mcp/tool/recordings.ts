import * as z from "zod";
import { reaches } from "../../auth/granted-desktops.ts";
import { may, type Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { REASONS, type RecordingSummary } from "../../recording/format/summary.ts";
import { foundTogether } from "../../recording/join/found-together.ts";
import { partGroups } from "../../recording/join/part-groups.ts";
import { summaryOfWhole } from "../../recording/join/part-layout.ts";
import type {
  Found,
  RecordingReader,
  RecordingsFace,
  SearchHit,
} from "../../recording/library/recording-types.ts";
import { asRefused, isRecordedHere, noSuchRecording } from "../../recording/library/refused.ts";
import { newestFirst } from "../../recording/library/summaries.ts";

/** What the recording tools share. */

export const recordingIdField = z.string().min(1).max(200).describe("Of list_recordings.");

export const recordingOutput = z.object({
  recording_id: z.string(),
  connection_id: z.string().describe("The desktop that it shows."),
  connection_name: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  state: z
    .enum(["recording", "sealed", "unsealed", "tampered"])
    .describe("unsealed: the server ended before it could sign it. tampered: it was changed afterwards."),
  width: z.int(),
  height: z.int(),
  size_bytes: z.int(),
  reason: z.enum(REASONS),
  started_by: z.string(),
  actions: z.int().describe("How many actions it holds."),
  uri: z.string(),
});

export function recordingOutputOf(recording: RecordingSummary): z.input<typeof recordingOutput> {
  return {
    recording_id: recording.id,
    connection_id: recording.desktopId,
    connection_name: recording.title,
    started_at: recording.startedAt,
    duration_ms: Math.round(recording.durationMs),
    state: recording.state,
    width: recording.width,
    height: recording.height,
    size_bytes: recording.bytes,
    reason: recording.reason,
    started_by: recording.startedBy,
    actions: recording.counts.actions,
    uri: recordingUri(recording.id),
  };
}

export function recordingUri(id: string): string {
  return `recordings://${id}`;
}

/** Whether nothing was recorded that was hidden from agents. */
function showsAll({ counts }: RecordingSummary): boolean {
  return (counts.agentMasks ?? 0) === 0;
}

/** Of its last part's id: that one tells of all before it. */
function listedWhole(parts: readonly [RecordingSummary, ...RecordingSummary[]]): RecordingSummary {
  const [first] = parts;
  const last = parts.at(-1) ?? first;
  const durationMs = Date.parse(last.startedAt) + last.durationMs - Date.parse(first.startedAt);
  return summaryOfWhole(last.id, parts, { startedMs: null, durationMs, gaps: parts.length - 1 });
}

/** In all recordings. */
export const MOST_FOUND = 50;

/** A moment that was found. */
export type FoundMoment = Omit<SearchHit, "entry"> & {
  /** What the entry is that says it. */
  readonly kind: string;
  readonly recording: Pick<RecordingSummary, "id" | "title" | "startedAt">;
};

/** What other nodes of a fleet have for the principal; of those that answer. */
export interface OtherRecordings {
  /** Each part by itself. */
  parts(): Promise<readonly RecordingSummary[]>;
  found(query: string): Promise<readonly Found<FoundMoment>[]>;
}

const NO_OTHERS: OtherRecordings = { parts: async () => [], found: async () => [] };

/**
 * Recordings as one principal may use them: who controls desktops sees all, an agent what was begun in its name. What
 * it may not see, and all of desktops outside its grant, looks as if it were not there.
 */
export class RecordingsOf {
  readonly #recordings: RecordingsFace;
  readonly #principal: Principal;
  readonly #others: OtherRecordings;

  /** Throws RefusedError not_supported in an appliance that records nothing. */
  constructor(
    recordings: RecordingsFace | undefined,
    principal: Principal,
    others: OtherRecordings = NO_OTHERS,
  ) {
    if (recordings === undefined) throw new RefusedError("not_supported", "this server records nothing");
    this.#recordings = recordings;
    this.#principal = principal;
    this.#others = others;
  }

  /** Of all nodes, the newest first. */
  async list(): Promise<readonly RecordingSummary[]> {
    const [here, others] = await Promise.all([this.parts(), this.#others.parts()]);
    return partGroups([...here, ...others])
      .map((parts) => (parts.length === 1 ? parts[0] : listedWhole(parts)))
      .sort(newestFirst);
  }

  /** Those of this node, each part by itself: all, or the one with that id. */
  async parts(id?: string): Promise<readonly RecordingSummary[]> {
    const isHere = id === undefined || (await isRecordedHere(this.#recordings, id));
    const all =
      id === undefined ? await this.#recordings.list() : isHere ? [await this.#recordings.get(id)] : [];
    return all.filter((recording) => this.#isVisible(recording));
  }

  /** Of this node alone. Throws RefusedError not_found. */
  async get(id: string): Promise<RecordingSummary> {
    const recording = await this.#recordings.get(id);
    if (this.#isVisible(recording)) return recording;
    throw noSuchRecording();
  }

  /** The recording that runs from now on; `isNew` false where one ran already. Throws RefusedError not_found, too_many. */
  async start(desktopId: string): Promise<{ readonly recording: RecordingSummary; readonly isNew: boolean }> {
    const running = this.#recordings.runningOn(desktopId);
    const { id, name } = this.#principal;
    const by = { kind: "agent", id, name } as const;
    const recording = await asRefused(() => this.#recordings.start(desktopId, { reason: "manual", by }));
    return { recording, isNew: running?.id !== recording.id };
  }

  /** Throws RefusedError not_found, permission_denied: an agent does not end what people or a policy want. */
  async stop(id: string): Promise<RecordingSummary> {
    const recording = await this.get(this.#recordings.wholes.lastOf(id)?.id ?? id);
    if (!may(this.#principal, "control") && recording.reason !== "manual") {
      throw new RefusedError(
        "permission_denied",
        `the recording was begun by the policy ${recording.reason}: expected one that you started`,
      );
    }
    if (!may(this.#principal, "control") && recording.keptBy !== undefined) {
      throw new RefusedError(
        "permission_denied",
        "a person asked for this recording too: it is theirs to end",
      );
    }
    const { id: agentId, name } = this.#principal;
    return await asRefused(() => this.#recordings.stop(recording.id, { kind: "agent", id: agentId, name }));
  }

  /**
   * Runs something with a recording that is open meanwhile, with all its parts but those that the principal, or `mayRead`, leaves out.
   * Throws RefusedError not_found, not_supported (damaged).
   */
  async read<Result>(
    id: string,
    run: (reader: RecordingReader) => Promise<Result>,
    mayRead: (part: RecordingSummary) => boolean = () => true,
  ): Promise<Result> {
    if (await isRecordedHere(this.#recordings, id)) await this.get(id);
    return await asRefused(async () => {
      const reader = await this.#recordings.wholes.open(
        id,
        (part) => this.#isVisible(part) && (part.id === id || mayRead(part)),
      );
      try {
        return await run(reader);
      } finally {
        await reader.close();
      }
    });
  }

  /**
   * As `read`, for its pictures. Throws RefusedError permission_denied where something was recorded that was hidden from
   * agents.
   */
  pictures<Result>(id: string, run: (reader: RecordingReader) => Promise<Result>): Promise<Result> {
    const check = ({ summary }: RecordingReader): void => {
      if (showsAll(summary)) return;
      throw new RefusedError(
        "permission_denied",
        "this recording shows what was hidden from agents: only humans see its pictures",
      );
    };
    const checked = async (reader: RecordingReader): Promise<Result> => {
      check(reader);
      const result = await run(reader);
      // Something may have been hidden meanwhile.
      check(reader);
      return result;
    };
    return this.read(id, checked, showsAll);
  }

  /**
   * What one recording says; `isTextHidden`: the text that it shows was left out, because something was recorded that was
   * hidden from agents.
   */
  async search(
    id: string,
    query: string,
  ): Promise<{ readonly hits: readonly SearchHit[]; readonly isTextHidden: boolean }> {
    return this.read(id, async (reader) => {
      const hits = await reader.search(query);
      // Asked when all is read: something may have been hidden meanwhile.
      const isTextHidden = !showsAll(reader.summary);
      return { hits: hits.filter(({ entry }) => !isTextHidden || entry.type !== "text"), isTextHidden };
    });
  }

  /** As `search`, in all that the principal sees, of all nodes. */
  async searchAll(query: string, limit: number): Promise<Found<FoundMoment>> {
    const [here, others] = await Promise.all([this.searchHere(query, limit), this.#others.found(query)]);
    return foundTogether([here, ...others], limit, ({ recording }) => recording);
  }

  /** As `searchAll`, of this node alone. */
  async searchHere(query: string, limit: number): Promise<Found<FoundMoment>> {
    const found = await this.#recordings.searchAll(query, {
      reach: (recording) => (this.#isVisible(recording) ? (showsAll(recording) ? "all" : "events") : "none"),
      limit,
    });
    const { hits, ...told } = await this.#recordings.wholes.placed(found);
    const moments = hits.map(({ atMs, entry, text, rect, untilMs, recording: { id, title, startedAt } }) => ({
      ...{ atMs, kind: entry.type, text, rect, untilMs, recording: { id, title, startedAt } },
    }));
    return { ...told, hits: moments };
  }

  /** By id: a name may be given to another one later. */
  #isVisible({ desktopId, startedById }: RecordingSummary): boolean {
    if (!reaches(this.#principal, desktopId)) return false;
    return may(this.#principal, "control") || startedById === this.#principal.id;
  }
}

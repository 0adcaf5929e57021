import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";
import { actorOf } from "../../../auth/actor.ts";
import { RefusedError } from "../../../desktop/error.ts";
import { foundTogether } from "../../../recording/join/found-together.ts";
import type {
  Found,
  FoundInRecordings,
  RecordingReader,
  RecordingSummary,
} from "../../../recording/library/recording-types.ts";
import { asRefused } from "../../../recording/library/refused.ts";
import { RESTATE_MS } from "../../../recording/write/event-recorder.ts";
import type {
  AddedMarkerInfo,
  ChunksInfo,
  PointerTrackInfo,
  RecordedTextInfo,
  RecordingInfo,
  SearchAllInfo,
  SearchHitInfo,
  TimelineInfo,
  VerificationInfo,
} from "../../api/api.ts";
import {
  activityParts,
  chunkInfo,
  humanParts,
  markerInfo,
  pointerTrack,
  recordedTextInfo,
  recordingInfo,
  runBytes,
  searchHitInfo,
  trackInfos,
} from "../../api/recording-json.ts";
import {
  bookmarkBodySchema,
  markerBodySchema,
  noteBodySchema,
  recordBodySchema,
  recordingSchema,
  runQuerySchema,
  searchAllQuerySchema,
  searchAllSchema,
  searchQuerySchema,
  spanQuerySchema,
  textQuerySchema,
  timelineQuerySchema,
} from "../../api/recordings-api.ts";
import { auditedActor, auditedRequest, credentialOf, principalOf } from "../../http/access.ts";
import type { RecordingsOfCaller } from "../../http/granted-recordings.ts";
import { parse } from "../../http/parse.ts";
import type { AppPorts, RoutePorts } from "../../http/ports.ts";
import type { ReadingAudit } from "../../http/reading-audit.ts";
import { wholeInfos } from "./whole-infos.ts";

const paramsSchema = z.object({ id: z.string().min(1).max(200) });
const markerParamsSchema = z.object({ markerId: z.string().min(1).max(100) });
const chunkParamsSchema = z.object({ index: z.coerce.number().int() });

/** Of a search in all recordings, unless asked otherwise. */
const HITS_IN_ALL = 50;

/** Entries in one answer; more come with the next page. */
const PAGE_ENTRIES = 20_000;

/** The recording that an address names. */
export function recordingIdOf(request: FastifyRequest): string {
  return parse(paramsSchema, request.params).id;
}

export interface RecordingRouteParts {
  /** The caller's. */
  recordingsOf(request: FastifyRequest): RecordingsOfCaller;
  readonly audit: AppPorts["audit"];
  readonly reading: ReadingAudit;
  readonly far: Pick<RoutePorts["far"], "gather">;
}

/** What of a recording was read, for the audit. */
export function partOf(request: FastifyRequest, part: string) {
  return { resource: { kind: "recording", id: recordingIdOf(request) }, action: part };
}

/**
 * `/api/v1/recordings`. A recording shows what was on a desktop before its reader was invited to it: it takes the right
 * to control desktops (admin, operator, approver), and deleting one an administrator.
 */
export function recordingRoutes(app: FastifyInstance, house: RecordingRouteParts): void {
  const { recordingsOf, audit, reading, far } = house;
  const url = "/api/v1/recordings";
  const control = { config: { access: "control" } } as const;
  const read = <Result>(
    request: FastifyRequest,
    run: (reader: RecordingReader) => Promise<Result>,
    part?: string,
  ): Promise<Result> =>
    asRefused(async () => {
      const result = await recordingsOf(request).use(recordingIdOf(request), run);
      if (part !== undefined) reading.read("recording.viewed", request, partOf(request, part));
      return result;
    });

  app.get(url, control, async (request): Promise<RecordingInfo[]> => {
    const recordings = recordingsOf(request);
    const listed = await recordings.list();
    const here = await Promise.all(listed.map((recording) => infoOf(recordings, recording)));
    // Whoever gathers them puts them together.
    if (isCarried(request)) return here;
    const all = [...here, ...(await far.gather(request, z.array(recordingSchema)))];
    return wholeInfos(all).sort((a, b) => b.started_at.localeCompare(a.started_at));
  });
  app.post(url, control, async (request, reply): Promise<RecordingInfo> => {
    const { desktop_id } = parse(recordBodySchema, request.body);
    const by = actorOf(principalOf(request), request.ip);
    const recordings = recordingsOf(request);
    const started = await asRefused(() => recordings.start(desktop_id, { reason: "manual", by }));
    reply.code(201).header("location", `${url}/${encodeURIComponent(started.id)}`);
    return infoOf(recordings, started);
  });
  app.get(`${url}/:id`, control, async (request): Promise<RecordingInfo> => {
    const recordings = recordingsOf(request);
    return infoOf(recordings, await recordings.get(recordingIdOf(request)));
  });
  app.patch(`${url}/:id`, control, async (request): Promise<RecordingInfo> => {
    const { name, notes: text } = parse(noteBodySchema, request.body);
    const recordings = recordingsOf(request);
    const id = recordingIdOf(request);
    const notes = await recordings.notesOf(id);
    await notes.change(id, {
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { text }),
    });
    return infoOf(recordings, await recordings.get(id));
  });
  app.post(`${url}/:id/markers`, control, async (request, reply): Promise<AddedMarkerInfo> => {
    const { at_ms, label } = parse(markerBodySchema, request.body);
    const id = recordingIdOf(request);
    const notes = await recordingsOf(request).notesOf(id);
    const { durationMs } = await recordingsOf(request).get(id);
    if (at_ms > durationMs) {
      throw new RefusedError("out_of_bounds", `got at_ms ${at_ms}, expected a moment up to ${durationMs}`);
    }
    reply.code(201);
    return markerInfo(await notes.mark(id, { atMs: at_ms, label, by: principalOf(request).name }));
  });
  app.delete(`${url}/:id/markers/:markerId`, control, async (request, reply) => {
    const { markerId } = parse(markerParamsSchema, request.params);
    const id = recordingIdOf(request);
    await (await recordingsOf(request).notesOf(id)).unmark(id, markerId);
    return reply.code(204).send();
  });
  app.delete(`${url}/:id`, { config: { access: "admin" } }, async (request, reply) => {
    await recordingsOf(request).remove(recordingIdOf(request), actorOf(principalOf(request), request.ip));
    return reply.code(204).send();
  });
  app.post(`${url}/:id/stop`, control, async (request): Promise<RecordingInfo> => {
    const by = actorOf(principalOf(request), request.ip);
    const recordings = recordingsOf(request);
    return infoOf(recordings, await asRefused(() => recordings.stop(recordingIdOf(request), by)));
  });
  app.post(
    `${url}/:id/verify`,
    { config: { access: "control", isAuditedFirst: false } },
    async (request): Promise<VerificationInfo> => {
      const { state, problem, intactBytes, bytes } = await recordingsOf(request).verify(
        recordingIdOf(request),
      );
      return { state, problem, intact_bytes: intactBytes, bytes };
    },
  );
  app.post(`${url}/:id/bookmarks`, control, async (request, reply) => {
    const { label } = parse(bookmarkBodySchema, request.body);
    await recordingsOf(request).bookmark(
      recordingIdOf(request),
      label,
      actorOf(principalOf(request), request.ip),
    );
    return reply.code(204).send();
  });

  app.get(`${url}/:id/timeline`, control, async (request): Promise<TimelineInfo> => {
    const { from_entry = 0 } = parse(timelineQuerySchema, request.query);
    const recordings = recordingsOf(request);
    const timeline = await read(request, (reader) => timelineOf(reader, recordings, from_entry));
    // Who turns pages was noted with the first.
    if (from_entry > 0) return timeline;
    audit.record({
      type: "recording.viewed",
      actor: auditedActor(principalOf(request), request),
      request: auditedRequest(request),
      resource: { kind: "recording", id: timeline.recording.id },
    });
    return timeline;
  });
  app.get(`${url}/:id/search`, control, (request): Promise<SearchHitInfo[]> => {
    const { query } = parse(searchQuerySchema, request.query);
    return read(request, async (reader) => (await reader.search(query)).map(searchHitInfo), "search");
  });
  app.get(`${url}/search`, control, async (request): Promise<SearchAllInfo> => {
    const { text, limit = HITS_IN_ALL } = parse(searchAllQuerySchema, request.query);
    const recordings = recordingsOf(request);
    const here = await recordings.searchAll(text, limit);
    const hits = await Promise.all(here.hits.map((hit) => foundInfo(recordings, hit)));
    reading.read("recording.viewed", request, { action: "search all" });
    // Whoever gathers them puts them together.
    if (isCarried(request)) return foundAllInfo({ ...here, hits });
    const others = await far.gather(request, foundElsewhereSchema);
    return foundAllInfo(
      foundTogether([{ ...here, hits }, ...others], limit, (hit) => ({
        ...{ id: hit.recording_id, startedAt: hit.started_at },
      })),
    );
  });
  app.get(`${url}/:id/text`, control, (request): Promise<RecordedTextInfo> => {
    const { at_ms, query = "" } = parse(textQuerySchema, request.query);
    return read(request, async (reader) => recordedTextInfo(await reader.textAt(at_ms), query), "text");
  });
  app.get(`${url}/:id/chunks`, control, (request): Promise<ChunksInfo> => {
    const { from_ms = 0, to_ms } = parse(spanQuerySchema, request.query);
    return read(request, async (reader) => {
      const { state, durationMs } = reader.summary;
      const chunks = await reader.chunks(from_ms, to_ms ?? durationMs);
      return { state, duration_ms: durationMs, chunks: chunks.map(chunkInfo) };
    });
  });
  app.get(`${url}/:id/chunks/:index`, control, async (request, reply) => {
    const { index } = parse(chunkParamsSchema, request.params);
    const bytes = await read(request, (reader) => reader.chunkBytes(index), "chunk");
    return reply
      .type("application/octet-stream")
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  });
  app.get(`${url}/:id/run`, control, async (request, reply) => {
    const { at_ms } = parse(runQuerySchema, request.query);
    const run = await read(request, (reader) => reader.run(at_ms), "run");
    return reply.type("application/octet-stream").send(runBytes(run));
  });
  app.get(`${url}/:id/pointer`, control, (request): Promise<PointerTrackInfo> => {
    const { from_ms = 0, to_ms } = parse(spanQuerySchema, request.query);
    return read(
      request,
      async (reader) => {
        const toMs = to_ms ?? reader.summary.durationMs;
        return pointerTrack(await pointerEntries(reader, from_ms, toMs), from_ms);
      },
      "pointer",
    );
  });
}

async function infoOf(recordings: RecordingsOfCaller, recording: RecordingSummary): Promise<RecordingInfo> {
  return recordingInfo(recording, await recordings.noteOf(recording), recordings.around(recording));
}

/** Another node puts together what it gathers. */
function foundAllInfo({ hits, isCut, unread }: Found<SearchAllInfo["hits"][number]>): SearchAllInfo {
  return { hits: [...hits], more: isCut, unread };
}

/** Of one node. */
const foundElsewhereSchema = searchAllSchema.transform(({ hits, more, unread }) => [
  { hits, isCut: more, unread },
]);

function isCarried(request: FastifyRequest): boolean {
  return credentialOf(request).kind === "carried";
}

async function timelineOf(
  reader: RecordingReader,
  recordings: RecordingsOfCaller,
  fromEntry: number,
): Promise<TimelineInfo> {
  const { summary } = reader;
  const { durationMs } = summary;
  const [chunks, entries] = await Promise.all([reader.chunks(0, durationMs), reader.events()]);
  const told = trackInfos(entries);
  const note = await recordings.noteOf(summary);
  return {
    recording: recordingInfo(summary, note, recordings.around(summary)),
    markers: note.markers.map(markerInfo),
    activity: activityParts(chunks, durationMs),
    human: humanParts(entries, durationMs),
    entries: told.slice(fromEntry, fromEntry + PAGE_ENTRIES),
    next_entry: told.length > fromEntry + PAGE_ENTRIES ? fromEntry + PAGE_ENTRIES : null,
  };
}

async function foundInfo(
  recordings: RecordingsOfCaller,
  { recording, ...hit }: FoundInRecordings["hits"][number],
): Promise<SearchAllInfo["hits"][number]> {
  const { name } = await recordings.noteOf(recording);
  return {
    recording_id: recording.id,
    title: name ?? recording.title,
    started_at: recording.startedAt,
    ...searchHitInfo(hit),
  };
}

/** Where and how the pointer is the tracks say again after so long; earlier versions said it only when it changed. */
const RESTATED_MS = 2 * RESTATE_MS;
/** How far back it is looked for, step by step: hours of tracks are not read for a pointer. */
const LOOK_BACK_MS = [10_000, RESTATED_MS, Number.POSITIVE_INFINITY] as const;

async function pointerEntries(reader: RecordingReader, fromMs: number, toMs: number) {
  for (const backMs of LOOK_BACK_MS) {
    const startMs = Math.max(0, fromMs - backMs);
    const entries = await reader.events(startMs, toMs);
    const isSaid = (...types: readonly string[]): boolean =>
      entries.some(({ type, atMs }) => types.includes(type) && atMs <= fromMs);
    // Where a shape is said and no place, nobody has moved it yet.
    const isKnown = isSaid("cursor") && (backMs >= RESTATED_MS || isSaid("pointer", "click"));
    if (isKnown || startMs === 0) return entries;
  }
  return [];
}

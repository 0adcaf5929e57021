import * as z from "zod";
import { actorSchema } from "./agent-api.ts";
import { overlaySchema, rect } from "./overlay-api.ts";

/** The REST shapes of recordings. Times are milliseconds since a recording began. */

/** A recording as a list shows it. */
export const recordingSchema = z.object({
  id: z.string(),
  desktop_id: z.string(),
  /** The desktop's name when it was recorded. */
  title: z.string(),
  /** What people called it, and wrote about it, afterwards; null for nothing. */
  name: z.string().nullable(),
  notes: z.string().nullable(),
  started_at: z.string(),
  duration_ms: z.number(),
  bytes: z.int(),
  /** Of the last picture; 0 before the first. */
  width: z.int(),
  height: z.int(),
  state: z.enum(["recording", "sealed", "unsealed", "tampered"]),
  reason: z.enum(["manual", "always", "agent_activity"]),
  started_by: z.string(),
  /**
   * Of a fleet: the recording at another node, or of before a restart, that this one goes on from. What was shown from `ended_at` to
   * `started_at` was not recorded; null while that node has not told.
   */
  continues: z.object({ id: z.string(), node: z.string(), ended_at: z.string().nullable() }).nullable(),
  /** The one that goes on from this one. */
  continued_by: z.object({ id: z.string(), node: z.string(), started_at: z.string() }).nullable(),
  /**
   * Of a fleet: what the recording is of, in order, where its desktop moved; each is the recording of one node. Empty: it is one,
   * or in a list, which opens none. All times are of the whole, which any part's id names.
   */
  parts: z.array(
    z.object({
      ...{ id: z.string(), node: z.string(), from_ms: z.number(), to_ms: z.number() },
      /** Why it cannot be read; null: it can. */
      problem: z.string().nullable(),
    }),
  ),
  is_encrypted: z.boolean(),
  /** Whether S3-compatible storage has it; null where none is configured, and of what is not sealed. */
  archive: z
    .object({
      state: z.enum(["local", "uploading", "archived", "archive_only", "failed"]),
      /** What went wrong last, in words. */
      problem: z.string().nullable(),
    })
    .nullable(),
  counts: z.object({
    frames: z.int(),
    actions: z.int(),
    approvals: z.int(),
    overlays: z.int(),
    human_inputs: z.int(),
    bookmarks: z.int(),
    gaps: z.int(),
  }),
});

/** `POST /api/v1/recordings`: one that runs already is answered as it is. */
export const recordBodySchema = z.strictObject({ desktop_id: z.string().min(1).max(200) });

/** `POST /api/v1/recordings/:id/bookmarks` */
export const bookmarkBodySchema = z.strictObject({ label: z.string().min(1).max(200) });

/** `PATCH /api/v1/recordings/:id`: null takes away, what is left out stays; answered as GET there. */
export const noteBodySchema = z.strictObject({
  name: z.string().trim().min(1).max(200).nullable().optional(),
  notes: z.string().trim().min(1).max(4000).nullable().optional(),
});

/** `POST /api/v1/recordings/:id/markers`, answered by `addedMarkerSchema`: marks a moment afterwards. */
export const markerBodySchema = z.strictObject({
  at_ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  label: z.string().trim().min(1).max(200),
});

export const addedMarkerSchema = z.object({
  id: z.string(),
  at_ms: z.number(),
  label: z.string(),
  by: z.string().nullable(),
});

/** `POST /api/v1/recordings/:id/replay`, answered by `replaySchema`. */
export const replayBodySchema = z.strictObject({
  at_ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** The desktop that shows the recording. */
export const replaySchema = z.object({ desktop_id: z.string() });

/** `PATCH /api/v1/desktops/:id/replay`, answered as GET there by `replayStateSchema`; what is left out stays. */
export const steerReplayBodySchema = z.strictObject({
  at_ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** 1: as fast as it was. */
  speed: z.number().min(0.25).max(16).optional(),
  is_playing: z.boolean().optional(),
});

export const replayStateSchema = z.object({
  at_ms: z.number(),
  duration_ms: z.number(),
  is_playing: z.boolean(),
  speed: z.number(),
});

/** `POST /api/v1/recordings/:id/verify` */
export const verificationSchema = z.object({
  state: z.enum(["sealed", "unsealed", "tampered"]),
  /** What is wrong and where; null for what is intact. */
  problem: z.string().nullable(),
  intact_bytes: z.int(),
  bytes: z.int(),
});

const moment = z.coerce.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** A span of a recording, milliseconds since it began; absent: from its start, to its end. */
export const spanQuerySchema = z.object({ from_ms: moment, to_ms: moment }).partial();

/** `GET /api/v1/recordings/:id/frame.{png,webp}`; x, y, width, height come together and are clipped. */
export const frameQuerySchema = z
  .object({
    at_ms: moment,
    x: z.coerce.number().int().min(0).max(65535),
    y: z.coerce.number().int().min(0).max(65535),
    width: z.coerce.number().int().min(1).max(65535),
    height: z.coerce.number().int().min(1).max(65535),
    /** Shrinks to at most so many pixels. */
    max_width: z.coerce.number().int().min(1).max(65535),
  })
  .partial();

/** `GET /api/v1/recordings/:id/export.{png,ndjson,txt,html,gif,mp4,webm}` */
export const exportQuerySchema = z
  .object({
    ...{ from_ms: moment, to_ms: moment, fps: z.coerce.number().min(0.1).max(30) },
    /** "0": without; default they are painted as they were. */
    ...{ overlays: z.enum(["0", "1"]), pointer: z.enum(["0", "1"]) },
  })
  .partial();

/** What the index knows of a chunk of pictures; its bytes are at `/chunks/INDEX`. */
const pictureChunkSchema = z.object({
  /** From 0 on; of a recording of several parts in the part whose id is named, 2^32 more in each one after it and less in each one before. */
  index: z.int(),
  /** Decoding may begin here. */
  is_key: z.boolean(),
  from_ms: z.number(),
  to_ms: z.number(),
  /** 0: it stands for a part that cannot be read now; its bytes are refused with why. */
  frames: z.int(),
  size_bytes: z.int(),
});

/** `GET /api/v1/recordings/:id/chunks`: those that touch the span, from the key that its beginning needs. */
export const chunksSchema = z.object({
  state: recordingSchema.shape.state,
  duration_ms: z.number(),
  chunks: z.array(pictureChunkSchema),
});

/** `GET /api/v1/recordings/:id/run?at_ms=` */
export const runQuerySchema = z.object({ at_ms: moment });

/**
 * What its answer begins with, after the length of this JSON as u32, big-endian: the chunks that a moment needs, from
 * their key on. Their bytes follow, one after the other: raw deflate where `is_deflated`.
 */
const runHeadSchema = z.object({
  chunks: z.array(pictureChunkSchema.extend({ bytes: z.int(), is_deflated: z.boolean() })),
  /** When the chunk after them begins; null: there is none so far. */
  until_ms: z.number().nullable(),
});

/** What happened beside the pixels. An action stands at its beginning. Typed text is never there. */
const trackEntrySchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("action"),
    at_ms: z.number(),
    id: z.string(),
    actor: actorSchema,
    kind: z.string(),
    summary: z.string(),
    intent: z.string().nullable(),
    outcome: z.enum(["done", "refused", "failed"]),
    code: z.string().nullable(),
    was_confirmed: z.boolean(),
    changed: z.boolean().nullable(),
    /** Where to look for what it changed; null for nothing. */
    changed_rect: rect.nullable(),
    /** Where it pressed a button of the mouse; null for what pressed none, and where the place is hidden. */
    point: z.object({ x: z.int(), y: z.int() }).nullable(),
    settle_ms: z.number(),
    duration_ms: z.number(),
  }),
  z.object({
    type: z.literal("approval"),
    /** When it was asked. */
    at_ms: z.number(),
    id: z.string(),
    actor: actorSchema,
    summary: z.string(),
    intent: z.string().nullable(),
    state: z.enum(["pending", "granted", "denied", "expired", "cancelled", "stale"]),
    decided_by: z.string().nullable(),
    /** When it ended; null while it waits. */
    decided_at_ms: z.number().nullable(),
  }),
  z.object({
    type: z.literal("overlay"),
    at_ms: z.number(),
    /** When it went; null while it stays. */
    until_ms: z.number().nullable(),
    overlay: overlaySchema,
  }),
  z.object({
    type: z.literal("marker"),
    at_ms: z.number(),
    label: z.string(),
    by: z.string().nullable(),
    /** Somebody set it; otherwise the desktop told of itself. */
    is_set: z.boolean(),
    /** Of one that was set afterwards, and can be removed. */
    id: z.string().optional(),
  }),
  z.object({ type: z.literal("gap"), at_ms: z.number(), until_ms: z.number(), reason: z.string() }),
  z.object({
    type: z.literal("resize"),
    at_ms: z.number(),
    width: z.int(),
    height: z.int(),
    monitors: z.array(rect),
  }),
]);

/** `GET /api/v1/recordings/:id/timeline?from_entry=`: where a page of entries begins, counted from 0 on. */
export const timelineQuerySchema = z
  .object({ from_entry: z.coerce.number().int().min(0).max(0xffff_ffff) })
  .partial();

/** Its answer: all lanes at once, whatever the length, and a page of entries. */
export const timelineSchema = z.object({
  recording: recordingSchema,
  /** Equal parts of the whole; 0 to 1 each, how much of the picture changed and how often people acted. */
  activity: z.array(z.number()),
  human: z.array(z.number()),
  entries: z.array(trackEntrySchema),
  /** The `from_entry` of the next page; null: these were the last. */
  next_entry: z.int().nullable(),
  /** Set afterwards; they are in no page of entries. */
  markers: z.array(addedMarkerSchema),
});

/** `GET /api/v1/recordings/:id/pointer`: where the pointer was and how it looked. */
export const pointerTrackSchema = z.object({
  /** Each is [at_ms, x, y]. */
  moves: z.array(z.tuple([z.number(), z.int(), z.int()])),
  shapes: z.array(
    z.object({
      at_ms: z.number(),
      width: z.int(),
      height: z.int(),
      hotspot_x: z.int(),
      hotspot_y: z.int(),
      /** base64; null: none is drawn. */
      rgba: z.string().nullable(),
    }),
  ),
});

/** `GET /api/v1/recordings/:id/search?query=` */
export const searchQuerySchema = z.object({ query: z.string().min(1).max(200) });
export const searchHitSchema = z.object({
  at_ms: z.number(),
  type: z.string(),
  text: z.string(),
  /** Of type "text": where the words stood when the line came, desktop pixels; else null. */
  box: rect.nullable(),
  /** When the line went; null: it stood until the end, is no line, or was not looked for. */
  until_ms: z.number().nullable(),
});

/** `GET /api/v1/recordings/search`: in all recordings that the caller may see, the newest first. */
export const searchAllQuerySchema = z.object({
  text: z.string().trim().min(1).max(200),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const searchAllSchema = z.object({
  hits: z.array(
    searchHitSchema.extend({ recording_id: z.string(), title: z.string(), started_at: z.string() }),
  ),
  /** true: there are more; of each recording the first hits are given. */
  more: z.boolean(),
  /** Recordings that are still read for the first time: ask again. */
  unread: z.int(),
});

/** `GET /api/v1/recordings/:id/text` */
export const textQuerySchema = z.object({ at_ms: moment, query: z.string().max(200).optional() });

export const recordedTextSchema = z.object({
  /** Since when the lines stand so; null: no text was recorded until then. */
  at_ms: z.number().nullable(),
  /** When they change next; null: not within a minute. */
  until_ms: z.number().nullable(),
  /** `box`: with a query where its words stand, else all of the line. */
  lines: z.array(z.object({ text: z.string(), box: rect })),
});

export type AddedMarkerInfo = z.infer<typeof addedMarkerSchema>;
export type RecordingInfo = z.infer<typeof recordingSchema>;
export type ReplayInfo = z.infer<typeof replaySchema>;
export type ReplayStateInfo = z.infer<typeof replayStateSchema>;
export type VerificationInfo = z.infer<typeof verificationSchema>;
export type ChunksInfo = z.infer<typeof chunksSchema>;
export type PictureChunkInfo = z.infer<typeof pictureChunkSchema>;
export type RunHead = z.infer<typeof runHeadSchema>;
export type TrackInfo = z.infer<typeof trackEntrySchema>;
export type TimelineInfo = z.infer<typeof timelineSchema>;
export type PointerTrackInfo = z.infer<typeof pointerTrackSchema>;
export type SearchHitInfo = z.infer<typeof searchHitSchema>;
export type SearchAllInfo = z.infer<typeof searchAllSchema>;
export type RecordedTextInfo = z.infer<typeof recordedTextSchema>;

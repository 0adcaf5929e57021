import * as z from "zod";
import { partAskSchema } from "../../../recording/join/part-asks.ts";
import {
  addedMarkerSchema,
  bookmarkBodySchema,
  chunksSchema,
  exportQuerySchema,
  frameQuerySchema,
  markerBodySchema,
  noteBodySchema,
  pointerTrackSchema,
  recordBodySchema,
  recordedTextSchema,
  recordingSchema,
  replayBodySchema,
  replaySchema,
  replayStateSchema,
  runQuerySchema,
  searchAllQuerySchema,
  searchAllSchema,
  searchHitSchema,
  searchQuerySchema,
  spanQuerySchema,
  steerReplayBodySchema,
  textQuerySchema,
  timelineQuerySchema,
  timelineSchema,
  verificationSchema,
} from "../recordings-api.ts";
import type { Operations } from "./operation.ts";

const one = "/api/v1/recordings/:id";

/** Media types of exports, by the end of their address. */
const EXPORTS = {
  txt: "text/plain",
  png: "image/png",
  ndjson: "application/x-ndjson",
  html: "text/html",
  gif: "image/gif",
  mp4: "video/mp4",
  webm: "video/webm",
  frames: "application/octet-stream",
} as const;

export const RECORDING_OPERATIONS: Operations = {
  "GET /api/v1/recordings": { summary: "The recordings that one may see", answer: z.array(recordingSchema) },
  "POST /api/v1/recordings": {
    summary: "Record a desktop",
    body: recordBodySchema,
    status: 201,
    answer: recordingSchema,
  },
  "GET /api/v1/recordings/search": {
    summary: "Text in all of them",
    query: searchAllQuerySchema,
    answer: searchAllSchema,
  },
  "POST /api/v1/fleet/recordings/:id": {
    summary: "What another node asks of a recording that is here, to play it as a part of a whole",
    body: partAskSchema,
    answer: { type: "application/octet-stream" },
  },
  [`GET ${one}`]: { summary: "One recording", answer: recordingSchema },
  [`PATCH ${one}`]: { summary: "Name it, or write about it", body: noteBodySchema, answer: recordingSchema },
  [`DELETE ${one}`]: { summary: "Remove it for good", status: 204 },
  [`POST ${one}/stop`]: { summary: "End it", answer: recordingSchema },
  [`POST ${one}/verify`]: { summary: "Whether every byte is as it was sealed", answer: verificationSchema },
  [`POST ${one}/bookmarks`]: {
    summary: "Mark this moment of a recording that runs",
    body: bookmarkBodySchema,
    status: 204,
  },
  [`POST ${one}/markers`]: {
    summary: "Mark a moment afterwards",
    body: markerBodySchema,
    status: 201,
    answer: addedMarkerSchema,
  },
  [`DELETE ${one}/markers/:markerId`]: { summary: "Remove such a mark", status: 204 },
  [`POST ${one}/replay`]: {
    summary: "Show it as a desktop",
    body: replayBodySchema,
    status: 201,
    answer: replaySchema,
  },
  "GET /api/v1/desktops/:id/replay": {
    summary: "Where the recording that a desktop shows stands",
    answer: replayStateSchema,
  },
  "PATCH /api/v1/desktops/:id/replay": {
    summary: "Play, pause or seek it",
    body: steerReplayBodySchema,
    answer: replayStateSchema,
  },
  [`GET ${one}/timeline`]: {
    summary: "What happened on it, by pages",
    query: timelineQuerySchema,
    answer: timelineSchema,
  },
  [`GET ${one}/search`]: {
    summary: "Text in it",
    query: searchQuerySchema,
    answer: z.array(searchHitSchema),
  },
  [`GET ${one}/text`]: {
    summary: "What text it shows at a moment",
    query: textQuerySchema,
    answer: recordedTextSchema,
  },
  [`GET ${one}/chunks`]: {
    summary: "Its chunks of pictures that touch a span",
    query: spanQuerySchema,
    answer: chunksSchema,
  },
  [`GET ${one}/chunks/:index`]: {
    summary: "The bytes of one, raw deflate",
    answer: { type: "application/octet-stream" },
  },
  [`GET ${one}/run`]: {
    summary: "All chunks that a moment needs, in one",
    query: runQuerySchema,
    answer: { type: "application/octet-stream" },
  },
  [`GET ${one}/pointer`]: {
    summary: "Where the pointer was",
    query: spanQuerySchema,
    answer: pointerTrackSchema,
  },
  [`GET ${one}/frame.png`]: {
    summary: "Its picture at a moment",
    query: frameQuerySchema,
    answer: { type: "image/png" },
  },
  [`GET ${one}/frame.webp`]: {
    summary: "Its picture at a moment",
    query: frameQuerySchema,
    answer: { type: "image/webp" },
  },
  ...Object.fromEntries(
    Object.entries(EXPORTS).map(([end, type]) => [
      `GET ${one}/export.${end}`,
      { summary: `A span of it as ${end}`, query: exportQuerySchema, answer: { type } },
    ]),
  ),
};

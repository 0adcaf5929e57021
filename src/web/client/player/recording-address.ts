import type { Rect } from "../../../framebuffer/rect.ts";
import type {
  ChunksInfo,
  PointerTrackInfo,
  RecordedTextInfo,
  RunHead,
  SearchHitInfo,
} from "../../api/api.ts";
import { t } from "../language/language.ts";
import { ApiError, errorOf } from "../shell/api-client.ts";
import { below } from "../shell/base-path.ts";
import type { FetchedRun } from "./chunk-player.ts";

/** Addresses of one recording, and what the player reads there again and again. */

export function recordingPath(id: string, rest = ""): string {
  return `/api/v1/recordings/${encodeURIComponent(id)}${rest}`;
}

export interface FrameOptions {
  readonly atMs: number;
  /** Desktop pixels; the whole picture where it is left out. */
  readonly part?: Rect;
  readonly maxWidth: number;
}

/** A small picture of a moment, for an image element. */
export function frameAddress(id: string, { atMs, part, maxWidth }: FrameOptions): string {
  const query = new URLSearchParams({
    at_ms: String(Math.max(0, Math.round(atMs))),
    max_width: String(Math.max(1, Math.round(maxWidth))),
  });
  if (part) {
    for (const [name, value] of Object.entries(part)) query.set(name, String(Math.round(value)));
  }
  return recordingPath(id, `/frame.webp?${query}`);
}

/** Throws ApiError for any answer but a good one. */
export async function get(path: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(below(path), { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ApiError(0, "offline", t`the server cannot be reached`, t`check that it is running`);
  }
  if (response.ok) return response;
  throw await errorOf(response);
}

/** Whether the recording is not there (any more). */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The chunks that touch a span, from the key that its beginning needs. */
export async function fetchChunks(
  id: string,
  fromMs: number,
  toMs: number | null,
  signal: AbortSignal,
): Promise<ChunksInfo> {
  const query = new URLSearchParams({ from_ms: String(fromMs) });
  if (toMs !== null) query.set("to_ms", String(toMs));
  return (await get(recordingPath(id, `/chunks?${query}`), signal)).json();
}

/** A chunk of pictures, inflated by the browser. */
export async function fetchChunk(id: string, index: number, signal: AbortSignal): Promise<Uint8Array> {
  const response = await get(recordingPath(id, `/chunks/${index}`), signal);
  const { body } = response;
  if (!body) throw new Error(t`a chunk came without a body`);
  const inflated = body.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}

/** All chunks that one moment needs, inflated, in one answer. Throws ApiError; Error for what is no run. */
export async function fetchRun(id: string, atMs: number, signal: AbortSignal): Promise<FetchedRun> {
  const response = await get(recordingPath(id, `/run?at_ms=${Math.max(0, atMs)}`), signal);
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength < 4) throw new Error(t`a run came without a head`);
  const headBytes = new DataView(bytes).getUint32(0);
  const head: RunHead = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, headBytes)));
  let at = 4 + headBytes;
  const parts = head.chunks.map(({ bytes: length, is_deflated, ...info }) => {
    const own = new Uint8Array(bytes, at, length);
    at += length;
    return { info, bytes: is_deflated ? inflated(own) : Promise.resolve(own) };
  });
  return { parts, untilMs: head.until_ms };
}

/** What has all words of a query. */
export async function fetchHits(
  id: string,
  query: string,
  signal: AbortSignal,
): Promise<readonly SearchHitInfo[]> {
  return (await get(recordingPath(id, `/search?${new URLSearchParams({ query })}`), signal)).json();
}

/** The lines of a moment that have all words of a query, and where in them. */
export async function fetchPlaces(
  id: string,
  query: string,
  atMs: number,
  signal: AbortSignal,
): Promise<RecordedTextInfo> {
  const asked = new URLSearchParams({ query, at_ms: String(Math.max(0, Math.round(atMs))) });
  return (await get(recordingPath(id, `/text?${asked}`), signal)).json();
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function fetchPointer(
  id: string,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): Promise<PointerTrackInfo> {
  const query = new URLSearchParams({ from_ms: String(fromMs), to_ms: String(toMs) });
  return (await get(recordingPath(id, `/pointer?${query}`), signal)).json();
}

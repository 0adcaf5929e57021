import type { Actor } from "../../desktop/control/action.ts";
import { writeTracks } from "../format/event-codec.ts";
import type { RecordingNotes } from "../library/recording-notes.ts";
import type { Verification } from "../library/recording-types.ts";
import type { RecordingReader } from "../read/reader.ts";
import type { PartAsk } from "./part-asks.ts";

/** The recordings of a node. */
export interface AskedRecordings {
  readonly notes: Pick<RecordingNotes, "get" | "change" | "mark" | "unmark">;
  verify(id: string): Promise<Verification>;
  remove(id: string, by: Actor): Promise<void>;
}

/** What a node answers of a recording that is there. Throws RefusedError, RecordingError. */
export async function answerPart(
  recordings: AskedRecordings,
  reader: RecordingReader,
  ask: PartAsk,
): Promise<Buffer> {
  const { result = null, bytes = [] } = await answerOf(recordings, reader, ask);
  const { summary, chunkCount } = reader;
  const json = Buffer.from(JSON.stringify({ summary, chunks: chunkCount, result }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...bytes]);
}

/** Chunks are given together until they have so many bytes: who seeks in a group of hundreds asks a few times. */
const GIVEN_BYTES = 4 * 1024 * 1024;

async function chunksOf(
  reader: RecordingReader,
  { first, last }: Extract<PartAsk, { ask: "bytes" }>,
): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let given = 0;
  for (let index = first; index === first || (index <= last && given < GIVEN_BYTES); index++) {
    const bytes = await reader.chunkBytes(index);
    given += bytes.length;
    chunks.push(bytes);
  }
  return chunks;
}

interface Answered {
  readonly result?: unknown;
  readonly bytes?: readonly Uint8Array[];
}

async function answerOf(
  recordings: AskedRecordings,
  reader: RecordingReader,
  ask: PartAsk,
): Promise<Answered> {
  const { notes } = recordings;
  const { id } = reader.summary;
  switch (ask.ask) {
    case "open":
      return {};
    case "keyframes":
      return { result: await reader.keyframes() };
    case "frame_times":
      return { result: await reader.frameTimes(ask.from_ms, ask.to_ms) };
    case "chunks":
      return { result: await reader.chunks(ask.from_ms, ask.to_ms) };
    case "bytes": {
      const bytes = await chunksOf(reader, ask);
      return { result: bytes.map(({ length }) => length), bytes };
    }
    case "run": {
      const { parts, untilMs } = await reader.run(ask.at_ms);
      const told = parts.map(({ bytes, ...part }) => ({ ...part, bytes: bytes.length }));
      return { result: { parts: told, untilMs }, bytes: parts.map(({ bytes }) => bytes) };
    }
    case "events":
      return { bytes: [writeTracks(await reader.events(ask.from_ms, ask.to_ms))] };
    case "search": {
      const hits = await reader.search(ask.query);
      const told = hits.map(({ entry: _entry, ...hit }) => hit);
      return { result: told, bytes: [writeTracks(hits.map(({ entry }) => entry))] };
    }
    case "text":
      return { result: await reader.textAt(ask.at_ms) };
    case "verify":
      return { result: await recordings.verify(id) };
    case "note":
      return { result: notes.get(id) };
    case "name": {
      const { name, text } = ask;
      const changes = { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { text }) };
      return { result: await notes.change(id, changes) };
    }
    case "mark":
      return { result: await notes.mark(id, { atMs: ask.at_ms, label: ask.label, by: ask.by }) };
    case "unmark":
      await notes.unmark(id, ask.marker);
      return {};
    case "remove":
      await recordings.remove(id, { kind: "human", ...ask.by });
      return {};
  }
}

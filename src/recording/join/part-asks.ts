import * as z from "zod";
import { REASONS, type RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";

/** What one node asks another of a recording that is there: a part, whatever it is a part of. Times are of the part. */
const ms = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const index = z.int().min(0).max(0xffff_ffff);
const span = { from_ms: ms, to_ms: ms };
const text = z.string().max(4000);

export const partAskSchema = z.discriminatedUnion("ask", [
  z.strictObject({ ask: z.literal("open") }),
  z.strictObject({ ask: z.literal("keyframes") }),
  z.strictObject({ ask: z.literal("frame_times"), ...span }),
  z.strictObject({ ask: z.literal("chunks"), ...span }),
  z.strictObject({ ask: z.literal("bytes"), first: index, last: index }),
  z.strictObject({ ask: z.literal("run"), at_ms: ms }),
  z.strictObject({ ask: z.literal("events"), ...span }),
  z.strictObject({ ask: z.literal("search"), query: text }),
  z.strictObject({ ask: z.literal("text"), at_ms: ms }),
  z.strictObject({ ask: z.literal("verify") }),
  z.strictObject({ ask: z.literal("note") }),
  z.strictObject({ ask: z.literal("name"), name: text.nullish(), text: text.nullish() }),
  z.strictObject({ ask: z.literal("mark"), at_ms: ms, label: text, by: text }),
  z.strictObject({ ask: z.literal("unmark"), marker: text }),
  z.strictObject({ ask: z.literal("remove"), by: z.strictObject({ id: text, name: text }) }),
]);
export type PartAsk = z.infer<typeof partAskSchema>;

const count = z.int().min(0);
export const summarySchema = z.object({
  ...{ id: text, desktopId: text, title: text, startedAt: text, startedBy: text },
  ...{ startedById: text.nullable(), keptBy: text.exactOptional(), isEncrypted: z.boolean() },
  ...{ durationMs: ms, bytes: count, width: count, height: count, reason: z.enum(REASONS) },
  state: z.enum(["recording", "sealed", "unsealed", "tampered"]),
  continues: z.object({ id: text, node: text }).exactOptional(),
  counts: z.object({
    ...{ frames: count, actions: count, approvals: count, overlays: count, humanInputs: count },
    ...{ bookmarks: count, gaps: count, masks: count.exactOptional(), agentMasks: count.exactOptional() },
  }),
  archive: z
    .object({
      state: z.enum(["local", "uploading", "archived", "archive_only", "failed"]),
      problem: z.string().nullable(),
    })
    .exactOptional(),
}) satisfies z.ZodType<RecordingSummary>;

const rect = { x: z.number(), y: z.number(), width: z.number(), height: z.number() };
const chunkSchema = z.object({
  ...{ index, isKey: z.boolean(), fromMs: ms, toMs: ms, frames: count },
  ...{ sizeBytes: count, rawBytes: count, changedPixels: z.number() },
});
export const chunksSchema = z.array(chunkSchema);
export const timesSchema = z.array(ms);
/** How many bytes each chunk has that was asked for, from the first on: at least one, and no more than are given at once. */
export const lengthsSchema = z.array(count).min(1);
export const runSchema = z.object({
  parts: z.array(z.object({ chunk: chunkSchema, isDeflated: z.boolean(), bytes: count })),
  untilMs: ms.nullable(),
});
export const hitsSchema = z.array(
  z.object({ atMs: ms, text: z.string(), rect: z.object(rect).nullable(), untilMs: ms.nullable() }),
);
const lineSchema = z.object({ ...rect, id: z.number(), text: z.string(), words: z.array(z.number()) });
export const textSchema = z
  .object({ atMs: ms, untilMs: ms.nullable(), lines: z.array(lineSchema) })
  .nullable();
export const verificationSchema = z.object({
  ...{ id: text, state: z.enum(["sealed", "unsealed", "tampered"]), problem: z.string().nullable() },
  ...{ intactBytes: count, bytes: count, blocks: count },
});
export const markerSchema = z.object({ id: text, atMs: ms, label: text, by: text });
export const noteSchema = z.object({
  ...{ name: z.string().nullable(), text: z.string().nullable(), markers: z.array(markerSchema) },
});

/** What stands before the bytes of an answer, after its length as u32, big-endian. */
const headSchema = z.object({ summary: summarySchema, chunks: count, result: z.unknown() });

export interface PartAnswer {
  /** Of the part, as it is now. */
  readonly summary: RecordingSummary;
  readonly chunks: number;
  readonly result: unknown;
  readonly bytes: Buffer;
}

/** Throws RecordingError damaged for what no node of this version wrote. */
export function readPartAnswer(answer: Buffer): PartAnswer {
  const length = answer.length < 4 ? 0 : answer.readUInt32BE(0);
  const bytes = answer.subarray(4 + length);
  try {
    const head = headSchema.parse(JSON.parse(answer.subarray(4, 4 + length).toString("utf8")));
    return { ...head, bytes };
  } catch (cause) {
    throw new RecordingError("damaged", "the node that has it answers as this version does not", { cause });
  }
}

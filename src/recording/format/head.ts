import { RecordingError } from "../library/error.ts";
import { JsonRecord } from "./json-record.ts";
import type { KeptKey } from "./recording-key.ts";
import { type EarlierPart, REASONS, type RecordingReason } from "./summary.ts";

const FORMAT = "overlay-companion recording";
const VERSION = 1;

/** What a recording is: its first block. */
export interface RecordingHead extends KeptKey {
  readonly id: string;
  readonly desktopId: string;
  readonly title: string;
  readonly startedAt: string;
  readonly reason: RecordingReason;
  readonly startedBy: string;
  /** The principal's id; null in a recording of a version that kept only the name. */
  readonly startedById: string | null;
  /** Of a fleet: under what its server had the desktop, "node revision"; all of it was written under that. Absent: it was alone. */
  readonly fence?: string;
  /** The one that it goes on from; what is not in either was not recorded. Absent: none. */
  readonly continues?: EarlierPart;
  /** Of the appliance that signs it. */
  readonly publicKey: string;
}

export function writeHead(head: RecordingHead): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, version: VERSION, ...head }));
}

/** Throws RecordingError damaged, or unsupported for what a later version wrote. */
export function readHead(bytes: Buffer): RecordingHead {
  const head = JsonRecord.parse(bytes.toString("utf8"), "the head of the recording");
  if (head.text("format") !== FORMAT) throw new RecordingError("damaged", "the first block is no head");
  const version = head.count("version");
  if (version !== VERSION) {
    throw new RecordingError("unsupported", `the recording has version ${version}, expected ${VERSION}`);
  }
  return {
    id: head.text("id"),
    desktopId: head.text("desktopId"),
    title: head.text("title"),
    startedAt: head.text("startedAt"),
    reason: reasonOf(head.text("reason")),
    startedBy: head.text("startedBy"),
    startedById: head.has("startedById") ? head.textOrNull("startedById") : null,
    ...(head.has("fence") ? { fence: head.text("fence") } : {}),
    ...earlierPartOf(head),
    publicKey: head.text("publicKey"),
    sealedKey: head.textOrNull("sealedKey"),
    ...(head.has("sharedKey") ? { sharedKey: head.text("sharedKey") } : {}),
  };
}

/** What a head or a seal says of the recording that it goes on from. */
export function earlierPartOf(record: JsonRecord): { readonly continues?: EarlierPart } {
  if (!record.has("continues")) return {};
  const earlier = record.record("continues");
  return { continues: { id: earlier.text("id"), node: earlier.text("node") } };
}

export function reasonOf(text: string): RecordingReason {
  const reason = REASONS.find((known) => known === text);
  if (reason === undefined) throw new RecordingError("damaged", "the reason of the recording is not known");
  return reason;
}

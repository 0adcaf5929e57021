import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { earlierPartOf, reasonOf } from "../format/head.ts";
import { JsonRecord } from "../format/json-record.ts";
import type { EarlierPart, RecordingCounts, RecordingReason } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import type { RecordingFiles } from "../read/recording-files.ts";
import type { SealRegister } from "./seal-register.ts";
import type { Signer, TrustedSigner } from "./signing-key.ts";

export const SEAL_FILE = "seal.json";
/** What a crash may leave of a seal that was being written. */
export const SEAL_DRAFT = "seal.json.new";
const FORMAT = "overlay-companion seal";
const MAX_SEAL_BYTES = 64 * 1024;

/** What was signed when a recording ended: how long its chain is and how it ends, and what a list shows of it. */
export interface Seal {
  readonly id: string;
  readonly desktopId: string;
  readonly title: string;
  readonly startedAt: string;
  readonly sealedAt: string;
  readonly reason: RecordingReason;
  readonly startedBy: string;
  /** Absent in a seal of a version that kept only the name. */
  readonly startedById?: string;
  /** Absent where it goes on from none. */
  readonly continues?: EarlierPart;
  readonly isEncrypted: "yes" | "no";
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
  readonly counts: RecordingCounts;
  readonly segments: number;
  readonly bytes: number;
  readonly blocks: number;
  /** Where the last index block begins. */
  readonly indexAt: number;
  /** Where the directory of the indices begins; absent in a seal of a version that wrote none. */
  readonly directoryAt?: number;
  /** Of the last block, hex. */
  readonly hash: string;
  readonly publicKey: string;
}

/** Puts the seal in place at once: there is a whole one or none. `register`: notes it, so that it is missed when it goes. */
export async function writeSeal(
  folder: string,
  seal: Seal,
  signer: Signer,
  register: SealRegister,
): Promise<void> {
  const draft = join(folder, SEAL_DRAFT);
  // In the order of fields in which it will be read.
  const ordered = sealOf(JsonRecord.of(seal, "the seal"));
  const signature = signer.sign(signedBytes(ordered)).toString("base64");
  try {
    await writeFile(draft, textOf(ordered, signature), { mode: 0o600 });
    await rename(draft, join(folder, SEAL_FILE));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // Later: a crash in between leaves a seal that nobody would miss, never one that is missed and was not there.
  await register.add(seal.id, seal.hash);
}

/**
 * null where there is none. Throws RecordingError damaged for one that is not, to the byte, what this appliance
 * signed.
 */
export async function readSeal(
  files: Pick<RecordingFiles, "read">,
  signer: TrustedSigner,
): Promise<Seal | null> {
  const bytes = await files.read(SEAL_FILE, MAX_SEAL_BYTES);
  if (bytes === null) return null;
  const utf8 = bytes.toString("utf8");
  const record = JsonRecord.parse(utf8, "the seal");
  const seal = sealOf(record);
  const signature = record.text("signature");
  if (textOf(seal, signature) !== utf8 || !Buffer.from(utf8, "utf8").equals(bytes)) {
    throw new RecordingError("damaged", "the seal is not written as a seal is");
  }
  const signed = Buffer.from(signature, "base64");
  if (signed.toString("base64") !== signature || !signer.isOurs(signedBytes(seal), signed)) {
    const isOther = !signer.has(seal.publicKey);
    throw new RecordingError(
      "damaged",
      isOther ? "the seal is another appliance's" : "the seal does not belong to what it says",
    );
  }
  return seal;
}

function sealOf(record: JsonRecord): Seal {
  const counts = record.record("counts");
  return {
    id: record.text("id"),
    desktopId: record.text("desktopId"),
    title: record.text("title"),
    startedAt: record.text("startedAt"),
    sealedAt: record.text("sealedAt"),
    reason: reasonOf(record.text("reason")),
    startedBy: record.text("startedBy"),
    ...(record.has("startedById") ? { startedById: record.text("startedById") } : {}),
    ...earlierPartOf(record),
    isEncrypted: record.text("isEncrypted") === "yes" ? "yes" : "no",
    durationMs: record.count("durationMs"),
    width: record.count("width"),
    height: record.count("height"),
    counts: {
      frames: counts.count("frames"),
      actions: counts.count("actions"),
      approvals: counts.count("approvals"),
      overlays: counts.count("overlays"),
      humanInputs: counts.count("humanInputs"),
      bookmarks: counts.count("bookmarks"),
      gaps: counts.count("gaps"),
      ...(counts.has("masks") ? { masks: counts.count("masks") } : {}),
      ...(counts.has("agentMasks") ? { agentMasks: counts.count("agentMasks") } : {}),
    },
    segments: record.count("segments"),
    bytes: record.count("bytes"),
    blocks: record.count("blocks"),
    indexAt: record.count("indexAt"),
    ...(record.has("directoryAt") ? { directoryAt: record.count("directoryAt") } : {}),
    hash: record.text("hash"),
    publicKey: record.text("publicKey"),
  };
}

function signedBytes(seal: Seal): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...seal }));
}

function textOf(seal: Seal, signature: string): string {
  return `${JSON.stringify({ format: FORMAT, ...seal, signature }, null, 2)}\n`;
}

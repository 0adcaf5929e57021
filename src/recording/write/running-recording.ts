import { mkdir } from "node:fs/promises";
import type { Actor } from "../../desktop/control/action.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { Clock } from "../../platform/clock.ts";
import { BLOCK_KIND } from "../format/block.ts";
import { BlockIndex } from "../format/block-index.ts";
import { BodyCipher } from "../format/body-cipher.ts";
import type { TrackEvent } from "../format/event-entry.ts";
import { type RecordingHead, writeHead } from "../format/head.ts";
import { type KeySealer, makeRecordingKey } from "../format/recording-key.ts";
import { continuesOf, type RecordingSummary } from "../format/summary.ts";
import type { Running } from "../library/archive.ts";
import { writeSeal } from "../seal/seal.ts";
import type { SealRegister } from "../seal/seal-register.ts";
import type { Signer } from "../seal/signing-key.ts";
import { BlockWriter } from "./block-writer.ts";
import type { RecordingEncoder, RecordingEncoders } from "./encoder.ts";
import { Recorder } from "./recorder.ts";
import type { RecorderOptions, RecorderPorts, TextReader } from "./recorder-ports.ts";
import { SegmentWriter } from "./segments.ts";
import { TextRecorder } from "./text-recorder.ts";

export interface RecordingPlan extends RecorderOptions {
  readonly folder: string;
  readonly head: Omit<RecordingHead, "publicKey" | "sealedKey">;
  /** null: not encrypted. */
  readonly sealer: KeySealer | null;
  /** Default 64 MiB. */
  readonly segmentBytes?: number;
}

export interface RunningPorts extends Omit<RecorderPorts, "openEncoder"> {
  readonly encoders: RecordingEncoders;
  /** Who reads what the desktop says; null: text is not recorded. */
  readonly text: TextReader | null;
}

/** Who signs recordings, and where it is noted. */
export interface SealSigning {
  readonly signer: Signer;
  readonly seals: SealRegister;
}

/** A recording that is being written: its files, its recorder and, at the end, its seal. */
export class RunningRecording implements Running {
  readonly desktop: Desktop;
  readonly #plan: RecordingPlan;
  readonly #head: RecordingHead;
  readonly #writer: BlockWriter;
  readonly #segments: SegmentWriter;
  readonly #recorder: Recorder;
  readonly #textRecorder: TextRecorder | null;
  readonly #signing: SealSigning;
  readonly #clock: Clock;
  #closing: Promise<RecordingSummary> | null = null;
  #final: RecordingSummary | null = null;
  #keptBy: string | null = null;

  private constructor(
    desktop: Desktop,
    plan: RecordingPlan,
    head: RecordingHead,
    writer: BlockWriter,
    segments: SegmentWriter,
    encoder: RecordingEncoder,
    signing: SealSigning,
    ports: RecorderPorts & Pick<RunningPorts, "text">,
  ) {
    this.desktop = desktop;
    this.#plan = plan;
    this.#head = head;
    this.#writer = writer;
    this.#segments = segments;
    this.#signing = signing;
    this.#clock = ports.clock;
    this.#recorder = new Recorder(desktop, writer, encoder, plan, ports);
    const { text, clock } = ports;
    this.#textRecorder = text === null ? null : new TextRecorder(desktop, text, this.#recorder, clock);
  }

  /** Makes the files and begins. Rejects with what the disk said; then nothing runs. */
  static async start(
    desktop: Desktop,
    plan: RecordingPlan,
    signing: SealSigning,
    ports: RunningPorts,
  ): Promise<RunningRecording> {
    const secret = plan.sealer === null ? null : makeRecordingKey(plan.head.id, plan.sealer);
    const openEncoder = (): RecordingEncoder => ports.encoders.open(secret?.key ?? null);
    const encoder = openEncoder();
    try {
      // It answers once it can work: until then nothing of what is shown would come to the disk.
      await encoder.cut();
      await mkdir(plan.folder, { mode: 0o700 });
      const segments = new SegmentWriter(plan.folder, plan.segmentBytes);
      const cipher = secret === null ? null : new BodyCipher(secret.key);
      const writer = new BlockWriter(segments, new BlockIndex(), signing.signer, cipher);
      const { publicKey } = signing.signer;
      const head = { ...plan.head, publicKey, ...(secret?.kept ?? { sealedKey: null }) };
      try {
        await writer.append({ kind: BLOCK_KIND.head, fromMs: 0, toMs: 0, raw: writeHead(head) });
      } catch (error) {
        await writer.close();
        throw error;
      }
      const all = { ...ports, openEncoder };
      return new RunningRecording(desktop, plan, head, writer, segments, encoder, signing, all);
    } catch (error) {
      encoder.close();
      ports.text?.close();
      throw error;
    }
  }

  get id(): string {
    return this.#head.id;
  }

  get index(): BlockIndex {
    return this.#writer.index;
  }

  /** Whether it is being ended: what happens from now on is not in it. */
  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /** Whether nothing can be written now. */
  get isFailing(): boolean {
    return this.#recorder.isFailing;
  }

  /** What was handed over and is not on the disk yet. */
  get pendingBytes(): number {
    return this.#writer.pendingBytes;
  }

  /** A person asks for what is recorded already; false where one did before. */
  keep(by: Actor): boolean {
    if (this.#keptBy !== null) return false;
    this.#keptBy = by.name;
    return true;
  }

  readonly summary = (): RecordingSummary => {
    if (this.#final !== null) return this.#final;
    const { id, desktopId, title, startedAt, reason, startedBy, startedById, sealedKey } = this.#head;
    return {
      ...{ id, desktopId, title, startedAt, reason, startedBy, startedById },
      durationMs: this.#recorder.nowMs,
      bytes: this.#segments.length,
      width: this.#recorder.size.width,
      height: this.#recorder.size.height,
      state: "recording",
      isEncrypted: sealedKey !== null,
      ...continuesOf(this.#head),
      counts: this.#recorder.counts,
      ...(this.#keptBy === null ? {} : { keptBy: this.#keptBy }),
    };
  };

  async flush(): Promise<void> {
    if (this.#closing === null) await this.#recorder.flush();
    else await this.#closing;
  }

  note(event: TrackEvent): void {
    this.#recorder.note(event);
  }

  /** Writes what waits, seals and closes the files; where the disk refuses, it stays without a seal. */
  close(): Promise<RecordingSummary> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<RecordingSummary> {
    let isSealed = false;
    try {
      await this.#textRecorder?.close();
      await this.#recorder.close();
      await this.#seal();
      isSealed = true;
    } catch {
      // What was written replays; that there is no seal says that the end is missing.
    } finally {
      await this.#writer.close();
    }
    const { durationMs } = this.#writer.index;
    this.#final = { ...this.summary(), durationMs, state: isSealed ? "sealed" : "unsealed" };
    return this.#final;
  }

  async #seal(): Promise<void> {
    const { id, desktopId, title, startedAt, reason, startedBy, width, height, counts } = this.summary();
    const { startedById } = this.#head;
    await writeSeal(
      this.#plan.folder,
      {
        ...{ id, desktopId, title, startedAt },
        sealedAt: this.#clock.date().toISOString(),
        ...{ reason, startedBy },
        ...(startedById === null ? {} : { startedById }),
        ...continuesOf(this.#head),
        isEncrypted: this.#head.sealedKey === null ? "no" : "yes",
        durationMs: this.#writer.index.durationMs,
        ...{ width, height, counts },
        segments: this.#segments.count,
        bytes: this.#segments.length,
        blocks: this.#writer.blocks,
        indexAt: this.#writer.indexAt,
        directoryAt: this.#writer.directoryAt,
        hash: this.#writer.hash,
        publicKey: this.#signing.signer.publicKey,
      },
      this.#signing.signer,
      this.#signing.seals,
    );
  }
}

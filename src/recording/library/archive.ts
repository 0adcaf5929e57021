import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlockIndex } from "../format/block-index.ts";
import { type KeySealer, openRecordingKey } from "../format/recording-key.ts";
import {
  type ArchiveState,
  countMasks,
  NO_COUNTS,
  type RecordingCounts,
  type RecordingSummary,
} from "../format/summary.ts";
import { BlockSource } from "../read/block-source.ts";
import { OpenRecording } from "../read/open-recording.ts";
import { readSeal, type Seal } from "../seal/seal.ts";
import { SealRegister } from "../seal/seal-register.ts";
import { Signer } from "../seal/signing-key.ts";
import { verifyFolder } from "../seal/verify.ts";
import { type KeptIndex, WordIndexFiles } from "../search/word-index-file.ts";
import { humanInputsOf } from "../write/event-recorder.ts";
import { listSegments, type Segment } from "../write/segments.ts";
import { RecordingError } from "./error.ts";
import type { Verification } from "./recording-types.ts";
import { noSuchRecording } from "./refused.ts";
import { removeFolder, sweepRemoved } from "./remove-folder.ts";

const ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const BEGUN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-.*$/;
/** Folders that are there and are not for us, or no folders of ours. */
const UNREADABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EISDIR", "ENOTDIR"]);

/** A recording that is being written, as its files cannot tell yet. */
export interface Running {
  readonly index: BlockIndex;
  readonly summary: () => RecordingSummary;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** What another place has of the recordings here; ArchiveUploads is one. */
export interface RecordingCopies {
  stateOf(id: string): ArchiveState;
}

/** The recordings in a data directory: `recordings/ID/`, each file readable by its owner only. */
export class RecordingArchive {
  readonly folder: string;
  readonly signer: Signer;
  readonly seals: SealRegister;
  readonly #sealer: KeySealer | null;
  readonly #copies: RecordingCopies | null;
  readonly #words: WordIndexFiles;
  /** Of those without a seal, which must be read to be told of: by id and length. */
  readonly #unsealed = new Map<string, { readonly bytes: number; readonly summary: RecordingSummary }>();

  private constructor(
    dataDir: string,
    signer: Signer,
    sealer: KeySealer | null,
    copies: RecordingCopies | null,
  ) {
    const folder = join(dataDir, "recordings");
    this.folder = folder;
    this.#words = new WordIndexFiles(join(dataDir, "recording-words"), signer);
    this.signer = signer;
    this.seals = new SealRegister(join(folder, "seals.log"), signer);
    this.#sealer = sealer;
    this.#copies = copies;
  }

  /** `sealer`: opens encrypted ones; null where none can be. Throws RecordingError locked for a broken key file. */
  static async open(
    dataDir: string,
    sealer: KeySealer | null,
    copies: RecordingCopies | null = null,
  ): Promise<RecordingArchive> {
    const folder = join(dataDir, "recordings");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sweepRemoved(folder);
    const signer = await Signer.open(join(dataDir, "recording-key.pem"));
    return new RecordingArchive(dataDir, signer, sealer, copies);
  }

  /** Where a recording's files are. Throws RefusedError not_found for what cannot be an id. */
  folderOf(id: string): string {
    if (!ID.test(id)) throw noSuchRecording();
    return join(this.folder, id);
  }

  /** The newest first, but those in `except` and those that this user may not read. */
  async list(except: ReadonlySet<string> = new Set()): Promise<RecordingSummary[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const summaries: RecordingSummary[] = [];
    for (const entry of entries) {
      if (!entry.isDirectory() || !ID.test(entry.name) || except.has(entry.name)) continue;
      const summary = await this.#summaryOf(entry.name).catch((error: unknown) => {
        // One of them shall not hide all others.
        if (error instanceof Error && "code" in error && UNREADABLE.has(error.code)) return null;
        throw error;
      });
      if (summary !== null) summaries.push(summary);
    }
    return summaries.sort((a, b) => b.startedAt.localeCompare(a.startedAt) || b.id.localeCompare(a.id));
  }

  /** Throws RefusedError not_found. */
  async get(id: string): Promise<RecordingSummary> {
    const folder = this.folderOf(id);
    const isThere = await readdir(folder).then(
      () => true,
      () => false,
    );
    const summary = isThere ? await this.#summaryOf(id) : null;
    if (summary === null) throw noSuchRecording();
    return summary;
  }

  /** `running`: of one that this process writes. Throws RefusedError not_found, RecordingError. */
  async read(id: string, running: Running | null = null): Promise<OpenRecording> {
    const folder = this.folderOf(id);
    const known = running === null ? await this.#sealed(folder, id) : null;
    const summary = running === null ? (known?.summary ?? (await this.get(id))) : null;
    const seal = running === null ? (known?.seal ?? (await this.#sealOf(folder))) : null;
    const live = running?.index ?? null;
    const source = await BlockSource.open(folder, seal, this.#openKey, live, known?.segments ?? null);
    return new OpenRecording(
      source,
      () => running?.summary() ?? summary ?? emptySummary(id),
      async () => running?.flush(),
    );
  }

  /** All that is to be known of a recording whose seal is right, in one look; null for any other. */
  async #sealed(
    folder: string,
    id: string,
  ): Promise<{
    readonly seal: Seal;
    readonly segments: readonly Segment[];
    readonly summary: RecordingSummary;
  } | null> {
    try {
      const [segments, seal] = await Promise.all([listSegments(folder), readSeal(folder, this.signer)]);
      const bytes = segments.reduce((sum, { size }) => sum + size, 0);
      if (seal === null || seal.id !== id || seal.bytes !== bytes) return null;
      return { seal, segments, summary: this.#toldBy(seal) };
    } catch {
      return null; // `get` says what is wrong with it
    }
  }

  /** Reads every byte. Throws RefusedError not_found. */
  async verify(id: string): Promise<Verification> {
    const folder = this.folderOf(id);
    try {
      await readdir(folder);
    } catch (cause) {
      throw noSuchRecording(cause);
    }
    return verifyFolder(folder, id, this.signer, this.seals);
  }

  /** Of all folders that may be recordings, by name: those made here begin with when they began. */
  async ids(): Promise<readonly string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const ids = entries.filter((entry) => entry.isDirectory() && ID.test(entry.name)).map(({ name }) => name);
    await this.#words.sweep(ids);
    return ids;
  }

  /** The index of words that is kept of a sealed recording; null: there is none that is right. */
  async readIndex(id: string): Promise<KeptIndex | null> {
    const seal = await this.#sealOf(this.folderOf(id));
    return seal === null ? null : this.#words.read(id, seal.hash);
  }

  /** Keeps the index of words of a sealed recording; those of an encrypted one are not kept. */
  async writeIndex(id: string, parts: readonly Buffer[]): Promise<void> {
    const seal = await this.#sealOf(this.folderOf(id));
    if (seal?.isEncrypted === "no") await this.#words.write(id, seal.hash, parts);
  }

  /** Deletes its files. Throws RefusedError not_found. */
  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id);
    await this.get(id);
    this.#unsealed.delete(id);
    await this.#words.remove(id);
    await removeFolder(this.folder, folder);
  }

  readonly #openKey = (sealedKey: string, id: string): Uint8Array | null =>
    this.#sealer === null ? null : openRecordingKey(sealedKey, id, this.#sealer);

  /** A broken seal is as none: what is whole can be read, and `verify` says what is wrong. */
  async #sealOf(folder: string): Promise<Seal | null> {
    try {
      return await readSeal(folder, this.signer);
    } catch (error) {
      if (error instanceof RecordingError) return null;
      throw error;
    }
  }

  /** null where there is nothing that could be one: it is being made or deleted. */
  async #summaryOf(id: string): Promise<RecordingSummary | null> {
    const folder = join(this.folder, id);
    let bytes = 0;
    let isTampered = false;
    try {
      const segments = await listSegments(folder);
      bytes = segments.reduce((sum, { size }) => sum + size, 0);
      if (bytes === 0) return null;
      const seal = await readSeal(folder, this.signer);
      if (seal !== null) {
        if (seal.id === id && seal.bytes === bytes) return this.#toldBy(seal);
        isTampered = true;
      }
    } catch (error) {
      if (!(error instanceof RecordingError)) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      }
      isTampered = true;
    }
    // It had a seal once, and has none.
    isTampered ||= await this.seals.has(id);
    const known = this.#unsealed.get(id);
    if (known !== undefined && known.bytes === bytes) return withState(known.summary, isTampered);
    const summary = await this.#scan(id, folder, bytes);
    this.#unsealed.set(id, { bytes, summary });
    return withState(summary, isTampered);
  }

  #toldBy(seal: Seal): RecordingSummary {
    const summary = summaryOfSeal(seal);
    return this.#copies === null ? summary : { ...summary, archive: this.#copies.stateOf(seal.id) };
  }

  /** What the blocks themselves tell. */
  async #scan(id: string, folder: string, bytes: number): Promise<RecordingSummary> {
    let source: BlockSource;
    try {
      source = await BlockSource.open(folder, null, this.#openKey, null);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      const state = error.code === "locked" ? "unsealed" : "tampered";
      return { ...emptySummary(id), startedAt: await beginningOf(id, folder), bytes, state };
    }
    const { head, index } = source;
    const isCut =
      index.bytes < bytes && (await verifyFolder(folder, id, this.signer, this.seals)).state === "tampered";
    const summary: RecordingSummary = {
      ...emptySummary(id),
      desktopId: head.desktopId,
      title: head.title,
      startedAt: head.startedAt,
      durationMs: index.durationMs,
      bytes,
      state: isCut || head.id !== id ? "tampered" : "unsealed",
      reason: head.reason,
      startedBy: head.startedBy,
      startedById: head.startedById,
      isEncrypted: head.sealedKey !== null,
      counts: { ...NO_COUNTS, frames: index.frames },
    };
    const reader = new OpenRecording(source, () => summary);
    try {
      return { ...summary, ...(await countsOf(reader, index.frames)) };
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      return { ...summary, state: "tampered" };
    } finally {
      await reader.close();
    }
  }
}

async function countsOf(
  reader: OpenRecording,
  frames: number,
): Promise<Pick<RecordingSummary, "counts" | "width" | "height">> {
  let counts: RecordingCounts = { ...NO_COUNTS, frames };
  let size = { width: 0, height: 0 };
  for (const entry of await reader.events()) {
    counts = {
      ...counts,
      actions: counts.actions + (entry.type === "action" ? 1 : 0),
      approvals: counts.approvals + (entry.type === "approval" && entry.state === "pending" ? 1 : 0),
      overlays: counts.overlays + (entry.type === "overlays_shown" ? entry.overlays.length : 0),
      humanInputs: counts.humanInputs + humanInputsOf(entry),
      bookmarks: counts.bookmarks + (entry.type === "bookmark" ? 1 : 0),
      gaps: counts.gaps + (entry.type === "gap" ? 1 : 0),
      ...(entry.type === "masks" ? countMasks(counts, entry) : {}),
    };
    if (entry.type === "resize") size = { width: entry.width, height: entry.height };
  }
  return { counts, ...size };
}

function withState(summary: RecordingSummary, isTampered: boolean): RecordingSummary {
  return isTampered ? { ...summary, state: "tampered" } : summary;
}

function summaryOfSeal(seal: Seal): RecordingSummary {
  const { id, desktopId, title, startedAt, durationMs, bytes, width, height, reason, startedBy, counts } =
    seal;
  return {
    ...{ id, desktopId, title, startedAt, durationMs, bytes, width, height, reason, startedBy, counts },
    startedById: seal.startedById ?? null,
    isEncrypted: seal.isEncrypted === "yes",
    state: "sealed",
  };
}

/** When a recording began whose head does not say: by its id, else when its folder was changed last. ISO 8601. */
async function beginningOf(id: string, folder: string): Promise<string> {
  const atMs = Date.parse(id.replace(BEGUN, "$1-$2-$3T$4:$5:$6Z"));
  return (Number.isNaN(atMs) ? (await stat(folder)).mtime : new Date(atMs)).toISOString();
}

function emptySummary(id: string): RecordingSummary {
  return {
    id,
    desktopId: "",
    title: "",
    startedAt: new Date(0).toISOString(),
    durationMs: 0,
    bytes: 0,
    width: 0,
    height: 0,
    state: "unsealed",
    reason: "manual",
    startedBy: "",
    startedById: null,
    isEncrypted: false,
    counts: NO_COUNTS,
  };
}

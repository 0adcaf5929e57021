import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlockIndex } from "../format/block-index.ts";
import { type KeySealer, openRecordingKey } from "../format/recording-key.ts";
import { type ArchiveState, continuesOf, NO_COUNTS, type RecordingSummary } from "../format/summary.ts";
import { BlockSource, type OpenKey } from "../read/block-source.ts";
import { OpenRecording } from "../read/open-recording.ts";
import { localFiles, movingFiles, type RecordingFiles } from "../read/recording-files.ts";
import { readSeal, type Seal } from "../seal/seal.ts";
import { SealRegister } from "../seal/seal-register.ts";
import { SIGNER_FILE, Signer, type TrustedSigner } from "../seal/signing-key.ts";
import { verifyFiles } from "../seal/verify.ts";
import { type KeptIndex, WordIndexFiles } from "../search/word-index-file.ts";
import type { Segment } from "../write/segments.ts";
import { RecordingError } from "./error.ts";
import type { CopiesMaker, RecordingCopies } from "./recording-copies.ts";
import type { Verification } from "./recording-types.ts";
import { noSuchRecording } from "./refused.ts";
import { removeFolder, sweepRemoved } from "./remove-folder.ts";
import { begunBy, countsOf, emptySummary, newestFirst, summaryOfSeal, withState } from "./summaries.ts";

const ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
/** Told of at once: each is a small file. */
const FAR_AT_ONCE = 32;
const FAR = { state: "archive_only", problem: null } as const;
/** Folders that are there and are not for us, or no folders of ours. */
const UNREADABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EISDIR", "ENOTDIR"]);

/** A recording that is being written, as its files cannot tell yet. */
export interface Running {
  readonly index: BlockIndex;
  readonly summary: () => RecordingSummary;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** What is known of a recording without reading its blocks. */
interface Known {
  readonly seal: Seal;
  readonly segments: readonly Segment[];
  readonly summary: RecordingSummary;
}

/**
 * The recordings in a data directory: `recordings/ID/`, each file readable by its owner only. Those whose files are no longer
 * here are read where their copies are.
 */
export class RecordingArchive {
  readonly folder: string;
  readonly signer: Signer;
  readonly seals: SealRegister;
  readonly #sealer: KeySealer | null;
  readonly #copies: RecordingCopies | null;
  readonly #words: WordIndexFiles;
  /** Of those without a seal, which must be read to be told of: by id and length. */
  readonly #unsealed = new Map<string, { readonly bytes: number; readonly summary: RecordingSummary }>();
  /** Of those that are elsewhere alone: they never change. */
  readonly #far = new Map<string, RecordingSummary>();

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
    const signer = await Signer.open(join(dataDir, SIGNER_FILE));
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
    const here = new Set(summaries.map(({ id }) => id));
    const far = [...(this.#copies?.ids() ?? [])].filter((id) => !here.has(id) && !except.has(id));
    for (let next = 0; next < far.length; next += FAR_AT_ONCE) {
      const some = far.slice(next, next + FAR_AT_ONCE).map((id) => this.#farSummaryOf(id));
      for (const summary of await Promise.all(some)) if (summary !== null) summaries.push(summary);
    }
    return summaries.sort(newestFirst);
  }

  /** Throws RefusedError not_found. */
  async get(id: string): Promise<RecordingSummary> {
    const isHere = await this.#isHere(id);
    const summary = (isHere ? await this.#summaryOf(id) : null) ?? (await this.#farSummaryOf(id));
    if (summary === null) throw noSuchRecording();
    return summary;
  }

  /** `running`: of one that this process writes. Throws RefusedError not_found, RecordingError. */
  async read(id: string, running: Running | null = null): Promise<OpenRecording> {
    const files = running === null ? await this.#filesOf(id) : localFiles(this.folderOf(id));
    const known = running === null ? await this.#sealed(files, id) : null;
    const maker = this.#makerOf(files, id);
    // INVARIANT: of another's nothing is shown whose seal does not say whose it is, and of which desktop.
    if (known === null && maker !== null) throw notSealed(maker.node);
    const summary = running === null ? (known?.summary ?? (await this.get(id))) : null;
    const seal = running === null ? (known?.seal ?? (await this.#sealOf(files, id))) : null;
    const live = running?.index ?? null;
    const source = await BlockSource.open(files, seal, this.#openKey, live, known?.segments ?? null);
    return new OpenRecording(
      source,
      () => running?.summary() ?? summary ?? emptySummary(id),
      async () => running?.flush(),
    );
  }

  /** All that is to be known of a recording whose seal is right, in one look; null for any other. */
  async #sealed(files: RecordingFiles, id: string): Promise<Known | null> {
    try {
      const [segments, seal] = await Promise.all([
        files.segments(),
        readSeal(files, this.#signerOf(files, id)),
      ]);
      const bytes = segments.reduce((sum, { size }) => sum + size, 0);
      if (seal === null || seal.id !== id || seal.bytes !== bytes) return null;
      return { seal, segments, summary: this.#toldBy(seal, files.checked === null) };
    } catch {
      return null; // `get` says what is wrong with it
    }
  }

  /** Reads every byte. Throws RefusedError not_found. */
  async verify(id: string): Promise<Verification> {
    const files = await this.#filesOf(id);
    return verifyFiles(files, id, this.#signerOf(files, id), this.seals);
  }

  /** Of all that may be recordings, by name: those made here begin with when they began. */
  async ids(): Promise<readonly string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const here = entries.filter((entry) => entry.isDirectory() && ID.test(entry.name));
    const ids = [...new Set([...here.map(({ name }) => name), ...(this.#copies?.ids() ?? [])])];
    await this.#words.sweep(ids);
    return ids;
  }

  /** The index of words that is kept of a sealed recording; null: there is none that is right. */
  async readIndex(id: string): Promise<KeptIndex | null> {
    const seal = await this.#sealOf(await this.#filesOf(id), id);
    return seal === null ? null : this.#words.read(id, seal.hash);
  }

  /** Keeps the index of words of a sealed recording; those of an encrypted one are not kept. */
  async writeIndex(id: string, parts: readonly Buffer[]): Promise<void> {
    const seal = await this.#sealOf(await this.#filesOf(id), id);
    if (seal?.isEncrypted === "no") await this.#words.write(id, seal.hash, parts);
  }

  /** Deletes its files, here and where its copies are. Throws RefusedError not_found, permission_denied for what is locked. */
  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id);
    await this.get(id);
    // First: what cannot be deleted there stays here too.
    await this.#copies?.remove(id);
    this.#unsealed.delete(id);
    this.#far.delete(id);
    await this.#words.remove(id);
    if (await this.#isHere(id)) await removeFolder(this.folder, folder);
  }

  /** Deletes its files here; it is read where its copies are. */
  async letGo(id: string): Promise<void> {
    if (await this.#isHere(id)) await removeFolder(this.folder, this.folderOf(id));
  }

  readonly #openKey: OpenKey = (head) =>
    this.#sealer === null ? null : openRecordingKey(head, this.#sealer);

  /** A broken seal is as none: what is whole can be read, and `verify` says what is wrong. */
  async #sealOf(files: RecordingFiles, id: string): Promise<Seal | null> {
    try {
      return await readSeal(files, this.#signerOf(files, id));
    } catch (error) {
      if (error instanceof RecordingError) return null;
      throw error;
    }
  }

  /** null: this node. What is here is its own, whatever lies elsewhere under that name. */
  #makerOf(files: RecordingFiles, id: string): CopiesMaker | null {
    return files.checked === null ? null : (this.#copies?.makerOf(id) ?? null);
  }

  /** Whose signature one has to have. */
  #signerOf(files: RecordingFiles, id: string): TrustedSigner {
    return this.#makerOf(files, id)?.signer ?? this.signer;
  }

  /** Where one is that is elsewhere alone. */
  #farOf(id: string): ArchiveState {
    const maker = this.#copies?.makerOf(id) ?? null;
    return maker === null ? FAR : { ...FAR, node: maker.node };
  }

  async #changedAt(id: string): Promise<Date> {
    return (await stat(this.folderOf(id))).mtime;
  }

  async #isHere(id: string): Promise<boolean> {
    return readdir(this.folderOf(id)).then(
      () => true,
      () => false,
    );
  }

  /** Where a recording lies. What leaves this folder while it is read is read on where it went. Throws RefusedError not_found. */
  async #filesOf(id: string): Promise<RecordingFiles> {
    const far = async (): Promise<RecordingFiles> => {
      const files = await this.#copies?.files(id);
      if (files === null || files === undefined) throw noSuchRecording();
      return files;
    };
    return (await this.#isHere(id)) ? movingFiles(localFiles(this.folderOf(id)), far) : far();
  }

  /** null where nothing is known of it elsewhere. */
  async #farSummaryOf(id: string): Promise<RecordingSummary | null> {
    const known = this.#far.get(id);
    // A node that was gone may be back, and tell of its own itself.
    if (known !== undefined && known.archive?.node === this.#copies?.makerOf(id)?.node) return known;
    const files = await this.#copies?.files(id);
    if (files === null || files === undefined) return null;
    const sealed = await this.#sealed(files, id);
    if (sealed !== null) {
      this.#far.set(id, sealed.summary);
      return sealed.summary;
    }
    const bytes = await files.segments().then(
      (segments) => segments.reduce((sum, { size }) => sum + size, 0),
      () => 0,
    );
    const startedAt = (begunBy(id) ?? new Date(0)).toISOString();
    return { ...emptySummary(id), startedAt, bytes, state: "tampered", archive: this.#farOf(id) };
  }

  /** null where there is nothing that could be one: it is being made or deleted. */
  async #summaryOf(id: string): Promise<RecordingSummary | null> {
    const files = localFiles(join(this.folder, id));
    let bytes = 0;
    let isTampered = false;
    try {
      const segments = await files.segments();
      bytes = segments.reduce((sum, { size }) => sum + size, 0);
      if (bytes === 0) return null;
      const seal = await readSeal(files, this.signer);
      if (seal !== null) {
        if (seal.id === id && seal.bytes === bytes) return this.#toldBy(seal, true);
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
    const summary = await this.#scan(id, files, bytes);
    this.#unsealed.set(id, { bytes, summary });
    return withState(summary, isTampered);
  }

  #toldBy(seal: Seal, isHere: boolean): RecordingSummary {
    const summary = summaryOfSeal(seal);
    if (this.#copies === null) return summary;
    return { ...summary, archive: isHere ? this.#copies.stateOf(seal.id) : this.#farOf(seal.id) };
  }

  /** What the blocks themselves tell. */
  async #scan(id: string, files: RecordingFiles, bytes: number): Promise<RecordingSummary> {
    let source: BlockSource;
    try {
      source = await BlockSource.open(files, null, this.#openKey, null);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      const state = error.code === "locked" ? "unsealed" : "tampered";
      return {
        ...emptySummary(id),
        startedAt: (begunBy(id) ?? (await this.#changedAt(id))).toISOString(),
        bytes,
        state,
      };
    }
    const { head, index } = source;
    const isCut =
      index.bytes < bytes && (await verifyFiles(files, id, this.signer, this.seals)).state === "tampered";
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
      ...continuesOf(head),
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

function notSealed(node: string): RecordingError {
  return new RecordingError(
    "damaged",
    `its seal in the archive is not what node ${node} signed, so nobody can tell who may see it: verify tells more`,
  );
}

import type { Clock } from "../../platform/clock.ts";
import type { ArchiveIndex } from "../../storage/archive-index.ts";
import type { S3Bucket } from "../../storage/s3-bucket.ts";
import type { CopiesMaker } from "../library/recording-copies.ts";
import { anyOf, PublicKey } from "../seal/signing-key.ts";
import { readArchived } from "./archived-recording.ts";
import { type FoundArchive, findArchived } from "./find-archived.ts";

/** After so long an archive is looked at again that did not answer. */
const LOOK_AGAIN_MS = 60_000;
/** A node that did not answer is taken for gone for so long, and asked again then. */
const SILENT_MS = 60_000;

/** Where a node of the fleet archives, and by what it signs, as it told all nodes. */
export interface NodeArchive {
  /** The endpoint and the bucket. */
  readonly place: string;
  /** As S3ArchiveOptions. */
  readonly prefix: string;
  /** SPKI DER in base64. */
  readonly publicKey: string;
}

/** What a fleet knows of where its nodes archive. */
export interface FleetArchives {
  /** Tells the others of this node's; again until they know. */
  tell(own: NodeArchive): void;
  /** Those that a node told of, by when; none: it told of none. */
  of(node: string): readonly NodeArchive[];
  /** Nodes that told of any and are not there. */
  readonly gone: readonly string[];
  /** Called when those that are gone may be others; the returned function ends that. */
  whenChanged(look: () => void): () => void;
}

export interface GoneArchivesOptions {
  readonly fleet: FleetArchives;
  readonly bucket: S3Bucket;
  readonly clock: Pick<Clock, "after">;
  /** This node's. */
  readonly place: string;
  readonly prefix: string;
  /** Of what lies below a prefix of another node. */
  openIndex(prefix: string): Promise<ArchiveIndex>;
  /** What a node that is gone archived was listed; null: the archive did not say. */
  onLooked(node: string, found: FoundArchive | null, error: unknown): void;
}

/** What a node that is gone archived below one prefix. */
interface Folder extends CopiesMaker {
  readonly prefix: string;
  readonly index: ArchiveIndex;
}

/** As far as the archive was looked at. */
interface Looked {
  folders: readonly Folder[];
  state: "looking" | "seen" | "failed";
}

/**
 * Recordings of nodes of the fleet that are gone, in the bucket that this one archives to as well: what such a node told of its prefix and
 * its key is all that is needed of it. They are listed when it goes, and are its own to tell of again when it is back. INVARIANT: nothing is
 * written or deleted there.
 */
export class GoneArchives {
  readonly #options: GoneArchivesOptions;
  /** Nodes that did not answer, and what ends that. */
  readonly #silent = new Map<string, () => void>();
  /** By names of nodes that are gone or silent. */
  readonly #looked = new Map<string, Looked>();
  readonly #closing = new AbortController();
  #stopListening = (): void => {};
  #cancelAgain = (): void => {};
  #tail: Promise<void> = Promise.resolve();

  constructor(options: GoneArchivesOptions) {
    this.#options = options;
  }

  /** Looks at those that are gone, now and whenever one goes. */
  async follow(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#stopListening = this.#options.fleet.whenChanged(() => void this.#look());
    await this.#look();
  }

  /** Those of nodes that are still gone. */
  *ids(): Generator<string, void, undefined> {
    for (const { index } of this.#folders()) yield* index.ids();
  }

  makerOf(id: string): Folder | null {
    for (const folder of this.#folders()) if (folder.index.has(id)) return folder;
    return null;
  }

  /** The files of one, as the archive told; null: nothing is known of it. */
  async known(id: string) {
    const folder = this.makerOf(id);
    const known = folder === null ? null : await readArchived(folder.index, id);
    return folder === null || known === null ? null : { folder: `${folder.prefix}${id}/`, known };
  }

  /** As RecordingCopies. */
  unanswered(node: string): string {
    if (!this.#silent.has(node) && !this.#closing.signal.aborted) {
      const end = (): void => {
        this.#silent.delete(node);
        void this.#look();
      };
      this.#silent.set(node, this.#options.clock.after(SILENT_MS, end));
      void this.#look();
    }
    const told = this.#options.fleet.of(node);
    if (told.length === 0) return "it told of no archive";
    if (this.#ofPlace(node).length === 0) return "its archive is not the one of this node";
    const state = this.#looked.get(node)?.state ?? "looking";
    if (state === "failed") return "its archive does not answer";
    return state === "looking" ? "its archive is being looked at" : "it is not in its archive";
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#cancelAgain();
    for (const cancel of this.#silent.values()) cancel();
    this.#closing.abort(new Error("the appliance closes"));
    await this.#tail;
  }

  *#folders(): Generator<Folder, void, undefined> {
    for (const { folders } of this.#looked.values()) yield* folders;
  }

  /** Those that lie where this node's do, under other prefixes: what is under its own it knows itself. */
  #ofPlace(node: string): readonly NodeArchive[] {
    const { fleet, place, prefix } = this.#options;
    return fleet.of(node).filter((one) => one.place === place && one.prefix !== prefix);
  }

  /** At what each node has that is gone or silent, once, and again where the archive did not answer. Never rejects. */
  #look(): Promise<void> {
    const { fleet, clock } = this.#options;
    const { signal } = this.#closing;
    const gone = new Set([...fleet.gone, ...this.#silent.keys()]);
    // One that is back may archive more before it goes again.
    for (const node of this.#looked.keys()) if (!gone.has(node)) this.#looked.delete(node);
    const fresh = [...gone].filter((node) => !this.#looked.has(node) && this.#ofPlace(node).length > 0);
    if (fresh.length === 0) return this.#tail;
    for (const node of fresh) this.#looked.set(node, { folders: [], state: "looking" });
    this.#tail = this.#tail.then(async () => {
      for (const node of fresh) {
        const is = this.#looked.get(node);
        if (is === undefined || signal.aborted) continue;
        is.state = (await this.#lookAt(node, is)) ? "seen" : "failed";
        if (is.state === "seen" || signal.aborted) continue;
        this.#cancelAgain();
        this.#cancelAgain = clock.after(LOOK_AGAIN_MS, () => this.#lookAgain());
      }
    });
    return this.#tail;
  }

  #lookAgain(): void {
    for (const [node, { state }] of this.#looked) if (state === "failed") this.#looked.delete(node);
    void this.#look();
  }

  async #lookAt(node: string, is: Looked): Promise<boolean> {
    const { bucket, openIndex, onLooked } = this.#options;
    const keys = new Map<string, PublicKey[]>();
    try {
      for (const { prefix, publicKey } of this.#ofPlace(node)) {
        keys.set(prefix, [...(keys.get(prefix) ?? []), PublicKey.of(publicKey)]);
      }
      const folders: Folder[] = [];
      for (const [prefix, all] of keys) {
        const index = await openIndex(prefix);
        folders.push({ node, prefix, index, signer: anyOf(all) });
        // What was known of it before counts until the archive says otherwise.
        is.folders = folders;
        onLooked(node, await findArchived(bucket, prefix, index, () => false, this.#closing.signal), null);
      }
      return true;
    } catch (error) {
      if (!this.#closing.signal.aborted) onLooked(node, null, error);
      return false;
    }
  }
}

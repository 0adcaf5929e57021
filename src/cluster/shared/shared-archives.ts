import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const ARCHIVES = "/overlay-companion/archives/";
const TELL_AGAIN_MS = 10_000;
/** Of one node: its archive and its key change seldom. Older ones are forgotten. */
const MOST_ARCHIVES = 32;

const ARCHIVE = z.strictObject({
  place: z.string().max(4096),
  prefix: z.string().max(4096),
  public_key: z.string().max(512),
});
const SCHEMA = z.strictObject({ archives: z.array(ARCHIVE).max(MOST_ARCHIVES) });
type Archives = z.infer<typeof SCHEMA>;

/** Where a node archives what it recorded, and by what it signs; as recordings know it. */
interface NodeArchive {
  readonly place: string;
  readonly prefix: string;
  readonly publicKey: string;
}

interface SharedArchivesOptions extends SharedPorts {
  readonly fleet: {
    /** Of this node. */
    readonly name: string;
    /** Those that are there. */
    readonly nodes: readonly { readonly name: string }[];
    whenChanged(look: () => void): () => void;
  };
  /** What was told could not be kept: it is told again. */
  onFault(error: unknown): void;
}

/**
 * Where each node of a fleet archives its recordings, and by which keys it signs them, so that others read there what a node recorded that
 * is gone. It is kept for good, by the names of nodes, with all that a node ever told.
 */
export class SharedArchives {
  readonly #options: SharedArchivesOptions;
  readonly #documents: SharedDocuments<Archives>;
  readonly #listeners = new Set<() => void>();
  #cancelTell = (): void => {};
  #isClosed = false;

  constructor(options: SharedArchivesOptions) {
    const { store, clock, sealer, onFailed } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<Archives>({
      ...{ store, clock, sealer, onFailed, prefix: ARCHIVES, purpose: "fleet/archive", schema: SCHEMA },
      onChange: () => {
        for (const look of [...this.#listeners]) look();
      },
    });
  }

  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTell();
    this.#documents.close();
  }

  /** As FleetArchives. */
  tell(own: NodeArchive): void {
    this.#tell(own).catch((error: unknown) => {
      if (this.#isClosed) return;
      if (!(error instanceof RefusedError)) this.#options.onFault(error);
      this.#cancelTell = this.#options.clock.after(TELL_AGAIN_MS, () => this.tell(own));
    });
  }

  /** As FleetArchives. */
  of(node: string): readonly NodeArchive[] {
    const { archives } = this.#documents.get(node) ?? { archives: [] };
    return archives.map(({ place, prefix, public_key }) => ({ place, prefix, publicKey: public_key }));
  }

  /** As FleetArchives. Nobody is gone before this node knows who is there. */
  get gone(): readonly string[] {
    const { name, nodes } = this.#options.fleet;
    const alive = new Set(nodes.map((node) => node.name));
    return alive.has(name) ? this.#documents.ids.filter((id) => !alive.has(id)) : [];
  }

  /** As FleetArchives. */
  whenChanged(look: () => void): () => void {
    this.#listeners.add(look);
    const off = this.#options.fleet.whenChanged(look);
    return () => {
      this.#listeners.delete(look);
      off();
    };
  }

  async #tell({ place, prefix, publicKey }: NodeArchive): Promise<void> {
    const own = { place, prefix, public_key: publicKey };
    const isOwn = (one: typeof own): boolean =>
      one.place === place && one.prefix === prefix && one.public_key === publicKey;
    await this.#documents.change(this.#options.fleet.name, (now) =>
      now?.archives.some(isOwn) === true
        ? now
        : { archives: [...(now?.archives ?? []), own].slice(-MOST_ARCHIVES) },
    );
  }
}

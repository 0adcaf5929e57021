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
  /** Another node archives where this one does; once for each. */
  onSharing(node: string, own: NodeArchive): void;
}

/**
 * Where each node of a fleet archives its recordings, and by which keys it signs them, so that others read there what a node recorded that
 * is gone. It is kept for good, by the names of nodes, with all that a node ever told.
 */
export class SharedArchives {
  readonly #options: SharedArchivesOptions;
  readonly #documents: SharedDocuments<Archives>;
  readonly #listeners = new Set<() => void>();
  readonly #warned = new Set<string>();
  #own: NodeArchive | null = null;
  #unfollow = (): void => {};
  #cancelTell = (): void => {};
  #isClosed = false;

  constructor(options: SharedArchivesOptions) {
    const { store, clock, sealer, onFailed } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<Archives>({
      ...{ store, clock, sealer, onFailed, prefix: ARCHIVES, purpose: "fleet/archive", schema: SCHEMA },
      onChange: () => {
        this.#warn();
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
    this.#unfollow();
    this.#documents.close();
  }

  /** As FleetArchives. */
  tell(own: NodeArchive): void {
    if (this.#own === null) this.#unfollow = this.#options.fleet.whenChanged(() => this.#warn());
    this.#own = own;
    this.#warn();
    this.#tell(own).catch((error: unknown) => {
      if (this.#isClosed) return;
      if (!(error instanceof RefusedError)) this.#options.onFault(error);
      this.#cancelTell = this.#options.clock.after(TELL_AGAIN_MS, () => this.tell(own));
    });
  }

  /**
   * Other nodes that are there and told last of the place and the prefix of this one. Who signs by the same key is this server, under
   * the name it had before.
   */
  get sharing(): readonly string[] {
    const own = this.#own;
    if (own === null) return [];
    const { name, nodes } = this.#options.fleet;
    const isSame = (one?: NodeArchive): boolean =>
      one?.place === own.place && one.prefix === own.prefix && one.publicKey !== own.publicKey;
    return nodes.map((node) => node.name).filter((node) => node !== name && isSame(this.of(node).at(-1)));
  }

  /** As FleetArchives; the last one is where it archives now. */
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

  #warn(): void {
    if (this.#own === null) return;
    for (const node of this.sharing) {
      if (this.#warned.has(node)) continue;
      this.#warned.add(node);
      this.#options.onSharing(node, this.#own);
    }
  }

  async #tell({ place, prefix, publicKey }: NodeArchive): Promise<void> {
    const own = { place, prefix, public_key: publicKey };
    const isOwn = (one: typeof own): boolean =>
      one.place === place && one.prefix === prefix && one.public_key === publicKey;
    await this.#documents.change(this.#options.fleet.name, (now) => {
      const [all, last] = [now?.archives ?? [], now?.archives.at(-1)];
      if (last !== undefined && isOwn(last)) return now;
      return { archives: [...all.filter((one) => !isOwn(one)), own].slice(-MOST_ARCHIVES) };
    });
  }
}

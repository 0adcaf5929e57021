import { RefusedError } from "../../desktop/error.ts";
import { SharedDocuments, type SharedDocumentsOptions } from "./shared-documents.ts";
import { Sweeps } from "./sweeps.ts";

const SWEEP_EVERY_MS = 60_000;
/** The rest is deleted by the next rounds. */
const MOST_IN_A_SWEEP = 500;

interface ExpiringDocumentsOptions<T> extends Omit<SharedDocumentsOptions<T>, "onChange"> {
  readonly lifetimeMs: number;
  /** See SharedDocuments. */
  onChange?(id: string, isGone: boolean): void;
}

/**
 * Documents of a fleet that whoever looks deletes once nobody changed them for a while. Each node counts by its own clock from when
 * it was told, so that no two clocks are compared: after a restart a document is as good as new.
 */
export class ExpiringDocuments<T extends object> {
  readonly documents: SharedDocuments<T>;
  readonly #options: ExpiringDocumentsOptions<T>;
  /** When this node was told of each as it is now. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #sweeps: Sweeps;

  constructor(options: ExpiringDocumentsOptions<T>) {
    const { clock } = options;
    this.#options = options;
    this.#sweeps = new Sweeps(clock, SWEEP_EVERY_MS, () => this.#sweep());
    this.documents = new SharedDocuments<T>({
      ...options,
      onChange: (id, isGone) => {
        if (isGone) this.#toldAtMs.delete(id);
        else this.#toldAtMs.set(id, clock.nowMs());
        options.onChange?.(id, isGone);
      },
    });
  }

  get size(): number {
    return this.#toldAtMs.size;
  }

  /** Resolves when all were read once. Never rejects. */
  async open(): Promise<void> {
    await this.documents.open();
    this.#sweeps.begin();
  }

  close(): void {
    this.#sweeps.close();
    this.documents.close();
  }

  /** When this node was told of it, by its clock; null for one that is not known here. */
  toldAtMs(id: string): number | null {
    return this.#toldAtMs.get(id) ?? null;
  }

  async #sweep(): Promise<void> {
    const { clock, lifetimeMs } = this.#options;
    const oldestMs = clock.nowMs() - lifetimeMs;
    const over = [...this.#toldAtMs].filter(([, atMs]) => atMs <= oldestMs).slice(0, MOST_IN_A_SWEEP);
    for (const [id] of over) {
      if (this.#sweeps.isClosed) return;
      try {
        await this.documents.remove(id);
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        // The store does not answer: it will be asked again.
        break;
      }
    }
  }
}

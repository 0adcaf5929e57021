import { RefusedError } from "../../desktop/error.ts";
import type { MaskKeeper } from "../../desktop/masks/desktop-masks.ts";
import { EVERYWHERE } from "../../desktop/masks/mask.ts";
import type { StoredMask } from "../../desktop/masks/masks.ts";
import { type MaskOnDisk, readMask, storedMaskSchema, writeMask } from "../../desktop/masks/stored-mask.ts";
import type { Change } from "../store/store.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const MASKS = "/overlay-companion/masks/";

interface SharedMasksOptions extends SharedPorts {
  /** See Fleet.bindingOf: who has a desktop alone changes what is hidden there. */
  bindingOf(desktopId: string): Change | null;
}

/**
 * The masks that people drew on the desktops of a fleet: a document each, so that of two who hide something at once neither
 * loses it. INVARIANT: one is written only under the fence of who has the desktop; who takes it after reads that fence's masks.
 */
export class SharedMasks implements MaskKeeper {
  readonly #documents: SharedDocuments<MaskOnDisk>;
  readonly #bindingOf: (desktopId: string) => Change | null;

  constructor({ bindingOf, ...options }: SharedMasksOptions) {
    this.#bindingOf = bindingOf;
    this.#documents = new SharedDocuments<MaskOnDisk>({
      ...options,
      ...{ prefix: MASKS, purpose: "fleet/mask", schema: storedMaskSchema, onChange: () => undefined },
    });
  }

  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#documents.close();
  }

  /** Those of a desktop are known. Throws StoreError. */
  refresh(desktopId: string): Promise<void> {
    return this.#documents.refresh(`${desktopId}/`);
  }

  /** In the order in which they were drawn. For one that cannot be read here all is hidden from everybody. */
  of(desktopId: string): readonly StoredMask[] {
    return this.#idsOf(desktopId)
      .map((id) => this.#read(id) ?? hidesAll(id.slice(desktopId.length + 1)))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  async added(desktopId: string, mask: StoredMask): Promise<void> {
    const bound = this.#bindingOf(desktopId);
    if (bound === null) return;
    await this.#documents.change(`${desktopId}/${mask.id}`, () => writeMask(mask, null), bound);
  }

  async removed(desktopId: string, maskId: string): Promise<void> {
    const bound = this.#bindingOf(desktopId);
    if (bound === null) return;
    await this.#documents.remove(`${desktopId}/${maskId}`, bound);
  }

  /** The desktop is gone, on all nodes. */
  async forget(desktopId: string): Promise<void> {
    await this.refresh(desktopId);
    for (const id of this.#idsOf(desktopId)) await this.#documents.remove(id);
  }

  #idsOf(desktopId: string): readonly string[] {
    return this.#documents.ids.filter((id) => id.startsWith(`${desktopId}/`));
  }

  #read(id: string): StoredMask | null {
    const stored = this.#documents.get(id);
    try {
      return stored === null || stored === undefined ? null : readMask(stored, null);
    } catch (error) {
      if (error instanceof RefusedError) return null;
      throw error;
    }
  }
}

function hidesAll(id: string): StoredMask {
  return {
    ...{ id, rect: EVERYWHERE, monitor: null, mark: null, audiences: ["agent", "viewer", "recording"] },
    label: "A mask that this node cannot read",
    createdAt: new Date(0).toISOString(),
  };
}

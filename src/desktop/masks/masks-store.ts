import * as z from "zod";
import { JsonFile } from "../../platform/json-file.ts";
import type { SecretSealer } from "../connections/connection-store.ts";
import { MASK_LIMIT, type StoredMask } from "./masks.ts";
import { readMask, storedMaskSchema, writeMask } from "./stored-mask.ts";

/** More desktops than an appliance may have, so that none loses its masks. */
const MAX_DESKTOPS = 1000;
const fileSchema = z.strictObject({
  version: z.literal(1),
  /** The masks that people drew, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), z.array(storedMaskSchema).max(MASK_LIMIT))
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});

/**
 * The masks that people drew, kept over a restart: a JSON file of mode 0600. A desktop keeps them until it is removed.
 * What one follows is a picture of what is to be hidden, or of what stands beside it: that is sealed.
 */
export class MasksStore {
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  readonly #sealer: SecretSealer;
  readonly #onFault: (error: unknown) => void;
  readonly #masks: Map<string, readonly StoredMask[]>;

  private constructor(
    file: JsonFile<z.infer<typeof fileSchema>>,
    sealer: SecretSealer,
    masks: Map<string, readonly StoredMask[]>,
    onFault: (error: unknown) => void,
  ) {
    this.#file = file;
    this.#sealer = sealer;
    this.#masks = masks;
    this.#onFault = onFault;
  }

  /**
   * Throws FileError or RefusedError invalid_parameters where the file is none of ours, and what `sealer` throws where it
   * cannot open it: starting without it would show what people hid. `onFault` is told when something could not be kept.
   */
  static async open(
    path: string,
    sealer: SecretSealer,
    onFault: (error: unknown) => void,
  ): Promise<MasksStore> {
    const file = new JsonFile(path, "a file of masks", fileSchema);
    const kept = await file.read();
    const masks = Object.entries(kept?.desktops ?? {}).map(
      ([id, all]) => [id, all.map((mask) => readMask(mask, sealer))] as const,
    );
    return new MasksStore(file, sealer, new Map(masks), onFault);
  }

  /** Of a desktop that is opened. */
  of(id: string): readonly StoredMask[] {
    return this.#masks.get(id) ?? [];
  }

  set(id: string, masks: readonly StoredMask[]): void {
    if (masks.length === 0 && !this.#masks.delete(id)) return;
    if (masks.length > 0) this.#masks.set(id, masks);
    const all = [...this.#masks];
    const desktops = (): unknown =>
      Object.fromEntries(all.map(([key, kept]) => [key, kept.map((mask) => writeMask(mask, this.#sealer))]));
    this.#file.write(() => ({ version: 1, desktops: desktops() })).catch(this.#onFault);
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#file.flush();
  }
}

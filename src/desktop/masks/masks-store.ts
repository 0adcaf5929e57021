import * as z from "zod";
import { MAX_SIDE } from "../../framebuffer/framebuffer.ts";
import { JsonFile } from "../../platform/json-file.ts";
import { hidesSomething, maskFields } from "./mask-fields.ts";
import { readMark, storedMark } from "./mask-mark.ts";
import { maskOf, saidOf } from "./mask-on-wire.ts";
import { MASK_LIMIT, type StoredMask } from "./masks.ts";

/** More desktops than an appliance may have, so that none loses its masks. */
const MAX_DESKTOPS = 1000;
/** Base64 of 64 Ki pixels that deflate does not make smaller. */
const MOST_MARK_CHARACTERS = 400_000;

const corner = z.int().min(-MAX_SIDE).max(MAX_SIDE);
const side = z.int().min(1).max(MAX_SIDE);

const maskSchema = z
  .strictObject({
    ...maskFields,
    id: z.string().min(1).max(100),
    created_at: z.string().max(40),
    anchor: z
      .strictObject({
        x: corner,
        y: corner,
        width: side,
        height: side,
        pixels: z.string().max(MOST_MARK_CHARACTERS),
      })
      .exactOptional(),
  })
  .refine(...hidesSomething);

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** The masks that people drew, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), z.array(maskSchema).max(MASK_LIMIT))
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});

/** The masks that people drew, kept over a restart: a JSON file of mode 0600. A desktop keeps them until it is removed. */
export class MasksStore {
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  readonly #onFault: (error: unknown) => void;
  readonly #masks: Map<string, readonly StoredMask[]>;

  private constructor(
    file: JsonFile<z.infer<typeof fileSchema>>,
    masks: Map<string, readonly StoredMask[]>,
    onFault: (error: unknown) => void,
  ) {
    this.#file = file;
    this.#masks = masks;
    this.#onFault = onFault;
  }

  /**
   * Throws FileError or RefusedError invalid_parameters where the file is none of ours: starting without it would show
   * what people hid. `onFault` is told when something could not be kept.
   */
  static async open(path: string, onFault: (error: unknown) => void): Promise<MasksStore> {
    const file = new JsonFile(path, "a file of masks", fileSchema);
    const kept = await file.read();
    const masks = Object.entries(kept?.desktops ?? {}).map(([id, all]) => [id, all.map(readMask)] as const);
    return new MasksStore(file, new Map(masks), onFault);
  }

  /** Of a desktop that is opened. */
  of(id: string): readonly StoredMask[] {
    return this.#masks.get(id) ?? [];
  }

  set(id: string, masks: readonly StoredMask[]): void {
    if (masks.length === 0 && !this.#masks.delete(id)) return;
    if (masks.length > 0) this.#masks.set(id, masks);
    const all = [...this.#masks];
    const desktops = (): unknown => Object.fromEntries(all.map(([key, kept]) => [key, kept.map(writeMask)]));
    this.#file.write(() => ({ version: 1, desktops: desktops() })).catch(this.#onFault);
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#file.flush();
  }
}

function readMask({ id, created_at, anchor, ...said }: z.infer<typeof maskSchema>): StoredMask {
  return {
    ...maskOf(said),
    ...{ id, createdAt: created_at },
    mark: anchor === undefined ? null : readMark(anchor),
  };
}

function writeMask({ id, createdAt, mark, ...spec }: StoredMask): unknown {
  return {
    ...Object(saidOf(spec)),
    ...{ id, created_at: createdAt },
    ...(mark === null ? {} : { anchor: storedMark(mark) }),
  };
}

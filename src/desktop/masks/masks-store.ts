import * as z from "zod";
import { MAX_SIDE } from "../../framebuffer/framebuffer.ts";
import { JsonFile } from "../../platform/json-file.ts";
import type { SecretSealer } from "../connections/connection-store.ts";
import { RefusedError } from "../error.ts";
import { hidesSomething, maskFields } from "./mask-fields.ts";
import { type MaskMark, readMark, storedMark } from "./mask-mark.ts";
import { maskOf, saidOf } from "./mask-on-wire.ts";
import { MASK_LIMIT, type StoredMask } from "./masks.ts";

/** More desktops than an appliance may have, so that none loses its masks. */
const MAX_DESKTOPS = 1000;
/** Base64 of 64 Ki pixels that deflate does not make smaller. */
const MOST_MARK_CHARACTERS = 400_000;
/** The same sealed, which is base64 once more. */
const MOST_SEALED_CHARACTERS = 600_000;

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
        pixels_sealed: z.string().max(MOST_SEALED_CHARACTERS).exactOptional(),
        /** Versions before this one kept them open: the next time that masks are written they are sealed. */
        pixels: z.string().max(MOST_MARK_CHARACTERS).exactOptional(),
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

/** Binds a sealed picture to its mask. */
const purposeOf = (id: string): string => `mask:${id}:anchor`;

type MaskOnDisk = z.infer<typeof maskSchema>;

function readMask({ id, created_at, anchor, ...said }: MaskOnDisk, sealer: SecretSealer): StoredMask {
  return {
    ...maskOf(said),
    ...{ id, createdAt: created_at },
    mark: anchor === undefined ? null : readAnchor(anchor, id, sealer),
  };
}

function readAnchor(
  { pixels_sealed: sealed, pixels: open, ...place }: NonNullable<MaskOnDisk["anchor"]>,
  id: string,
  sealer: SecretSealer,
): MaskMark {
  const pixels = sealed === undefined ? open : sealer.open(sealed, purposeOf(id));
  if (pixels !== undefined) return readMark({ ...place, pixels });
  throw new RefusedError(
    "invalid_parameters",
    `the anchor of mask ${id} has no pixels, expected pixels_sealed`,
  );
}

function writeMask({ id, createdAt, mark, ...spec }: StoredMask, sealer: SecretSealer): unknown {
  return {
    ...Object(saidOf(spec)),
    ...{ id, created_at: createdAt },
    ...(mark === null ? {} : { anchor: writeAnchor(mark, id, sealer) }),
  };
}

function writeAnchor(mark: MaskMark, id: string, sealer: SecretSealer): MaskOnDisk["anchor"] {
  const { pixels, ...place } = storedMark(mark);
  return { ...place, pixels_sealed: sealer.seal(pixels, purposeOf(id)) };
}

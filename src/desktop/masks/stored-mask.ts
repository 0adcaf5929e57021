import * as z from "zod";
import { MAX_SIDE } from "../../framebuffer/framebuffer.ts";
import type { SecretSealer } from "../connections/connection-store.ts";
import { RefusedError } from "../error.ts";
import { hidesSomething, maskFields } from "./mask-fields.ts";
import { type MaskMark, readMark, storedMark } from "./mask-mark.ts";
import { maskOf, saidOf } from "./mask-on-wire.ts";
import type { StoredMask } from "./masks.ts";

/** Base64 of 64 Ki pixels that deflate does not make smaller. */
const MOST_MARK_CHARACTERS = 400_000;
/** The same sealed, which is base64 once more. */
const MOST_SEALED_CHARACTERS = 600_000;

const corner = z.int().min(-MAX_SIDE).max(MAX_SIDE);
const side = z.int().min(1).max(MAX_SIDE);

/** A mask as it is written down. */
export const storedMaskSchema = z
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
        /** Open where all of the mask is sealed, and in files of old versions, which are sealed when they are written again. */
        pixels: z.string().max(MOST_MARK_CHARACTERS).exactOptional(),
      })
      .exactOptional(),
  })
  .refine(...hidesSomething);

/** Binds a sealed picture to its mask. */
const purposeOf = (id: string): string => `mask:${id}:anchor`;

export type MaskOnDisk = z.infer<typeof storedMaskSchema>;

/** Throws RefusedError invalid_parameters, and what `sealer` throws. */
export function readMask(
  { id, created_at, anchor, ...said }: MaskOnDisk,
  sealer: SecretSealer | null,
): StoredMask {
  return {
    ...maskOf(said),
    ...{ id, createdAt: created_at },
    mark: anchor === undefined ? null : readAnchor(anchor, id, sealer),
  };
}

function readAnchor(
  { pixels_sealed: sealed, pixels: open, ...place }: NonNullable<MaskOnDisk["anchor"]>,
  id: string,
  sealer: SecretSealer | null,
): MaskMark {
  const pixels = sealed === undefined ? open : sealer?.open(sealed, purposeOf(id));
  if (pixels !== undefined) return readMark({ ...place, pixels });
  throw new RefusedError(
    "invalid_parameters",
    `the anchor of mask ${id} has no pixels, expected pixels_sealed`,
  );
}

/** `sealer` null: what it follows is written open, for all of it is sealed. */
export function writeMask(
  { id, createdAt, mark, ...spec }: StoredMask,
  sealer: SecretSealer | null,
): MaskOnDisk {
  return {
    ...saidOf(spec),
    ...{ id, created_at: createdAt },
    ...(mark === null ? {} : { anchor: writeAnchor(mark, id, sealer) }),
  };
}

function writeAnchor(
  mark: MaskMark,
  id: string,
  sealer: SecretSealer | null,
): NonNullable<MaskOnDisk["anchor"]> {
  const { pixels, ...place } = storedMark(mark);
  if (sealer === null) return { ...place, pixels };
  return { ...place, pixels_sealed: sealer.seal(pixels, purposeOf(id)) };
}

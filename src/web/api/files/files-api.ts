import * as z from "zod";

const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** `POST /api/v1/desktops/:id/files` */
export const sendBodySchema = z.strictObject({
  files: z.array(z.strictObject({ name: z.string().max(1000), size: bytes })).max(1000),
});

/** `PUT /api/v1/desktops/:id/files/:sendingId/:index`: where the part begins that is the body. */
export const partQuerySchema = z.object({ offset: z.coerce.number().int().min(0).default(0) });

export const sendingSchema = z.object({
  id: z.string(),
  /** All of it is here: somebody may paste it on the desktop. */
  is_offered: z.boolean(),
  files: z.array(
    z.object({
      name: z.string(),
      size: bytes,
      /** Bytes that are here. */
      received: bytes,
      /** How far the desktop has read. */
      taken: bytes,
    }),
  ),
});
export type SendingInfo = z.infer<typeof sendingSchema>;

/** `GET /api/v1/desktops/:id/files` */
export const filesSchema = z.object({
  /** Whether files go to and from the desktop as it is connected now. */
  is_able: z.boolean(),
  /** What was copied on the desktop last. */
  copied: z.object({
    list: z.int(),
    /** More than are taken: nothing of them is listed. */
    is_too_many: z.boolean(),
    files: z.array(
      z.object({
        index: z.int(),
        name: z.string(),
        /** In what was copied: "a/b"; empty at its top. */
        folder: z.string(),
        /** null: the desktop does not say. */
        size: bytes.nullable(),
      }),
    ),
  }),
  /** What the caller sends, the oldest first. */
  sendings: z.array(sendingSchema),
});
export type FilesInfo = z.infer<typeof filesSchema>;

import * as z from "zod";
import { dataFormat } from "../data-format.ts";
import { BackupError } from "./backup-error.ts";

/** Last in an archive: it tells of all files before it. */
export const MANIFEST = "manifest.json";
/** Before the path of each file of the data folder. */
export const DATA = "data/";
/** The key that passwords, secrets and keys of encrypted recordings are sealed with. */
export const SECRET_KEY = "secret.key";
/** In an archive. Each is some 150 bytes in its manifest. */
export const MAX_FILES = 500_000;
export const MAX_MANIFEST_BYTES = 128 * 2 ** 20;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const manifestSchema = z.strictObject({
  kind: z.literal("overlay-companion backup"),
  data_format: dataFormat,
  /** The version that made the backup. */
  version: z.string().min(1).max(40),
  created_at: z.iso.datetime(),
  /** null where there is no key yet. `apart`: not in the archive. */
  secret_key: z.strictObject({ is_apart: z.boolean(), sha256 }).nullable(),
  /** Paths are in the data folder, with forward slashes. */
  files: z
    .array(z.strictObject({ path: z.string().min(1).max(1024), bytes: z.int().nonnegative(), sha256 }))
    .max(MAX_FILES),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Throws BackupError bad_backup. */
export function readManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BackupError("bad_backup", `the ${MANIFEST} of the backup is no JSON`, { cause });
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BackupError(
    "bad_backup",
    `the ${MANIFEST} of the backup is not one: ${z.prettifyError(parsed.error)}`,
  );
}

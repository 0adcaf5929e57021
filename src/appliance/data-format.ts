import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { JsonFile } from "../platform/json-file.ts";
import { VERSION } from "../platform/version.ts";

/** Raised when a release writes what an older one would misread. */
const DATA_FORMAT = 1;
export const FORMAT_FILE = "data-format.json";
/** There while a backup is put in place. */
export const RESTORING_FILE = ".restoring";

/** `version` is that of the release that wrote this format first here. */
export const dataFormat = z.strictObject({ format: z.int().positive(), version: z.string().min(1).max(40) });
export type DataFormat = z.infer<typeof dataFormat>;

/** A data folder that this version must not work on. */
export class DataFormatError extends Error {
  override readonly name = "DataFormatError";
  readonly code: "newer_data" | "unfinished_restore";

  constructor(code: DataFormatError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** What this version writes. */
export const CURRENT_FORMAT: DataFormat = { format: DATA_FORMAT, version: VERSION };

/** Throws DataFormatError newer_data. `what` is the folder or file that has it. */
export function refuseNewer(what: string, { format, version }: DataFormat): void {
  if (format <= DATA_FORMAT) return;
  throw new DataFormatError(
    "newer_data",
    `${what} has data format ${format}, made by version ${version}; this version, ${VERSION}, knows formats up to ${DATA_FORMAT}: use version ${version} or a later one, or a backup that was made before`,
  );
}

/**
 * The format of a data folder; null where none is noted: it is new, or of a version before there were numbers. Throws
 * DataFormatError for a folder that this version must not touch, FileError for a file that tells no format.
 */
export async function checkDataFormat(dataDir: string): Promise<DataFormat | null> {
  if ((await stat(join(dataDir, RESTORING_FILE)).catch(() => null)) !== null) {
    throw new DataFormatError(
      "unfinished_restore",
      `${dataDir} holds half a backup, whose restore was cut off: run restore FILE --replace again`,
    );
  }
  const found = await formatFile(dataDir).read();
  if (found !== null) refuseNewer(dataDir, found);
  return found;
}

/** Checks a data folder that is there, and notes the format where none is noted. Throws as checkDataFormat. */
export async function openDataFormat(dataDir: string): Promise<void> {
  if ((await checkDataFormat(dataDir)) === null) await formatFile(dataDir).write(() => CURRENT_FORMAT);
}

/** Does what leaves a data folder half done where it ends early: nothing works on it until it was done again. */
export async function whileRestoring(dataDir: string, run: () => Promise<void>): Promise<void> {
  const path = join(dataDir, RESTORING_FILE);
  await writeFile(path, "", { mode: 0o600 });
  await run();
  await rm(path);
}

function formatFile(dataDir: string): JsonFile<DataFormat> {
  return new JsonFile(join(dataDir, FORMAT_FILE), "a note of the data format", dataFormat);
}

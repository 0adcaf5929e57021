import { readdir, readFile } from "node:fs/promises";
import { PACKAGE_FOLDER } from "../platform/package-folder.ts";
import { VisionError } from "./error.ts";

/** Models that ship. */
export const MODELS = new URL("data/tessdata/", PACKAGE_FOLDER);

const SUFFIX = ".traineddata";

/** The languages that can be read, by the names of their models: none where there is no folder. */
export async function listLanguages(folder = MODELS): Promise<string[]> {
  return (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** The model of a language; rejects with VisionError models_missing that names those that are there. */
export async function readModel(language: string, folder = MODELS): Promise<Uint8Array> {
  const known = await listLanguages(folder);
  if (!known.includes(language)) {
    const there = known.length === 0 ? "none at all" : known.join(", ");
    throw new VisionError("models_missing", `got language ${language}, expected one of ${there}`);
  }
  try {
    return await readFile(new URL(language + SUFFIX, folder));
  } catch (cause) {
    throw new VisionError("models_missing", `the model of ${language} cannot be read`, { cause });
  }
}

import { type Config, ConfigError } from "../config/config-schema.ts";
import { OcrPool, type OcrTimer } from "../vision/ocr-pool.ts";
import { findTesseract, INSTALL_LINE } from "../vision/tesseract-program.ts";

/** What reads text, by the engine that is configured. `path`: as in the environment, which it is taken from by default. Rejects with ConfigError where that is not installed. */
export async function openReader(
  { vision }: Pick<Config, "vision">,
  timer: OcrTimer,
  path?: string,
): Promise<OcrPool> {
  if (vision.engine === "embedded") return new OcrPool(timer);
  const program = await findTesseract(path);
  if (program === null) {
    throw new ConfigError(
      `vision.engine: got tesseract, expected a program of that name in PATH: install it (${INSTALL_LINE}), or set vision.engine to embedded`,
    );
  }
  return new OcrPool(timer, { kind: "tesseract", program });
}

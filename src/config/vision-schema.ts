import * as z from "zod";
import { OCR_ENGINES } from "../vision/ocr-engine.ts";

/** What reads the text of desktops. */
export const visionSchema = z
  .strictObject({
    engine: z
      .enum(OCR_ENGINES)
      .default("embedded")
      .describe(
        "What reads text in pictures: embedded (Tesseract as WebAssembly, which ships), tesseract (the program of that name in PATH, which is native and has every language whose package is installed; Debian: apt-get install tesseract-ocr tesseract-ocr-deu). Where it is not installed nothing starts.",
      ),
  })
  .prefault({});

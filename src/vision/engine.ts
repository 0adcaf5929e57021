import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { TessBaseAPI, TesseractCore } from "tesseract.js-core/tesseract-core-simd-lstm.js";
import { VisionError } from "./error.ts";
import { readModel } from "./models.ts";
import { type EngineWord, type GreyPicture, type OcrEngine, wordsOfTable } from "./ocr-engine.ts";

/** Tesseract's page segmentation mode for a picture of one line: lines are cut by ourselves, better than it does. */
const ONE_LINE = 7;

/** Tesseract's engine mode: its neural network alone, the only one that the models and this build have. */
const LSTM_ONLY = 1;

/** Where the engine looks for models, in the file system of its memory. */
const MODEL_DIR = "/models";
const PICTURE = "/input";

/** What is written beside a picture without a unit of length; the network was taught with this many pixels an inch. */
const PIXELS_AN_INCH = 300;

/** Tesseract as WebAssembly, with the models of the languages it read last. It holds the thread while it reads. */
export class Engine implements OcrEngine {
  readonly #core: TesseractCore;
  readonly #api: TessBaseAPI;
  readonly #models = new Set<string>();
  #languages = "";

  private constructor(core: TesseractCore) {
    this.#core = core;
    this.#api = new core.TessBaseAPI();
    core.FS.mkdir(MODEL_DIR);
  }

  /** Rejects with VisionError engine_failed where the WebAssembly does not start. */
  static async open(): Promise<Engine> {
    try {
      const require = createRequire(import.meta.url);
      const wasmBinary = await readFile(require.resolve(`${CORE}.wasm`));
      const { default: createCore } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
      const ignore = (): void => {};
      return new Engine(await createCore({ wasmBinary, print: ignore, printErr: ignore }));
    } catch (cause) {
      throw new VisionError("engine_failed", "the OCR engine does not start here", { cause });
    }
  }

  async use(languages: readonly string[]): Promise<void> {
    const wanted = languages.join("+");
    if (wanted === this.#languages) return;
    for (const language of languages) {
      if (this.#models.has(language)) continue;
      const model = await readModel(language);
      this.#core.FS.writeFile(`${MODEL_DIR}/${language}.traineddata`, model);
      this.#models.add(language);
    }
    this.#languages = "";
    if (this.#api.Init(MODEL_DIR, wanted, LSTM_ONLY) !== 0) {
      throw new VisionError("engine_failed", `the OCR engine does not take the models of ${wanted}`);
    }
    this.#languages = wanted;
  }

  async read(pictures: Iterable<GreyPicture>): Promise<EngineWord[][]> {
    return Array.from(pictures, (picture) => this.#readLine(picture));
  }

  #readLine({ width, height, grey }: GreyPicture): EngineWord[] {
    const api = this.#api;
    const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
    const file = new Uint8Array(header.length + grey.length);
    file.set(header);
    file.set(grey, header.length);
    this.#core.FS.writeFile(PICTURE, file);
    api.SetPageSegMode(ONE_LINE);
    if (api.SetImageFile(1, 0) === 1) throw new VisionError("engine_failed", "the picture was not taken");
    api.SetSourceResolution(PIXELS_AN_INCH);
    if (api.Recognize(null) !== 0) throw new VisionError("engine_failed", "the picture could not be read");
    return wordsOfTable(api.GetTSVText(0), 1)[0] ?? [];
  }
}

const CORE = "tesseract.js-core/tesseract-core-simd-lstm";

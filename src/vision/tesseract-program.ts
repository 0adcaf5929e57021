import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { VisionError } from "./error.ts";
import { greyTiff } from "./grey-tiff.ts";
import { listLanguages, MODELS } from "./models.ts";
import {
  type EngineChoice,
  type EngineWord,
  type GreyPicture,
  type OcrEngine,
  wordsOfTable,
} from "./ocr-engine.ts";

/** What brings it, on Debian and what is made of it. */
export const INSTALL_LINE = "apt-get install tesseract-ocr tesseract-ocr-deu tesseract-ocr-eng";

/**
 * Of one run: its models are loaded once for all of them. Few enough that a run is over soon: one whose thread was ended goes
 * on until it has read them.
 */
const MOST_PICTURES = 32;
const MOST_BYTES = 4 * 2 ** 20;
/** A run takes a second or two: what takes longer hangs. It is told before the thread is taken to hang. */
const MOST_MS = 45_000;
/** Of one run, enforced by the system also where nobody waits for it any more: seconds of CPU, KiB of memory. */
const MOST_CPU_S = 45;
const MOST_MEMORY_KIB = 1_500_000;
/** A word is some 60 bytes of its table. */
const MOST_ANSWER = 4 * 2 ** 20;

/** One line in a picture; the neural network, which is all that the models have. */
const ARGUMENTS = ["--psm", "7", "--oem", "1", "-c", "tessedit_create_tsv=1"];
const PIXELS_AN_INCH = 300;
/** A script that says more than how many it knows, as the one that tells how a page is turned. */
const NO_LANGUAGES = new Set(["osd", "equ", "snum"]);

/** Shells that start a program end with these where it is not there, or cannot be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/** The path of Tesseract's own program; null where none is installed. `path`: as in the environment. */
export async function findTesseract(path = process.env["PATH"] ?? ""): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, "tesseract");
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

/** Names of the languages that an engine can read. Rejects as `listOfProgram` does. */
export async function languagesOf(choice: EngineChoice): Promise<readonly string[]> {
  const shipped = await listLanguages();
  if (choice.kind === "embedded") return shipped;
  return [...new Set([...shipped, ...(await listOfProgram(choice.program))])].sort();
}

/** The languages whose models the program has itself. Rejects with VisionError engine_missing, engine_failed. */
async function listOfProgram(program: string): Promise<string[]> {
  const said = await run(program, ["--list-langs"], new Uint8Array());
  // A line of words, then a name each; of scripts with a slash.
  return said
    .split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((name) => /^[A-Za-z_]{3,20}$/.test(name) && !NO_LANGUAGES.has(name))
    .sort();
}

/**
 * Tesseract as the operating system has it, by its standard input and output: native, and with each language that is
 * installed. Lines are handed to it many at a time; it has nothing of ours but them.
 */
export class TesseractProgram implements OcrEngine {
  readonly #program: string;
  #own: readonly string[] | null = null;
  #models: readonly string[] = [];

  constructor(program: string) {
    this.#program = program;
  }

  /** Models that ship where all of them do, else the program's own: it takes them from one folder. */
  async use(languages: readonly string[]): Promise<void> {
    const shipped = await listLanguages();
    const wanted = ["-l", languages.join("+")];
    if (languages.every((language) => shipped.includes(language))) {
      this.#models = ["--tessdata-dir", fileURLToPath(MODELS), ...wanted];
      return;
    }
    this.#own ??= await listOfProgram(this.#program);
    const missing = languages.find((language) => this.#own?.includes(language) !== true);
    if (missing !== undefined) {
      const there = [...new Set([...shipped, ...this.#own])].sort().join(", ");
      throw new VisionError("models_missing", `got language ${missing}, expected one of ${there}`);
    }
    this.#models = wanted;
  }

  async read(pictures: Iterable<GreyPicture>): Promise<EngineWord[][]> {
    const words: EngineWord[][] = [];
    for (const batch of batchesOf(pictures)) {
      const file = greyTiff(batch, PIXELS_AN_INCH);
      const table = await run(this.#program, ["stdin", "stdout", ...this.#models, ...ARGUMENTS], file);
      words.push(...wordsOfTable(table, batch.length));
    }
    return words;
  }
}

function* batchesOf(pictures: Iterable<GreyPicture>): Generator<GreyPicture[]> {
  let batch: GreyPicture[] = [];
  let bytes = 0;
  for (const picture of pictures) {
    if (batch.length === MOST_PICTURES || (batch.length > 0 && bytes + picture.grey.length > MOST_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(picture);
    bytes += picture.grey.length;
  }
  if (batch.length > 0) yield batch;
}

/** What it writes. Rejects with VisionError engine_missing, or engine_failed with what it ended with; never what it read. */
function run(program: string, args: readonly string[], input: Uint8Array): Promise<string> {
  const limited = `ulimit -t ${MOST_CPU_S}; ulimit -v ${MOST_MEMORY_KIB}; exec "$@"`;
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", limited, "sh", program, ...args], {
      env: { LC_ALL: "C.UTF-8", OMP_THREAD_LIMIT: "1" },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: MOST_MS,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_ANSWER) chunks.push(chunk);
      else child.kill("SIGKILL");
    });
    const fail = (how: string, cause?: unknown): void =>
      reject(new VisionError("engine_failed", `tesseract ${how}`, { cause }));
    child.on("error", (cause) => fail("could not be started", cause));
    child.on("close", (status, signal) => {
      if (status === 0 && bytes <= MOST_ANSWER) resolve(Buffer.concat(chunks).toString());
      else {
        const failed = (): void => fail(`ended with ${signal ?? `status ${status}`}, expected status 0`);
        // A program whose libraries cannot be loaded ends so, too.
        if (status !== NOT_FOUND && status !== NOT_RUNNABLE) failed();
        else access(program, constants.X_OK).then(failed, () => reject(missing(program)));
      }
    });
    // One that ends before it has read all is told by its status.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** `program`: where it was expected. */
function missing(program: string): VisionError {
  return new VisionError(
    "engine_missing",
    `expected tesseract at ${program}: install it (${INSTALL_LINE}), or set vision.engine to embedded`,
  );
}

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cutPicture } from "../../src/vision/cut/cut-lines.ts";
import { Engine } from "../../src/vision/engine.ts";
import { CellReader } from "../../src/vision/glyphs/cell-reader.ts";
import type { OcrEngine } from "../../src/vision/ocr-engine.ts";
import type { LineWords } from "../../src/vision/ocr-messages.ts";
import { readLines } from "../../src/vision/read-line.ts";
import { inReadingOrder } from "../../src/vision/reading-order.ts";
import { pixelsOf, type Scene } from "./scene.ts";
import type { ReadWord } from "./score.ts";

export interface Reading {
  readonly words: readonly ReadWord[];
  readonly cpuMs: number;
}

/** What the appliance reads: the words of each line, in reading order. */
export interface OurReading extends Reading {
  readonly lines: LineWords;
}

/** As the appliance reads a desktop's text: the most likely language first. */
const LANGUAGES = ["deu", "eng"] as const;

/** Reads a picture as a thread of the OCR pool does, in this thread, by the engine that ships or another one. */
export async function openOurReader(other?: OcrEngine): Promise<(scene: Scene) => Promise<OurReading>> {
  const engine = other ?? (await Engine.open());
  await engine.use(LANGUAGES);
  return async (scene) => {
    const picture = await pixelsOf(scene);
    const before = process.cpuUsage();
    const beforeOfEnded = cpuOfEnded();
    const lines = await readLines(engine, await CellReader.open(), inReadingOrder(cutPicture(picture)));
    const { user, system } = process.cpuUsage(before);
    return { lines, words: lines.flat(), cpuMs: (user + system) / 1000 + cpuOfEnded() - beforeOfEnded };
  };
}

/** Milliseconds of CPU of programs that this process started and that have ended (cutime and cstime of proc(5)). */
function cpuOfEnded(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

const MODELS = fileURLToPath(new URL("../../data/tessdata", import.meta.url));

/** Tesseract's own program on the same models, one thread, a picture as it is. */
export function readWithProgram({ file }: Scene, folder: string): Reading {
  const picture = join(folder, "scene.png");
  writeFileSync(picture, file);
  const script = `tesseract "$1" - --tessdata-dir "$2" --psm 3 -l ${LANGUAGES.join("+")} -c tessedit_create_tsv=1; times`;
  const { stdout, status, stderr } = spawnSync("sh", ["-c", script, "sh", picture, MODELS], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, OMP_THREAD_LIMIT: "1" },
  });
  if (status !== 0) throw new Error(`tesseract ended with ${status}: ${stderr}`);
  const rows = stdout.split("\n");
  const words = rows.flatMap((row): ReadWord[] => {
    const [level, , , , , , x, y, width, height, , text = ""] = row.split("\t");
    if (level !== "5" || text.trim() === "") return [];
    return [{ text, rect: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) } }];
  });
  // The last line of `times`: user and system time of what the shell ran, "1m2.5s 0m0.1s".
  const spent = [...(rows.at(-2) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  if (spent.length !== 2) throw new Error(`expected times of the shell, got ${rows.at(-2)}`);
  const cpuMs = spent.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  );
  return { words, cpuMs };
}

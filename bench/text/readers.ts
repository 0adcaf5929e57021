import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cutPicture } from "../../src/vision/cut/cut-lines.ts";
import { Engine } from "../../src/vision/engine.ts";
import { CellReader } from "../../src/vision/glyphs/cell-reader.ts";
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

/** Reads a picture as a thread of the OCR pool does, in this thread. */
export async function openOurReader(): Promise<(scene: Scene) => Promise<OurReading>> {
  const engine = await Engine.open();
  await engine.use(LANGUAGES);
  return async (scene) => {
    const picture = await pixelsOf(scene);
    const before = process.cpuUsage();
    const lines = readLines(engine, await CellReader.open(), inReadingOrder(cutPicture(picture)));
    const { user, system } = process.cpuUsage(before);
    return { lines, words: lines.flat(), cpuMs: (user + system) / 1000 };
  };
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

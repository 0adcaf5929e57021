import { fileURLToPath } from "node:url";
import { type Line, tableOf } from "../line.ts";
import { benchAnchor } from "./anchor.ts";
import { benchBlend, benchChange } from "./change.ts";
import { benchEncode } from "./encode.ts";
import { mixedScene, type Scene } from "./scene.ts";

/** P1 to P4 and P8 to P10: what is done with pixels, in this process. */
export async function benchPixels(scenes: readonly Scene[], isShort: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const scene of scenes) {
    for (const bench of [benchEncode, benchBlend, benchChange, benchAnchor])
      lines.push(...(await bench(scene, isShort)));
  }
  return lines;
}

// Alone: `npx tsx bench/pixels/all.ts`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${tableOf(await benchPixels([mixedScene()], false))}\n`);
}

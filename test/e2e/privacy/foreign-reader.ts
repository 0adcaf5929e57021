import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import type { Shot } from "../harness/xwd.ts";

const run = promisify(execFile);

/** What Debian's tesseract, another build with other models than the appliance's, reads in a picture: lines of text. */
export async function readForeign({ width, height, rgba }: Shot): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "oc-foreign-"));
  try {
    const file = join(folder, "frame.png");
    // Twice as large: small letters are read better by it.
    const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
      .resize({ width: width * 2, kernel: "cubic" })
      .png({ compressionLevel: 1 })
      .toBuffer();
    writeFileSync(file, png);
    const env = { ...process.env, OMP_THREAD_LIMIT: "1" };
    const { stdout } = await run("tesseract", [file, "-", "--psm", "11"], { env, maxBuffer: 1 << 26 });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a text is in what was read, blanks aside: readers put those where they like. */
export function isReadIn(text: string, read: string): boolean {
  return plain(read).includes(plain(text));
}

const plain = (text: string): string => text.replace(/\s/g, "").toLowerCase();

import * as z from "zod";
import { readPrivateFile, writePrivateFile } from "../../platform/private-file.ts";

/** Up to where a receiver has the log, and where the next line is to be looked for first. */
export interface Cursor {
  /** Number of the last line it has; 0 for none. */
  readonly seq: number;
  /** Inode of the file with that line, and the byte behind it. A hint: what they point to is checked. */
  readonly ino: number;
  readonly offset: number;
}
const CURSOR_START: Cursor = { seq: 0, ino: 0, offset: 0 };

const cursorFile = z.strictObject({
  seq: z.int().nonnegative(),
  ino: z.number().nonnegative(),
  offset: z.int().nonnegative(),
});

/** Where nothing can be read of it the log is sent again from its begin: twice, and seen to be, is better than never. */
export async function readCursor(path: string): Promise<Cursor> {
  try {
    const parsed = cursorFile.safeParse(JSON.parse((await readPrivateFile(path)) ?? "null"));
    return parsed.success ? parsed.data : CURSOR_START;
  } catch (error) {
    if (error instanceof SyntaxError) return CURSOR_START;
    throw error;
  }
}

export function writeCursor(path: string, cursor: Cursor): Promise<void> {
  return writePrivateFile(path, `${JSON.stringify(cursor)}\n`);
}

import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;

/** What a file holds, or null where there is none. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Replaces a file at once, readable by its owner only: a crash leaves the old one or the new one, never half. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await withDraft(path, text, (draft) => rename(draft, path));
}

/** Writes `text` unless the file is there already; gives what the file holds then. Two processes get the same. */
export async function createPrivateFile(path: string, text: string): Promise<string> {
  try {
    await withDraft(path, text, (draft) => link(draft, path));
    return text;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  // Copied by hand or restored from a backup, it may have become readable by others.
  await chmod(path, OWNER_ONLY);
  return readFile(path, "utf8");
}

/**
 * Takes the rights of other users from a directory of ours that was there before; true where they had any. What
 * belongs to somebody else stays as they made it.
 */
export async function closeToOthers(path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  if (process.platform === "win32" || uid !== process.getuid?.() || (mode & 0o077) === 0) return false;
  await chmod(path, 0o700);
  return true;
}

/** Writes a whole file beside `path`, puts it in place, and leaves nothing else behind. */
async function withDraft(path: string, text: string, place: (draft: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const file = await open(draft, "wx", OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

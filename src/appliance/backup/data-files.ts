import type { Dirent } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../platform/clock.ts";
import { FileLock } from "../../platform/file-lock.ts";
import { FORMAT_FILE, RESTORING_FILE } from "../data-format.ts";
import { BackupError } from "./backup-error.ts";

const RECORDINGS = "recordings";
const SEAL_REGISTER = "seals.log";
/**
 * Of drafts (platform/private-file.ts), locks, sockets and seals that are being written: of no use to another process. Nor are sign-ins, of
 * which an old copy would bring back what was ended, nor profiles of browsers, for the same reason and as links are among them.
 */
const PASSING =
  /^sessions$|^browser-profiles$|^control\.(?:sock|address)$|\.lock(?:\.wanted)?$|\.[0-9a-f]{12}$|^seal\.json\.new$|^lost\+found$/;
/** What restore makes in a data folder: its drafts, and what was there before it. */
export const RESTORE_DRAFT = /^\.restore-[0-9a-f]{12}$/;
export const BEFORE_RESTORE = "before-restore-";

/** A file as it was at one moment: only its first `size` bytes count, it may grow. */
export interface DataFile {
  /** In the data folder, with forward slashes. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  readonly mtimeSeconds: number;
}

/**
 * The files of a data folder that a running server may write to, each open until the next is asked for, so that together they are of
 * one state of it:
 *
 * - the audit log, its head and the cursors of its receivers are opened under its lock, of one moment;
 * - the register of seals comes before recordings: what it names has its seal by then, and no other need have one;
 * - of a recording all files are opened before the first is read: one without a seal is a beginning of itself;
 * - all others are replaced at once by who writes them (platform/private-file.ts).
 *
 * `leftOut` is told of what is no regular file.
 */
export async function* openDataFiles(
  dataDir: string,
  clock: Clock,
  leftOut: (path: string) => void,
): AsyncGenerator<DataFile> {
  const lock = new FileLock(join(dataDir, "audit.lock"), clock);
  const audit = await lock.hold(async () =>
    openAll(
      dataDir,
      (await filesOf(dataDir)).filter((name) => name.startsWith("audit.")),
    ),
  );
  yield* closing(audit);
  for (const name of await namesOf(dataDir)) {
    if (name.startsWith("audit.")) continue;
    // A link is followed here, as the server does: recordings may lie on a disk of their own.
    const found = await stat(join(dataDir, name)).catch(() => null);
    if (found === null) continue;
    if (found.isFile()) yield* closing(await openAll(dataDir, [name]));
    else if (!found.isDirectory()) leftOut(name);
    else if (name === RECORDINGS) yield* recordings(dataDir, leftOut);
    else yield* folder(dataDir, name, leftOut);
  }
}

async function* recordings(dataDir: string, leftOut: (path: string) => void): AsyncGenerator<DataFile> {
  yield* closing(await openAll(dataDir, [`${RECORDINGS}/${SEAL_REGISTER}`]));
  for (const entry of await entriesOf(dataDir, RECORDINGS)) {
    if (entry.name === SEAL_REGISTER) continue;
    const path = `${RECORDINGS}/${entry.name}`;
    if (!entry.isDirectory()) leftOut(path);
    else yield* folder(dataDir, path, leftOut);
  }
}

/** All files of a folder are opened before the first is given; one that is deleted meanwhile is left out as a whole. */
async function* folder(
  dataDir: string,
  path: string,
  leftOut: (path: string) => void,
): AsyncGenerator<DataFile> {
  const entries = await entriesOf(dataDir, path);
  const inside = (entry: Dirent): string => `${path}/${entry.name}`;
  yield* closing(await openAll(dataDir, entries.filter((entry) => entry.isFile()).map(inside)));
  for (const entry of entries) {
    if (entry.isDirectory()) yield* folder(dataDir, inside(entry), leftOut);
    else if (!entry.isFile()) leftOut(inside(entry));
  }
}

async function* closing(files: readonly DataFile[]): AsyncGenerator<DataFile> {
  try {
    yield* files;
  } finally {
    for (const { handle } of files) await handle.close();
  }
}

/** None where one of them is gone: what they belong to is being deleted. */
async function openAll(dataDir: string, paths: readonly string[]): Promise<DataFile[]> {
  const files: DataFile[] = [];
  try {
    for (const path of paths) {
      const handle = await open(join(dataDir, path), "r");
      const at = files.push({ path, handle, size: 0, mtimeSeconds: 0 }) - 1;
      const { size, mtimeMs } = await handle.stat();
      files[at] = { path, handle, size, mtimeSeconds: Math.floor(mtimeMs / 1000) };
    }
    return files;
  } catch (error) {
    for (const { handle } of files) await handle.close();
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The bytes of a file, as many as it had. Throws BackupError changed. */
export async function* bytesOf({ path, handle, size }: DataFile): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(Math.min(size, 2 ** 20));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - at), at);
    if (bytesRead === 0) {
      throw new BackupError("changed", `${path} lost bytes while it was copied: make the backup again`);
    }
    at += bytesRead;
    yield Buffer.from(chunk.subarray(0, bytesRead));
  }
}

/** What in a data folder is kept by a backup, and what a folder must not have that one is restored into. */
export async function namesOf(dataDir: string): Promise<readonly string[]> {
  return (await readdir(dataDir)).filter(isKept).sort();
}

async function filesOf(dataDir: string): Promise<readonly string[]> {
  return (await entriesOf(dataDir, "")).filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function entriesOf(dataDir: string, path: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(join(dataDir, path), { withFileTypes: true });
    return entries.filter(({ name }) => isKept(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Whether a name is of what lasts. */
export function isKept(name: string): boolean {
  return (
    !PASSING.test(name) &&
    !RESTORE_DRAFT.test(name) &&
    !name.startsWith(BEFORE_RESTORE) &&
    name !== FORMAT_FILE &&
    name !== RESTORING_FILE
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isServerRunning } from "../../mcp/server/control-socket.ts";
import type { Clock } from "../../platform/clock.ts";
import { closeToOthers, readPrivateFile, writePrivateFile } from "../../platform/private-file.ts";
import { TarError, TarReader } from "../../platform/tar.ts";
import { type DataFormat, dataFormat, FORMAT_FILE, refuseNewer, whileRestoring } from "../data-format.ts";
import { BackupError } from "./backup-error.ts";
import { BEFORE_RESTORE, isKept, namesOf, RESTORE_DRAFT } from "./data-files.ts";
import {
  DATA,
  MANIFEST,
  MAX_FILES,
  MAX_MANIFEST_BYTES,
  type Manifest,
  readManifest,
  SECRET_KEY,
} from "./manifest.ts";
import { sha256 } from "./write-backup.ts";

export interface RestorePlan {
  readonly file: string;
  readonly dataDir: string;
  /** Puts what is in the data folder aside, into a folder of it, instead of refusing. */
  readonly isReplacing: boolean;
  /** Where the key is that the backup was made without. */
  readonly keyFile: string | null;
  readonly clock: Clock;
}

export interface RestoreReport {
  readonly manifest: Manifest;
  /** Where what was there before is now; null where nothing was. */
  readonly putAside: string | null;
}

/** A file of an archive as it was unpacked. */
interface Unpacked {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Unpacks a backup beside its place, compares each file with the manifest, and only then puts it in place. Throws
 * BackupError and DataFormatError; the data folder is as it was then, unless the disk failed in the last step.
 */
export async function restoreBackup(plan: RestorePlan): Promise<RestoreReport> {
  const { file, dataDir, isReplacing, clock } = plan;
  const archive = await stat(file);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await closeToOthers(dataDir);
  if (await isServerRunning(dataDir)) {
    throw new BackupError("in_use", `a server runs on ${dataDir}: stop it first`);
  }
  const there = await readdir(dataDir);
  for (const name of there) {
    if (RESTORE_DRAFT.test(name)) await rm(join(dataDir, name), { recursive: true });
  }
  if ((await namesOf(dataDir)).length > 0 && !isReplacing) {
    throw new BackupError(
      "not_empty",
      `${dataDir} is not empty: choose another folder with --data-dir, or say --replace, which puts what is there aside`,
    );
  }
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < archive.size) {
    throw new BackupError(
      "no_room",
      `the backup has ${archive.size} bytes, ${dataDir} has ${bavail * bsize} left: make room`,
    );
  }
  const draft = join(dataDir, `.restore-${randomBytes(6).toString("hex")}`);
  try {
    const manifest = await unpack(file, draft);
    await putKey(draft, manifest, plan.keyFile);
    const putAside = await putInPlace(draft, dataDir, clock.date());
    return { manifest, putAside };
  } catch (error) {
    if (error instanceof TarError) throw bad(`${file} cannot be restored: ${error.message}`, error);
    throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Unpacks all and checks it. Throws BackupError, TarError, DataFormatError. */
async function unpack(file: string, draft: string): Promise<Manifest> {
  const tar = new TarReader(createReadStream(file, { highWaterMark: 2 ** 18 }));
  const found = new Map<string, Unpacked>();
  let format: DataFormat | null = null;
  await mkdir(draft, { mode: 0o700 });
  for (let entry = await tar.next(); entry !== null; entry = await tar.next()) {
    if (entry.name === MANIFEST) {
      const manifest = readManifest(await textOf(tar, entry.size, MAX_MANIFEST_BYTES));
      if ((await tar.next()) !== null) throw bad(`a file follows the ${MANIFEST} of ${file}`);
      compare(manifest, found);
      return manifest;
    }
    const path = pathOf(entry.name);
    if (found.has(path)) throw bad(`${path} is in the backup twice`);
    if (found.size >= MAX_FILES) throw bad(`the backup has more than ${MAX_FILES} files`);
    if (format === null) {
      if (path !== FORMAT_FILE) throw bad(`${file} is no backup: it does not begin with its data format`);
      const text = await textOf(tar, entry.size, 2 ** 12);
      format = formatOf(text);
      refuseNewer(file, format);
      await writePrivateFile(join(draft, path), text);
      found.set(path, { bytes: entry.size, sha256: sha256(Buffer.from(text)) });
    } else {
      found.set(path, await writeEntry(tar, join(draft, path), entry.mtimeSeconds));
    }
  }
  throw bad(`${file} is no backup: it has no ${MANIFEST}`);
}

async function writeEntry(tar: TarReader, path: string, mtimeSeconds: number): Promise<Unpacked> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const part of tar.content()) {
      hash.update(part);
      await handle.writeFile(part);
      bytes += part.length;
    }
    // Retention of the audit log goes by it.
    await handle.utimes(mtimeSeconds, mtimeSeconds);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** The path in the data folder. Throws BackupError bad_backup for one that leads elsewhere or is of no file that a backup has. */
function pathOf(name: string): string {
  const path = name.startsWith(DATA) ? name.slice(DATA.length) : "";
  const parts = path.split("/");
  const isSafe = parts.every(
    (part) => part !== "" && part !== "." && part !== ".." && !hasStrangeCharacter(part) && isKept(part),
  );
  if (isSafe || path === FORMAT_FILE) return path;
  throw bad(
    `got the path ${JSON.stringify(name)} in the backup, expected ${DATA} and the path of a data file`,
  );
}

/** Control characters, and what separates folders, drives and streams on Windows. */
function hasStrangeCharacter(part: string): boolean {
  return [...part].some((letter) => letter < " " || letter === "\\" || letter === ":" || letter === "\u007f");
}

function compare({ files }: Manifest, found: ReadonlyMap<string, Unpacked>): void {
  const listed = new Map(files.map((one) => [one.path, one]));
  for (const [path, { bytes, sha256 }] of found) {
    const expected = listed.get(path);
    if (expected === undefined) throw bad(`${path} is in the backup and not in its ${MANIFEST}`);
    if (expected.bytes !== bytes || expected.sha256 !== sha256) {
      throw bad(`${path} is not as its ${MANIFEST} says: the backup was changed or damaged`);
    }
  }
  const missing = files.find(({ path }) => !found.has(path));
  if (missing !== undefined) throw bad(`${missing.path} is missing from the backup`);
}

/** Throws BackupError bad_key. */
async function putKey(draft: string, { secret_key }: Manifest, keyFile: string | null): Promise<void> {
  if (secret_key?.is_apart !== true) {
    if (keyFile === null) return;
    throw new BackupError(
      "bad_key",
      "got --key-file for a backup that was not made with its key apart: leave it out",
    );
  }
  if (keyFile === null) {
    throw new BackupError(
      "bad_key",
      "the backup was made without the key that its passwords are sealed with: say where that is by --key-file FILE",
    );
  }
  const key = await readPrivateFile(keyFile);
  if (key === null || sha256(Buffer.from(key)) !== secret_key.sha256) {
    throw new BackupError(
      "bad_key",
      `${keyFile} is ${key === null ? "not there" : "another key"}: expected the one that was written when the backup was made`,
    );
  }
  await writePrivateFile(join(draft, SECRET_KEY), key);
}

/** Moves what is there aside, then what was unpacked in; gives where it was put. */
async function putInPlace(draft: string, dataDir: string, at: Date): Promise<string | null> {
  const aside = `${BEFORE_RESTORE}${at.toISOString().replaceAll(/[-:.]/g, "")}`;
  const old = [...(await namesOf(dataDir)), FORMAT_FILE];
  let isAnythingAside = false;
  await whileRestoring(dataDir, async () => {
    await mkdir(join(dataDir, aside), { mode: 0o700 });
    for (const name of old) {
      await rename(join(dataDir, name), join(dataDir, aside, name)).then(
        () => {
          isAnythingAside = true;
        },
        (error: unknown) => {
          if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
        },
      );
    }
    for (const name of await readdir(draft)) await rename(join(draft, name), join(dataDir, name));
    if (!isAnythingAside) await rm(join(dataDir, aside), { recursive: true });
  });
  return isAnythingAside ? join(dataDir, aside) : null;
}

function formatOf(text: string): DataFormat {
  try {
    return dataFormat.parse(JSON.parse(text));
  } catch (cause) {
    throw bad("the backup does not say which data format it has", cause);
  }
}

async function textOf(tar: TarReader, size: number, most: number): Promise<string> {
  if (size > most) throw bad(`a text of the backup has ${size} bytes, expected at most ${most}`);
  const parts: Buffer[] = [];
  for await (const part of tar.content()) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

function bad(message: string, cause?: unknown): BackupError {
  return new BackupError("bad_backup", message, cause === undefined ? undefined : { cause });
}

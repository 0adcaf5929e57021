import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { readPrivateFile } from "../../platform/private-file.ts";
import { TAR_END, tarHeader, tarPadding } from "../../platform/tar.ts";
import { VERSION } from "../../platform/version.ts";
import { CURRENT_FORMAT, checkDataFormat, FORMAT_FILE } from "../data-format.ts";
import { bytesOf, openDataFiles } from "./data-files.ts";
import { DATA, MANIFEST, type Manifest, SECRET_KEY } from "./manifest.ts";

/** What a backup has and has not. */
export interface BackupReport {
  readonly files: number;
  readonly bytes: number;
  /** In the data folder, and no regular files: not in the backup. */
  readonly leftOut: readonly string[];
}

export interface BackupPlan {
  readonly dataDir: string;
  /** Leaves the key of sealed passwords out: its file is kept elsewhere. */
  readonly isKeyApart: boolean;
  readonly clock: Clock;
  readonly done: (report: BackupReport) => void;
}

/**
 * The archive of a data folder, part by part, while a server may work on it: the data format first, the manifest with the
 * SHA-256 of each file last. Throws DataFormatError, BackupError, TarError, LockError.
 */
export async function* backupParts({ dataDir, isKeyApart, clock, done }: BackupPlan): AsyncGenerator<Buffer> {
  const format = (await checkDataFormat(dataDir)) ?? CURRENT_FORMAT;
  const createdAt = clock.date();
  const mtimeSeconds = Math.floor(createdAt.getTime() / 1000);
  const files: Manifest["files"] = [];
  const leftOut: string[] = [];
  let secretKey: Manifest["secret_key"] = null;

  const note = Buffer.from(JSON.stringify(format, null, 2));
  files.push({ path: FORMAT_FILE, bytes: note.length, sha256: sha256(note) });
  yield* entry(DATA + FORMAT_FILE, note, mtimeSeconds);
  for await (const file of openDataFiles(dataDir, clock, (path) => leftOut.push(path))) {
    const { path, size } = file;
    if (path === SECRET_KEY) {
      const key = Buffer.concat(await collect(bytesOf(file)));
      secretKey = { is_apart: isKeyApart, sha256: sha256(key) };
      if (isKeyApart) continue;
    }
    yield tarHeader({ name: DATA + path, size, mtimeSeconds: file.mtimeSeconds });
    const hash = createHash("sha256");
    for await (const part of bytesOf(file)) {
      hash.update(part);
      yield part;
    }
    yield tarPadding(size);
    files.push({ path, bytes: size, sha256: hash.digest("hex") });
  }
  const manifest: Manifest = {
    kind: "overlay-companion backup",
    data_format: format,
    version: VERSION,
    created_at: createdAt.toISOString(),
    secret_key: secretKey,
    files,
  };
  yield* entry(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`), mtimeSeconds);
  yield TAR_END;
  done({ files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), leftOut });
}

/** The text of the key of a data folder; null where there is none yet. */
export function readSecretKey(dataDir: string): Promise<string | null> {
  return readPrivateFile(`${dataDir}/${SECRET_KEY}`);
}

function* entry(name: string, bytes: Buffer, mtimeSeconds: number): Generator<Buffer> {
  yield tarHeader({ name, size: bytes.length, mtimeSeconds });
  yield bytes;
  yield tarPadding(bytes.length);
}

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

import { realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { BackupError } from "../appliance/backup/backup-error.ts";
import { restoreBackup } from "../appliance/backup/restore-backup.ts";
import { type BackupReport, backupParts, readSecretKey } from "../appliance/backup/write-backup.ts";
import type { Config } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";
import { writeNewFile } from "./new-file.ts";

const MEGA = 1_000_000;
const ELSEWHERE = "choose another file";

/** `backup FILE`: all of a data folder as one archive, while a server may run on it. */
export function backupCommand(words: readonly string[], values: Values, config: Config): Command {
  expectWords("backup FILE", words, 1);
  const { "key-file": keyFile, replace } = values;
  if (replace !== undefined) throw new UsageError("--replace is for restore");
  return task(async () => {
    const file = await placeOutside(config.data_dir, words[0] ?? "");
    const keyPlace = keyFile === undefined ? null : await placeOutside(config.data_dir, keyFile);
    return audited(config, async (record) => {
      const { files, bytes, leftOut } = await makeBackup(config.data_dir, file, keyPlace);
      record({ type: "backup.created", severity: "notice", counts: { files, bytes } });
      const lines = [
        `${file}  ${files} files, ${(bytes / MEGA).toFixed(1)} MB`,
        keyPlace === null
          ? "the key of stored passwords is inside: who has this file has them (--key-file keeps it apart)"
          : `${keyPlace}  the key of stored passwords, which restore needs`,
        ...leftOut.map((path) => `left out: ${path}, which is no regular file`),
      ];
      return `${lines.join("\n")}\n`;
    });
  });
}

/** `restore FILE`: checks a backup and puts it into a data folder. */
export function restoreCommand(words: readonly string[], values: Values, config: Config): Command {
  expectWords("restore FILE", words, 1);
  return task(async () => {
    const { manifest, putAside } = await restoreBackup({
      file: resolve(words[0] ?? ""),
      dataDir: config.data_dir,
      isReplacing: values.replace === true,
      keyFile: values["key-file"] ?? null,
      clock: systemClock,
    });
    const files = manifest.files.length;
    return audited(config, async (record) => {
      record({ type: "backup.restored", severity: "notice", counts: { files } });
      const lines = [
        `${config.data_dir}  ${files} files as they were at ${manifest.created_at}, made by version ${manifest.version}`,
        ...(putAside === null ? [] : [`${putAside}  what was there before; remove it when all is well`]),
      ];
      return `${lines.join("\n")}\n`;
    });
  });
}

async function makeBackup(dataDir: string, file: string, keyFile: string | null): Promise<BackupReport> {
  if (keyFile !== null) {
    const key = await readSecretKey(dataDir);
    if (key === null) throw new BackupError("bad_key", `${dataDir} has no key yet: leave --key-file out`);
    await writeNewFile(keyFile, textParts(key), ELSEWHERE);
  }
  const done: BackupReport[] = [];
  try {
    const parts = backupParts({
      dataDir,
      isKeyApart: keyFile !== null,
      clock: systemClock,
      done: (report) => done.push(report),
    });
    await writeNewFile(file, parts, ELSEWHERE);
  } catch (error) {
    if (keyFile !== null) await rm(keyFile, { force: true });
    throw error;
  }
  const [report] = done;
  if (report === undefined) throw new Error("the backup was written without its end");
  return report;
}

async function* textParts(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The absolute path of a file to write. Throws BackupError for one that would be part of what is copied. */
async function placeOutside(dataDir: string, file: string): Promise<string> {
  const inside = await realpath(dataDir).catch(() => {
    throw new BackupError("bad_place", `there is no data folder ${dataDir}: say which by --data-dir`);
  });
  const path = resolve(file);
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  if (`${join(folder, basename(path))}${sep}`.startsWith(`${inside}${sep}`)) {
    throw new BackupError("bad_place", `${path} lies in the data folder ${inside}: ${ELSEWHERE}`);
  }
  return path;
}

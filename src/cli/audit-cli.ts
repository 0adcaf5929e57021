import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SEALED } from "../audit/archive/sealed-copy.ts";
import { readHead } from "../audit/chain-head.ts";
import { ChainKey } from "../audit/chain-key.ts";
import { exportActor } from "../audit/export-actor.ts";
import { logFiles } from "../audit/log-files.ts";
import { type LogPart, type LogReport, verifyLog } from "../audit/verify-log.ts";
import type { Config } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { FileLock } from "../platform/file-lock.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `audit verify` and `export`. */
export function auditCommand(words: readonly string[], values: Values, config: Config): Command {
  const { actor, "key-file": keyFile } = values;
  const [action, ...files] = words;
  switch (action) {
    case "verify":
      return task(async () => {
        const { isIntact, text } = await verifyAudit(config, files, keyFile);
        if (!isIntact) throw new UsageError(text.trimEnd());
        return text;
      });
    case "export":
      expectWords("audit export", words, 1);
      if (actor === undefined) throw new UsageError("audit export needs --actor NAME");
      return task(() =>
        audited(config, async (record) => {
          const events = await exportActor(config.data_dir, actor, process.stdout);
          const resource = { kind: "actor", id: actor };
          record({ type: "audit.exported", severity: "notice", resource, counts: { events } });
          return "";
        }),
      );
    default:
      throw new UsageError(`got "audit ${action ?? ""}", expected audit verify or audit export`);
  }
}

/** What a check of the audit log found, in words. */
interface Verdict {
  readonly isIntact: boolean;
  readonly text: string;
}

/**
 * Without files: all of the log of the data directory, its end too. A folder: all of the log that is there. `keyFile`: a copy of
 * the `audit.key` that it was written with; absent: what is configured, or lies in the data directory.
 */
async function verifyAudit(
  config: Config,
  files: readonly string[],
  keyFile: string | undefined,
): Promise<Verdict> {
  const { data_dir } = config;
  const key =
    keyFile === undefined
      ? await ChainKey.open(data_dir, config.audit.key ?? null)
      : await ChainKey.read(keyFile);
  const [folder, ...more] = files;
  if (folder !== undefined && more.length === 0 && (await stat(folder)).isDirectory()) {
    return verifyFolder(folder, key);
  }
  if (files.length > 0) {
    const parts = files.map((path) => ({ path }));
    for (const { path } of parts) await stat(path);
    const verdict = verdictOf(await verifyLog(parts, { key }), []);
    const isAll = "whether lines follow the last one of these files is checked without naming files";
    return verdict.isIntact ? { ...verdict, text: `${verdict.text}note: ${isAll}\n` } : verdict;
  }
  // The end of the log and what tells of it have to be of one moment.
  const lock = new FileLock(join(data_dir, "audit.lock"), systemClock);
  const { all, head } = await lock.hold(async () => ({
    all: await logFiles(data_dir),
    head: await readHead(join(data_dir, "audit.head"), key),
  }));
  const parts: readonly LogPart[] = all.filter(({ firstSeq, bytes }) => firstSeq > 0 && bytes > 0);
  const older = all.filter(({ firstSeq, bytes }) => firstSeq === 0 && bytes > 0);
  return verdictOf(
    await verifyLog(parts, { key, head }),
    older.map(({ path }) => `${path}: written before there was a chain; nothing proves it`),
  );
}

/** Files of one log in one place, wherever they came from: those that an archive had, and those that it had not yet. */
async function verifyFolder(folder: string, key: ChainKey): Promise<Verdict> {
  const all = await logFiles(folder, key);
  const paths = new Set(all.map(({ path }) => path));
  // One that was encrypted for the archive and lies there as it was too.
  const isTwice = (path: string): boolean =>
    path.endsWith(SEALED) && paths.has(path.slice(0, -SEALED.length));
  const parts = all.filter(({ path, bytes }) => bytes > 0 && !isTwice(path));
  if (parts.length === 0) throw new UsageError(`got no file of an audit log in ${folder}, expected some`);
  const head = await readHead(join(folder, "audit.head"), key);
  const report = await verifyLog(parts, { key, namesGaps: true, ...(head === null ? {} : { head }) });
  const skipped = all.filter(({ path }) => isTwice(path));
  return verdictOf(report, [
    ...skipped.map(({ path }) => `${path}: not read, as the file that it is a copy of is there`),
    ...(head === null ? ["without audit.head nothing tells where the log ends"] : []),
  ]);
}

function verdictOf(report: LogReport, more: readonly string[]): Verdict {
  const { fault, lines, checkpoints, firstSeq, lastSeq } = report;
  const notes = [...report.notes, ...more].map((note) => `note: ${note}\n`).join("");
  if (fault !== null) {
    const text = `${fault.path}:${fault.line}: ${fault.kind}: ${fault.message} (${lines} lines before it are as they were written)\n`;
    return { isIntact: false, text: notes + text };
  }
  const range = firstSeq === null ? "no lines" : `lines ${firstSeq} to ${lastSeq}`;
  if (report.gaps.length > 0) {
    const told = report.gaps.map((gap) => `${gap}\n`).join("");
    const text = `not whole: the ${lines} lines that are there, of ${range}, are as they were written\n`;
    return { isIntact: false, text: notes + told + text };
  }
  const text = `intact: ${range}, ${checkpoints} signed checkpoints\n`;
  return { isIntact: true, text: notes + text };
}

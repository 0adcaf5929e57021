import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { openSealer } from "../appliance/open-secrets.ts";
import type { Config } from "../config/config-schema.ts";
import { RefusedError } from "../desktop/error.ts";
import type { ExportFormat } from "../recording/export/export-recording.ts";
import { RecordingArchive } from "../recording/library/archive.ts";
import type { Verification } from "../recording/library/recording-types.ts";
import { asRefused } from "../recording/library/refused.ts";
import { PublicKey, SIGNER_FILE } from "../recording/seal/signing-key.ts";
import { verifyFolder } from "../recording/seal/verify.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";
import { writeNewFile } from "./new-file.ts";

/** `recordings list`, `verify` and `export`. */
export function recordingsCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, id = ""] = words;
  switch (action) {
    case "list":
      expectWords("recordings list", words, 1);
      return task(() => listRecordings(config));
    case "verify":
      expectWords("recordings verify ID or FOLDER", words, 2);
      if (id.includes("/")) return task(() => verifyCopy(config, id, values["key-file"]));
      return task(() => verifyRecording(config, id));
    case "export": {
      expectWords("recordings export ID", words, 2);
      const { format, from, to, output, overlays, pointer, fps } = values;
      return task(() =>
        audited(config, async (record) => {
          const said = await exportToFile(config, id, { format, from, to, output, overlays, pointer, fps });
          record({ type: "recording.exported", severity: "notice", resource: { kind: "recording", id } });
          return said;
        }),
      );
    }
    default:
      throw new UsageError(`got "recordings ${action ?? ""}", expected recordings list, export or verify`);
  }
}

/** Where recordings are, and by what their keys are sealed. */
type Kept = Pick<Config, "data_dir" | "sealing">;

/** What the command line says of an export; absent is the default. */
export interface ExportWords {
  readonly format?: string | undefined;
  /** "1:02:03.5" or seconds. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The file; default its title and day in the current folder. */
  readonly output?: string | undefined;
  /** "0": without; default "1", painted as they were. The words of REST. */
  readonly overlays?: string | undefined;
  readonly pointer?: string | undefined;
  /** Pictures a second at most, 0.1 to 30. */
  readonly fps?: string | undefined;
}

/** One line for each recording of a data directory, the newest first. */
async function listRecordings(kept: Kept): Promise<string> {
  const recordings = await (await openArchive(kept)).list();
  if (recordings.length === 0) return "there are no recordings\n";
  const lines = recordings.map(
    ({ id, startedAt, durationMs, state, bytes, title, counts }) =>
      `${id}  ${startedAt}  ${clock(durationMs).padStart(8)}  ${state.padEnd(8)}  ${megabytes(bytes).padStart(9)}  ${counts.actions} actions  ${title}\n`,
  );
  return lines.join("");
}

/**
 * Says that a recording is intact, and which one it goes on from; throws RefusedError for any other, with what is wrong and
 * where.
 */
export async function verifyRecording(kept: Kept, id: string): Promise<string> {
  const archive = await openArchive(kept);
  const verdict = verdictOf(await archive.verify(id));
  const { continues } = await archive.get(id);
  if (continues === undefined) return verdict;
  const isHere = (await archive.ids()).includes(continues.id);
  const where = isHere ? "verify that one too" : "which is missing here: verify it at that node";
  return `${verdict}${id}  goes on from ${continues.id} of node ${continues.node}, ${where}\n`;
}

/** The same of a folder anywhere, by its files and a key alone: what was copied out of an archive. */
export async function verifyCopy(
  { data_dir }: Pick<Kept, "data_dir">,
  folder: string,
  keyFile = join(data_dir, SIGNER_FILE),
): Promise<string> {
  const path = resolve(folder);
  return asRefused(async () => {
    const key = await PublicKey.read(keyFile);
    const names = await readdir(path).catch(() => []);
    if (!names.some((name) => name.endsWith(".blocks"))) {
      throw new RefusedError(
        "not_found",
        `no such recording: ${path} has no pictures, expected a folder with 000000.blocks and seal.json`,
      );
    }
    return verdictOf(await verifyFolder(path, basename(path), key, null));
  });
}

function verdictOf({ id, state, problem, bytes, intactBytes, blocks }: Verification): string {
  if (state === "sealed") return `${id}  intact: ${blocks} blocks, ${bytes} bytes, sealed\n`;
  const words = problem ?? "it has no seal";
  throw new RefusedError(
    "not_supported",
    `${id}  ${state}: ${words} (${intactBytes} of ${bytes} bytes are as they were written)`,
  );
}

/** Writes a recording, or a range of it, into a file and names it. Throws RefusedError. */
async function exportToFile(kept: Kept, id: string, words: ExportWords): Promise<string> {
  // Loaded when it is needed: it paints, and what paints takes longer to load than other commands take.
  const { EXPORT_FORMATS, exportRecording } = await import("../recording/export/export-recording.ts");
  const format = formatOf(words, EXPORT_FORMATS);
  const fromMs = timeOf("--from", words.from);
  const toMs = timeOf("--to", words.to);
  const framesPerSecond = rateOf(words.fps);
  const decor = {
    hasOverlays: isWanted("--overlays", words.overlays),
    hasPointer: isWanted("--pointer", words.pointer),
  };
  const archive = await openArchive(kept);
  return await asRefused(async () => {
    const reader = await archive.read(id);
    try {
      const file = exportRecording(
        reader,
        {
          format,
          ...decor,
          ...(framesPerSecond === null ? {} : { framesPerSecond }),
          ...(fromMs === null ? {} : { fromMs }),
          ...(toMs === null ? {} : { toMs }),
        },
        new AbortController().signal,
      );
      const path = resolve(words.output ?? file.name);
      const bytes = await writeNewFile(path, file.parts, "choose another place with --output");
      return `${path}  ${megabytes(bytes)}\n`;
    } finally {
      await reader.close();
    }
  });
}

function formatOf({ format, output }: ExportWords, formats: readonly ExportFormat[]): ExportFormat {
  const ending = output === undefined ? undefined : /\.([a-z0-9]+)$/i.exec(basename(output))?.[1];
  const word = (format ?? ending ?? "html").toLowerCase();
  const known = formats.find((one) => one === word);
  if (known !== undefined) return known;
  throw new RefusedError(
    "invalid_parameters",
    `got the format "${word}", expected one of ${formats.join(", ")}`,
  );
}

const TIME = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7}(?:\.\d{1,3})?)$/;

/** Milliseconds; null where nothing was said. */
function timeOf(flag: string, word: string | undefined): number | null {
  if (word === undefined) return null;
  const groups = TIME.exec(word);
  if (groups === null) {
    throw new RefusedError("invalid_parameters", `got ${flag} "${word}", expected 1:02:03.5 or seconds`);
  }
  const [, hours = "0", minutes = "0", seconds = "0"] = groups;
  return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

function isWanted(flag: string, word: string | undefined): boolean {
  if (word === undefined || word === "1") return true;
  if (word === "0") return false;
  throw new RefusedError("invalid_parameters", `got ${flag} "${word}", expected 0 or 1`);
}

/** null where nothing was said. */
function rateOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const rate = /^\d{1,2}(?:\.\d{1,3})?$/.test(word) ? Number(word) : Number.NaN;
  if (rate >= 0.1 && rate <= 30) return rate;
  throw new RefusedError("invalid_parameters", `got --fps "${word}", expected 0.1 to 30`);
}

async function openArchive(kept: Kept): Promise<RecordingArchive> {
  return await RecordingArchive.open(kept.data_dir, await openSealer(kept));
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

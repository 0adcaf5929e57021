import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { RecordingError } from "../library/error.ts";
import { listSegments, type Segment, type SegmentFile } from "../write/segments.ts";
import type { CheckedBlocks } from "./block-cache.ts";

/** The files of one recording, wherever they lie. */
export interface RecordingFiles {
  /** Of all that are there. */
  names(): Promise<readonly string[]>;
  /** Those of blocks, in order. Throws RecordingError damaged where one is missing. */
  segments(): Promise<readonly Segment[]>;
  /** A short one; null: there is none. Throws RecordingError too_large. */
  read(name: string, mostBytes: number): Promise<Buffer | null>;
  /** Keeps blocks that were read; null: the operating system does, for they are near. */
  readonly checked: CheckedBlocks | null;
}

/** Those of a folder. They reject with the file system's errors too. */
export function localFiles(folder: string): RecordingFiles {
  return {
    names: () => readdir(folder),
    segments: () => listSegments(folder),
    checked: null,
    async read(name, mostBytes) {
      try {
        expectLength(name, (await stat(join(folder, name))).size, mostBytes);
        return await readFile(join(folder, name));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/** Throws RecordingError too_large. */
export function expectLength(name: string, bytes: number, mostBytes: number): void {
  if (bytes <= mostBytes) return;
  throw new RecordingError("too_large", `${name} has ${bytes} bytes, expected at most ${mostBytes}`);
}

/** Files whose segments are read elsewhere when they are no longer where they were. */
export function movingFiles(files: RecordingFiles, elsewhere: () => Promise<RecordingFiles>): RecordingFiles {
  const opened = (segment: Segment): Promise<SegmentFile> =>
    segment.open().catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      const same = (await (await elsewhere()).segments()).find(({ name }) => name === segment.name);
      if (same === undefined || same.size !== segment.size) throw error;
      return same.open();
    });
  return {
    ...files,
    segments: async () =>
      (await files.segments()).map((segment) => ({ ...segment, open: () => opened(segment) })),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

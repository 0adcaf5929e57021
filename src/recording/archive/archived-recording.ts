import type { ArchiveIndex } from "../../storage/archive-index.ts";
import { JsonRecord } from "../format/json-record.ts";
import { RecordingError } from "../library/error.ts";

/** What the archive has of a recording, as a list of what is there says it. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
}

/** What has to be known to list and open one there. */
export interface ArchivedRecording {
  /** All, the seal too. */
  readonly files: readonly ArchivedFile[];
  /** The text of its seal. */
  readonly seal: string;
}

/** null: it is not there, or nothing more is known of it, as of those that an older version archived. */
export async function readArchived(index: ArchiveIndex, id: string): Promise<ArchivedRecording | null> {
  const text = await index.get(id);
  if (text === null) return null;
  try {
    const record = JsonRecord.parse(text, "the index of the archive");
    const sizes = record.record("files");
    const files = sizes.names.map((name) => ({ name, bytes: sizes.count(name) }));
    return { files, seal: record.text("seal") };
  } catch (error) {
    // Of no use: it is written anew from what the archive has.
    if (error instanceof RecordingError) return null;
    throw error;
  }
}

export function writeArchived(
  index: ArchiveIndex,
  id: string,
  { files, seal }: ArchivedRecording,
): Promise<void> {
  const sizes = Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]));
  return index.add(id, JSON.stringify({ files: sizes, seal }));
}

import { type RefusalCode, RefusedError } from "../../desktop/error.ts";
import { RecordingError, type RecordingErrorCode } from "./error.ts";
import type { RecordingsFace } from "./recording-types.ts";

const REFUSALS: Readonly<Record<RecordingErrorCode, RefusalCode>> = {
  damaged: "not_supported",
  too_large: "not_supported",
  unsupported: "not_supported",
  locked: "permission_denied",
  disk_full: "too_many",
  no_picture: "not_found",
  unreachable: "target_down",
};

/** Runs what reads a recording for somebody outside: a RecordingError becomes the RefusedError that tells them. */
export async function asRefused<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The RefusedError that a RecordingError is to somebody outside; anything else as it is. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof RecordingError)) return error;
  return new RefusedError(REFUSALS[error.code], `the recording cannot be read: ${error.message}`, {
    cause: error,
  });
}

/** What is asked for lies in a part of a whole that cannot be read now, or not by who asks. */
export class LostPartError extends RefusedError {}

/** The one answer about a recording that is not there, or that its asker may not know of. */
export function noSuchRecording(cause?: unknown): RefusedError {
  return new RefusedError("not_found", "no such recording: list the recordings to see their ids", { cause });
}

/** Whether a recording is here, of which this node tells also what is wrong with it. */
export async function isRecordedHere(recordings: Pick<RecordingsFace, "get">, id: string): Promise<boolean> {
  try {
    await recordings.get(id);
    return true;
  } catch (error) {
    return !(error instanceof RefusedError) || error.code !== "not_found";
  }
}

import { BackupError } from "../appliance/backup/backup-error.ts";
import { DataFormatError } from "../appliance/data-format.ts";
import { AuditError } from "../audit/error.ts";
import { AuthError } from "../auth/error.ts";
import { StoreError } from "../cluster/error.ts";
import { ConfigError } from "../config/config-schema.ts";
import { LinkError, RefusedError } from "../desktop/error.ts";
import { LockError } from "../platform/file-lock.ts";
import { FileError } from "../platform/json-file.ts";
import { TarError } from "../platform/tar.ts";
import { RecordingError } from "../recording/library/error.ts";
import { UsageError } from "./command-line.ts";

/** Their message is all that the caller needs. */
const TOLD = [
  UsageError,
  ConfigError,
  AuthError,
  AuditError,
  LockError,
  RefusedError,
  LinkError,
  RecordingError,
  FileError,
  DataFormatError,
  BackupError,
  TarError,
  StoreError,
] as const;

/** What to do about a file or a folder that cannot be used, by the system's code. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "permission denied: check whose it is, and as whom this runs",
  EPERM: "not permitted: check whose it is, and as whom this runs",
  EROFS: "the file system is read-only: choose another place with --data-dir",
  ENOSPC: "the disk is full: make room, then try again",
  EDQUOT: "the disk quota is used up: make room, then try again",
  EIO: "the disk does not work: check it",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of that path is no folder",
  EISDIR: "got a folder, expected a file",
  EEXIST: "something else is there already",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
};

/** What is said of the error that ends the program: one message, or the stack of what nobody expected. */
export function faultMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (TOLD.some((kind) => error instanceof kind)) return error.message;
  return fileFault(error) ?? error.stack ?? error.message;
}

function fileFault(error: Error): string | null {
  if (!("code" in error && "syscall" in error)) return null;
  const words = FILE_FAULTS[String(error.code)];
  return words === undefined
    ? null
    : `cannot use ${"path" in error ? String(error.path) : "a file of its own"} (${String(error.syscall)}, ${String(error.code)}): ${words}`;
}

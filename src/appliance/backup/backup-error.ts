/**
 * `not_empty`, `in_use`: the folder that a backup would go to. `bad_backup`: the file is not one, or not as it was made.
 * `bad_key`: the key that stored passwords are sealed with is missing or another one. `no_room`, `bad_place`: where it would
 * be written. `changed`: a file lost bytes while it was copied.
 */
export type BackupErrorCode =
  | "not_empty"
  | "in_use"
  | "bad_backup"
  | "bad_key"
  | "no_room"
  | "bad_place"
  | "changed";

/** A backup cannot be made or restored. The message says why and what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** `bad_key`: what should be the key of the log is none. `damaged`: a copy from an archive is not as it was encrypted. */
export type AuditErrorCode = "bad_key" | "damaged";

/** What is wrong with the audit log's own files. */
export class AuditError extends Error {
  override readonly name = "AuditError";
  readonly code: AuditErrorCode;

  constructor(code: AuditErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

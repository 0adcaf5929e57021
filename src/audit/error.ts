/** What is wrong with the audit log's own files. */
export class AuditError extends Error {
  override readonly name = "AuditError";
  readonly code: "bad_key";

  constructor(code: "bad_key", message: string) {
    super(message);
    this.code = code;
  }
}

export type AuthErrorCode = "bad_store" | "bad_name" | "bad_token" | "bad_key" | "bad_secret";

/** Stored credentials or keys cannot be used. `message` names the file and the fix, never a secret. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly code: AuthErrorCode;

  constructor(code: AuthErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

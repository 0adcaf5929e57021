export type AuthErrorCode =
  | "bad_store"
  | "bad_name"
  | "bad_grant"
  | "bad_token"
  | "bad_key"
  | "bad_secret"
  /** Of an OpenID provider. */
  | "provider_unreachable"
  | "provider_refused"
  | "sign_in_expired"
  /** What says that a session has ended there is not the provider's word. */
  | "bad_notice"
  /** The provider knows somebody whom its claims give no role here. */
  | "no_role";

/** Credentials or keys cannot be used. `message` says why and names the fix, never a secret. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly code: AuthErrorCode;

  constructor(code: AuthErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

export type StoreErrorCode =
  /** Nobody answers, or no leader is elected: nothing was written. */
  | "unavailable"
  /** It was sent and not answered: it is done, or will be, or never will. `commitSurely` finds out. */
  | "outcome_unknown"
  /** User, password, certificate or rights are not those that the store wants. */
  | "refused"
  /** A key, a value or a list of changes that the contract does not know. */
  | "invalid"
  /** The store has no room left, or the file cannot be written. */
  | "full"
  /** What answers is no such store, or says more than we hold. */
  | "bad_answer"
  /** Another process writes the same file. */
  | "not_alone"
  | "closed";

/** What a store of shared state could not do. The message has no values, which may be secrets. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

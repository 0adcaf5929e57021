/** Why something could not be done in a browser. */
export type BrowserErrorCode =
  /** No browser is connected, or it went away meanwhile. */
  | "browser_away"
  /** The person at the browser pressed Stop. */
  | "browser_stopped"
  | "browser_timeout"
  /** The browser refused a call or broke the protocol. */
  | "browser_refused"
  /** The page or frame was replaced by another one meanwhile. */
  | "page_changed"
  | "page_crashed"
  | "tab_unknown"
  | "tab_not_shared"
  /** The page waits for a person's answer to a dialog. */
  | "dialog_open"
  | "ref_unknown"
  | "selector_ambiguous"
  | "not_visible"
  | "covered"
  | "moving"
  | "script_failed";

/** `message`: lower case, no dot; what of it comes from the page is quoted. */
export class BrowserError extends Error {
  override readonly name = "BrowserError";
  readonly code: BrowserErrorCode;

  constructor(code: BrowserErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

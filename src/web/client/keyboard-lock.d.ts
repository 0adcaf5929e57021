/** The Keyboard Lock API (WICG), of Chromium alone, which TypeScript's DOM library does not have. */
interface Navigator {
  readonly keyboard?: { lock(): Promise<void> };
}

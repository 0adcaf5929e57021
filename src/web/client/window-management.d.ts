/** The Window Management API (W3C), of Chromium alone, which TypeScript's DOM library does not have. */
interface ScreenDetailed extends Screen {
  readonly availLeft: number;
  readonly availTop: number;
}
interface Window {
  /** Rejects where the person says no. */
  getScreenDetails?(): Promise<{ readonly screens: readonly ScreenDetailed[] }>;
}

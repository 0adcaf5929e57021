/** The Document Picture-in-Picture API (WICG), of Chromium alone, which TypeScript's DOM library does not have. */
interface Window {
  readonly documentPictureInPicture?: {
    requestWindow(options: { readonly width: number; readonly height: number }): Promise<Window>;
  };
}

/** Encodings and pseudo-encodings, RFC 6143 section 7.7, 7.8 and rfbproto "Encodings". */
export const ENCODING = {
  raw: 0,
  copyRect: 1,
  rre: 2,
  hextile: 5,
  tight: 7,
  zrle: 16,
  jpegQuality0: -32,
  jpegQuality9: -23,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  compressLevel0: -256,
  compressLevel9: -247,
  qemuExtendedKey: -258,
  desktopName: -307,
  extendedDesktopSize: -308,
  fence: -312,
  continuousUpdates: -313,
  cursorWithAlpha: -314,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

/** Security types, RFC 6143 section 7.1.2. */
export const SECURITY = { invalid: 0, none: 1, vncAuth: 2 } as const;

/** Messages to the server. */
export const CLIENT_MESSAGE = {
  setPixelFormat: 0,
  setEncodings: 2,
  framebufferUpdateRequest: 3,
  keyEvent: 4,
  pointerEvent: 5,
  clientCutText: 6,
  enableContinuousUpdates: 150,
  fence: 248,
  setDesktopSize: 251,
  qemu: 255,
} as const;

/** Messages to the viewer. */
export const SERVER_MESSAGE = {
  framebufferUpdate: 0,
  setColourMapEntries: 1,
  bell: 2,
  serverCutText: 3,
  endOfContinuousUpdates: 150,
  fence: 248,
} as const;

/** Named limits (security reference 2.2). */
export const LIMIT = {
  reasonBytes: 64 * 1024,
  nameBytes: 64 * 1024,
  cutTextBytes: 256 * 1024,
  cursorSide: 256,
  fencePayloadBytes: 64,
  screens: 255,
  encodings: 1024,
} as const;

/** Encodings and pseudo-encodings, RFC 6143 section 7.7, 7.8 and rfbproto "Encodings". */
export const ENCODING = {
  raw: 0,
  copyRect: 1,
  rre: 2,
  corre: 4,
  hextile: 5,
  zlib: 6,
  tight: 7,
  trle: 15,
  zrle: 16,
  zywrle: 17,
  jpeg: 21,
  h264: 50,
  jpegQuality0: -32,
  jpegQuality9: -23,
  desktopSize: -223,
  lastRect: -224,
  pointerPosition: -232,
  cursor: -239,
  xCursor: -240,
  compressLevel0: -256,
  compressLevel9: -247,
  qemuPointerMotion: -257,
  qemuExtendedKey: -258,
  qemuAudio: -259,
  tightPng: -260,
  qemuLeds: -261,
  desktopName: -307,
  extendedDesktopSize: -308,
  fence: -312,
  continuousUpdates: -313,
  cursorWithAlpha: -314,
  extendedMouseButtons: -316,
  vmwareCursor: 0x574d5664,
  vmwareCursorState: 0x574d5665,
  vmwarePointerPosition: 0x574d5666,
  vmwareLeds: 0x574d5668,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

/** Security types, RFC 6143 section 7.1.2 and rfbproto. 129 means another thing inside Tight: TIGHT_AUTH. */
export const SECURITY = {
  invalid: 0,
  none: 1,
  vncAuth: 2,
  ra2: 5,
  ra2ne: 6,
  tight: 16,
  tls: 18,
  veNCrypt: 19,
  apple: 30,
  msLogonII: 113,
  ra256: 129,
  rane256: 130,
} as const;

/** Sub-types of VeNCrypt, rfbproto. */
export const VENCRYPT = {
  plain: 256,
  tlsNone: 257,
  tlsVnc: 258,
  tlsPlain: 259,
  x509None: 260,
  x509Vnc: 261,
  x509Plain: 262,
} as const;

/** Authentication types of the Tight security type, rfbproto. */
export const TIGHT_AUTH = { none: 1, vncAuth: 2, unixLogon: 129 } as const;

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
  qemu: 255,
} as const;

/** What a peer may send at most; beyond it its connection ends. */
export const LIMIT = {
  reasonBytes: 64 * 1024,
  nameBytes: 64 * 1024,
  soundBytes: 1024 * 1024,
  cutTextBytes: 256 * 1024,
  cursorSide: 256,
  fencePayloadBytes: 64,
  /** A user name or a password, encoded. */
  credentialBytes: 1024,
  /** Capabilities in one list of the Tight security type, and in its three lists after ServerInit together. */
  capabilities: 1024,
  screens: 255,
  encodings: 1024,
} as const;

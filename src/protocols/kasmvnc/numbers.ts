/** Messages of KasmVNC 1.5.0 that plain RFB does not have or has otherwise, by their direction. */
export const KASM_SERVER_MESSAGE = {
  stats: 178,
  requestFrameStats: 179,
  binaryClipboard: 180,
  upgradeToUdp: 181,
  subscribeUnixRelay: 182,
  videoEncoders: 184,
  disconnectNotice: 186,
  forceGameMode: 187,
  userAdded: 253,
  userRemoved: 254,
} as const;

export const KASM_CLIENT_MESSAGE = { pointerEvent: 5, frameStats: 179, binaryClipboard: 180 } as const;

/** Of its several hundred pseudo-encodings those that change nothing for other viewers. */
export const KASM_ENCODING = { disconnectNotice: -1885 } as const;

/** Upper four bits of a Tight control byte. */
export const KASM_TIGHT = { jpeg: 0x9, webp: 0xb, qoi: 0xc, watermark: 0xd } as const;

/** Most bytes of texts that are shown or skipped: names, reasons, statistics. */
export const MAX_TEXT_BYTES = 64 * 1024;

/** Requested and selected protocols, MS-RDPBCGR 2.2.1.1.1. */
export const PROTOCOL = { rdp: 0, ssl: 1, hybrid: 2, rdstls: 4, hybridEx: 8 } as const;

/** Flags of a security header, MS-RDPBCGR 2.2.8.1.1.2.1. */
export const SECURITY_FLAG = { info: 0x0040, licence: 0x0080, redirection: 0x0400 } as const;

/** Types of a share control header, MS-RDPBCGR 2.2.8.1.1.1.1. */
export const SHARE = {
  demandActive: 1,
  confirmActive: 3,
  deactivateAll: 6,
  data: 7,
  redirection: 10,
} as const;

/** Types of a share data header, MS-RDPBCGR 2.2.8.1.1.1.2. */
export const DATA = {
  update: 0x02,
  control: 0x14,
  pointer: 0x1b,
  input: 0x1c,
  synchronise: 0x1f,
  refreshRect: 0x21,
  playSound: 0x22,
  suppressOutput: 0x23,
  saveSessionInfo: 0x26,
  fontList: 0x27,
  fontMap: 0x28,
  setKeyboardIndicators: 0x29,
  setErrorInfo: 0x2f,
  monitorLayout: 0x37,
  frameAcknowledge: 0x38,
} as const;

/** Types of a capability set, MS-RDPBCGR 2.2.1.13.1.1.1. */
export const CAPABILITY = {
  general: 1,
  bitmap: 2,
  order: 3,
  bitmapCache: 4,
  pointer: 8,
  share: 9,
  sound: 12,
  input: 13,
  font: 14,
  brush: 15,
  glyphCache: 16,
  offscreenCache: 17,
  virtualChannel: 20,
  multifragmentUpdate: 26,
  largePointer: 27,
  surfaceCommands: 28,
  bitmapCodecs: 29,
  frameAcknowledge: 30,
} as const;

/** What is accepted of a server, and what it is told that we accept. */
export const LIMIT = {
  /** A fast-path update in fragments, MS-RDPBCGR 2.2.7.2.6: a picture of 1024x1024 pixels whole. */
  fragmentBytes: 0x3f_0000,
  /** A side of the desktop. */
  side: 8192,
  /** A pointer's side, MS-RDPBCGR 2.2.9.1.2.1.11. */
  pointerSide: 384,
  pointerCache: 32,
  monitors: 64,
  capabilitySets: 64,
  /** A message of a static channel when it is whole. */
  channelBytes: 4 * 1024 * 1024,
  /** A part of a message of a static channel, MS-RDPBCGR 2.2.7.1.10; what is sent is cut to it. */
  channelChunkBytes: 1600,
  tsRequestBytes: 64 * 1024,
} as const;

/** User ids of MCS count from here, T.125 section 10. */
export const MCS_USER_BASE = 1001;

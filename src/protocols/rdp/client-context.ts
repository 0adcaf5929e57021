import type { Cursor } from "../../framebuffer/cursor.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { ByteQueue, Parser } from "../byte-queue.ts";
import type { SecurityCrypto } from "../platform.ts";
import type { RdpPhase } from "./error.ts";
import type { FilesEvent } from "./files/file-messages.ts";
import type { DamageLog } from "./graphics/damage-log.ts";
import type { PointerCache } from "./pointer/pointer-cache.ts";
import type { Scratch } from "./scratch.ts";

const COLOUR_DEPTHS = [32, 24, 16, 15, 8] as const;
export type ColourDepth = (typeof COLOUR_DEPTHS)[number];

export interface RdpClientOptions {
  readonly username: string;
  readonly password: string;
  /** Default: none, which is the host's own. */
  readonly domain?: string | undefined;
  /** The size to ask for; the host decides. */
  readonly size: Size;
  /** Default 32. */
  readonly colourDepth?: ColourDepth | undefined;
  /** Only hosts that check the password before a session begins: CredSSP, called NLA. Default false. */
  readonly needsNla?: boolean;
  /** More than one: a layout to ask for, the first the primary one, its bounds beginning at 0,0. */
  readonly monitors?: readonly Rect[] | undefined;
  /** Asks for the graphics pipeline (MS-RDPEGFX), which may be lossy; default false. */
  readonly hasGraphicsPipeline?: boolean;
  /** Takes the host's sound, once somebody listens; default false: it plays nothing for us. */
  readonly hasSound?: boolean;
  /** Files go by the clipboard, both ways; default false: the host is told of none. */
  readonly hasFiles?: boolean;
  /** What CredSSP calls the host: "TERMSRV/host"; default: nothing. */
  readonly targetName?: string | undefined;
  /** CredSSP's tokens in SPNEGO from the first on, for hosts that take no other; default false. */
  readonly isSpnegoWrapped?: boolean;
  /** Windows' number of the layout, default 0x409: United States. */
  readonly keyboardLayout?: number | undefined;
  /** What to draw in; it takes the size of the host's picture. Default: one of its own. */
  readonly framebuffer?: Framebuffer | undefined;
}

/** What the client needs from the platform. */
export interface RdpClientPorts {
  readonly hash: SecurityCrypto["hash"];
  randomBytes(count: number): Uint8Array;
  /** 100 ns since 1601-01-01 UTC. */
  fileTime(): bigint;
}

/** What only the platform can do; the parser stands still until `resume`. */
export interface RdpEffect {
  readonly kind: "startTls";
  /** Called before `resume`, with the subjectPublicKey of the certificate that was judged. */
  take(publicKey: Uint8Array): void;
}

/** What a host said. */
export type RdpClientEvent =
  | { readonly type: "handshake"; readonly step: string; readonly detail: string }
  | { readonly type: "effect"; readonly effect: RdpEffect }
  /** The session is on, for the first time: pixels follow. */
  | { readonly type: "ready"; readonly screens: readonly Screen[] }
  | { readonly type: "update"; readonly painted: Region }
  | { readonly type: "resize"; readonly screens: readonly Screen[] }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  /** null: a text was copied there that is too long. */
  | { readonly type: "clipboard"; readonly text: string | null }
  /** The host answered that it knows of the text it was offered last. */
  | { readonly type: "clipboardOffered" }
  /** The host asked for the text it was offered last, and got it. */
  | { readonly type: "clipboardTaken" }
  | { readonly type: "files"; readonly event: FilesEvent }
  | { readonly type: "bell" }
  /** The host would send its sound, were it asked. */
  | { readonly type: "soundOffered" }
  /** 16 bits with sign, left and right, 44,100 a second; null: it ended. */
  | { readonly type: "sound"; readonly samples: Uint8Array | null }
  /** Somebody is signed in: MS-RDPBCGR 2.2.10.1. */
  | { readonly type: "signedIn" };

/** What the host showed it can do. */
export interface HostFeatures {
  hasRefreshRect: boolean;
  hasSuppressOutput: boolean;
  hasFastPathInput: boolean;
  hasUnicodeInput: boolean;
  hasHorizontalWheel: boolean;
  hasExtendedMouse: boolean;
  hasFrameAcknowledge: boolean;
  /** It copies its screen now and then: what it paints on demand is the last copy. */
  samplesScreen: boolean;
  /** Parts of what is sent over a static channel are at most so long. */
  channelChunkBytes: number;
}

/** What the parsers of one connection share. */
export interface ClientContext {
  readonly from: ByteQueue;
  readonly framebuffer: Framebuffer;
  readonly options: RdpClientOptions;
  readonly ports: RdpClientPorts;
  readonly features: HostFeatures;
  readonly damage: DamageLog;
  readonly pointers: PointerCache;
  readonly scratch: Scratch;
  /** Words of the 256 colours of an 8-bit session. */
  readonly palette: Uint32Array;
  phase: RdpPhase;
  /** What was agreed, in words: "RDP, TLS, NLA". */
  description: string;
  /** The host is xrdp. */
  isXrdp: boolean;
  /**
   * It drops Unicode events of characters that its session's layout lacks, and says nothing: xrdp 0.9.21, and GNOME 43
   * and all else that is made of FreeRDP's server (2026-11-21).
   */
  losesCharacters: boolean;
  /** The host threw out a bare NTLM token: another connection may do with it wrapped. */
  wantsSpnego: boolean;
  /** PROTOCOL.* that the host chose. */
  selectedProtocol: number;
  /** MCS ids. */
  userId: number;
  ioChannel: number;
  messageChannel: number | null;
  channelIds: readonly number[];
  shareId: number;
  /** Between the last handshake's font map and the next deactivation. */
  isActive: boolean;
  /** `ready` was told. */
  hasBeenActive: boolean;
  /** Between the markers of a frame: its pixels are one update. */
  isInFrame: boolean;
  screens: readonly Screen[];
  colourDepth: number;
  /** What the host said about why it is going to close, in words; null before that. */
  farewell: DisconnectReason | null;
  /** Called before memory for a new size is taken; throws where sizes change too often. */
  admitResize(): void;
  /** The session takes input: a new one, or one that was set up anew. */
  onActive(): void;
  /** The host says which locks are on: flags of LOCK. */
  onLocks(locks: number): void;
  /** A part of a message of a static channel came. */
  onChannel(channelId: number, chunk: Uint8Array): void;
  send(bytes: Uint8Array): void;
  emit(event: RdpClientEvent): void;
}

/** Why the host closes. */
export interface DisconnectReason {
  readonly code: number;
  readonly words: string;
}

/** Never there: no number of bytes lets a parser go on that waits for an effect, only `resume` does. */
const AFTER_RESUME = Number.POSITIVE_INFINITY;

/** Hands an effect to the link and waits until it is done. */
export function* perform(c: ClientContext, effect: RdpEffect): Parser<void> {
  c.emit({ type: "effect", effect });
  yield AFTER_RESUME;
}

import type { Cursor } from "../../../framebuffer/cursor.ts";
import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { MissingPixels } from "../../../framebuffer/missing-pixels.ts";
import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { Deflate, Inflate, JpegCodec, SecurityCrypto } from "../../platform.ts";
import type { DecoderState, Encoding } from "../encodings/encoding.ts";
import type { SecurityOptions } from "../security/policy.ts";
import type { RfbEffect } from "./effect.ts";

export interface RfbClientPorts {
  readonly inflate: Inflate;
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  readonly crypto: SecurityCrypto;
}

export interface RfbClientOptions {
  /** Sent only as the security type agreed upon sends it; null where there is none. */
  readonly password: string | null;
  /** For the security types that want one; default none. */
  readonly username?: string | null;
  /** How the server may let us in; default: whatever authenticates, or None where no password is configured. */
  readonly security?: SecurityOptions;
  /** What an UltraVNC repeater is told to connect us with: "ID:1234" or "host:port". Default: no repeater. */
  readonly repeater?: string | null;
  /** Encoding numbers to ask for, best first; default the dialect's. */
  readonly encodings?: readonly number[] | undefined;
  /** Default plain RFB. */
  readonly dialect?: Dialect;
  /**
   * The format to ask for, default RGBX; "server": none is asked for and the server's own is decoded, for servers
   * that ignore SetPixelFormat.
   */
  readonly pixelFormat?: PixelFormat | "server";
  /** What to draw in; it takes the size of the server's picture. Default: one of its own. */
  readonly framebuffer?: Framebuffer | undefined;
}

/** What a server said. All but `handshake`, `effect` and `progress` come between complete updates. */
export type RfbClientEvent =
  /** A step of the handshake is over, in words. */
  | { readonly type: "handshake"; readonly step: string; readonly detail: string }
  /** The client reads no further until this is done and `resume` is called. */
  | { readonly type: "effect"; readonly effect: RfbEffect }
  | { readonly type: "ready"; readonly name: string; readonly screens: readonly Screen[] }
  /** Not `isExact`: `painted` holds more than was painted, the bounds of too many rectangles. */
  | {
      readonly type: "update";
      readonly painted: Region;
      readonly copies: readonly CopyMove[];
      readonly isExact: boolean;
    }
  /** Inside the update that brings the first picture: how much of it was decoded, more than 0 and at most 1. */
  | { readonly type: "progress"; readonly part: number }
  | { readonly type: "resize"; readonly screens: readonly Screen[] }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  /** null: a text was copied there that is too long, or cannot be read. */
  | { readonly type: "clipboard"; readonly text: string | null }
  /** The server asked for the text it was offered last, and got it. */
  | { readonly type: "clipboardTaken" }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  /** The server would send its sound, were it asked. */
  | { readonly type: "soundOffered" }
  /** 16 bits with sign, little-endian, 44,100 times a second left and right; null: it fell silent. */
  | { readonly type: "sound"; readonly samples: Uint8Array | null }
  /** The answer to a fence of ours. */
  | { readonly type: "fence"; readonly payload: Uint8Array }
  /** Where the desktop itself, or somebody else, moved the pointer to. */
  | { readonly type: "pointer"; readonly x: number; readonly y: number }
  /** Which lock keys are on. */
  | { readonly type: "locks"; readonly locks: LockKeys }
  /** KasmVNC: why the server is about to close, made safe to show. */
  | { readonly type: "farewell"; readonly reason: string; readonly isGraceful: boolean };

export interface LockKeys {
  readonly scrollLock: boolean;
  readonly numLock: boolean;
  readonly capsLock: boolean;
}

/** What the server showed it can do. */
export interface ServerFeatures {
  hasFence: boolean;
  hasContinuousUpdates: boolean;
  hasQemuKeys: boolean;
  hasSound: boolean;
  hasExtendedDesktopSize: boolean;
  hasExtendedMouseButtons: boolean;
  /** QEMU without a tablet: the pointer goes by deltas, and where it is is not known. */
  isPointerRelative: boolean;
  /** Flags of its ExtendedClipboard caps; 0 without. */
  clipboardActions: number;
}

/** What the parsers of one connection share. */
export interface ClientContext {
  readonly from: ByteQueue;
  readonly framebuffer: Framebuffer;
  readonly options: RfbClientOptions;
  readonly ports: RfbClientPorts;
  readonly decoders: DecoderState;
  readonly features: ServerFeatures;
  readonly dialect: Dialect;
  /** As the dialect decodes them. */
  encodingOf: (number: number) => Encoding | undefined;
  /** The format named by ServerInit, as it was sent: `decoders.format` judges it where it is used. */
  serverFormat: PixelFormat;
  /** Where the pointer was last sent to, null before that. */
  pointerAt: { readonly x: number; readonly y: number } | null;
  /** What was agreed, in words: "RFB 3.8, VncAuth". */
  description: string;
  screens: readonly Screen[];
  /** What of the first picture has not been decoded. */
  readonly missing: MissingPixels;
  /** What a clipboard request of the server is answered with. */
  clipboardText: string | null;
  /** When the message that is being read has to be whole; null where it may take its time. */
  deadlineMs: number | null;
  /** The time of the last bytes. */
  nowMs(): number;
  /** Called before memory for a new size is taken; throws where sizes change too often. */
  admitResize(): void;
  /** Called before a fence is answered; throws where they come too fast. */
  admitFence(): void;
  send(bytes: Uint8Array): void;
  emit(event: RfbClientEvent): void;
  /** True where nothing more is to be read until `resume`. */
  isHeld(): boolean;
}

/** Wheel movement in notches, right and down positive. */
export interface Scroll {
  readonly x: number;
  readonly y: number;
}

/**
 * What a family of servers says in its own way. It is fixed before SetEncodings and never mixed with another's:
 * the same numbers mean other things (rectangle 17 is ZYWRLE or KasmVideo, message 253 is gii or UserAdded).
 */
export interface Dialect {
  readonly name: string;
  /** Asked for unless the options name others, best first. */
  readonly encodings: readonly number[];
  /** Asked for beside them. */
  readonly pseudoEncodings: readonly number[];
  /** For one connection: how the rectangles of a number are decoded; undefined where it is no encoding here. */
  decoders(c: ClientContext): (number: number) => Encoding | undefined;
  /** Reads a message of this dialect after its type; false where it has no such message. */
  readMessage(c: ClientContext, type: number): Parser<boolean>;
  /** The messages that bring the pointer to (x, y) with these buttons held and the wheel turned. */
  pointer(c: ClientContext, x: number, y: number, buttons: number, scroll: Scroll): Uint8Array;
  offerClipboard(c: ClientContext, text: string): void;
}

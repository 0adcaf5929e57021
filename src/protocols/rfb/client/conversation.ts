import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { ByteQueue } from "../../byte-queue.ts";
import type { Deflate, Inflate, JpegCodec, RfbCrypto } from "../../platform.ts";
import type { DecoderState } from "../encodings/encoding.ts";
import type { CopyMove, Cursor, Screen } from "../screen.ts";

export interface RfbClientPorts {
  readonly inflate: Inflate;
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  readonly crypto: RfbCrypto;
}

export interface RfbClientOptions {
  /** Sent only in answer to a VncAuth challenge; null where there is none. */
  readonly password: string | null;
  /** Encoding numbers to ask for, best first; default all of ENCODINGS. */
  readonly encodings?: readonly number[];
}

/** What a server said. All but `handshake` come between complete updates. */
export type RfbClientEvent =
  /** A step of the handshake is over, in words. */
  | { readonly type: "handshake"; readonly step: string; readonly detail: string }
  | { readonly type: "ready"; readonly name: string; readonly screens: readonly Screen[] }
  | { readonly type: "update"; readonly painted: Region; readonly copies: readonly CopyMove[] }
  | { readonly type: "resize"; readonly screens: readonly Screen[] }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  | { readonly type: "clipboard"; readonly text: string }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  /** The answer to a fence of ours. */
  | { readonly type: "fence"; readonly payload: Uint8Array };

/** What the server showed it can do. */
export interface ServerFeatures {
  hasFence: boolean;
  hasContinuousUpdates: boolean;
  hasQemuKeys: boolean;
  hasExtendedDesktopSize: boolean;
  /** Flags of its ExtendedClipboard caps; 0 without. */
  clipboardActions: number;
}

/** What the parsers of one connection share. */
export interface Conversation {
  readonly from: ByteQueue;
  readonly framebuffer: Framebuffer;
  readonly options: RfbClientOptions;
  readonly ports: RfbClientPorts;
  readonly decoders: DecoderState;
  readonly features: ServerFeatures;
  /** What was agreed, in words: "RFB 3.8, VncAuth". */
  description: string;
  screens: readonly Screen[];
  /** What a clipboard request of the server is answered with. */
  clipboardText: string | null;
  /** Called before memory for a new size is taken; throws where sizes change too often. */
  admitResize(): void;
  send(bytes: Uint8Array): void;
  emit(event: RfbClientEvent): void;
}

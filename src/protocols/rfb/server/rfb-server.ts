import type { Region } from "../../../framebuffer/region.ts";
import type { Deflate, JpegCodec, RfbCrypto } from "../../platform.ts";
import type { CopyMove, Cursor, Picture, ResizeStatus, Screen } from "../screen.ts";

export interface RfbServerPorts {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  readonly crypto: RfbCrypto;
}

/** How a viewer may sign in. */
export type ServerSecurity =
  | { readonly type: "none" }
  /** `verify`: true where `response` is the DES answer to `challenge` for a password that is accepted. */
  | { readonly type: "vncAuth"; verify(challenge: Uint8Array, response: Uint8Array): boolean };

export interface RfbServerOptions {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly screens: readonly Screen[];
  /** Offered in this order. */
  readonly security: readonly ServerSecurity[];
}

/** What a viewer said. Coordinates are clamped to the desktop. */
export type RfbServerEvent =
  /** The handshake is over. */
  | { readonly type: "ready"; readonly isShared: boolean }
  | {
      readonly type: "key";
      readonly keysym: number;
      readonly isDown: boolean;
      readonly scancode: number | null;
    }
  | { readonly type: "pointer"; readonly x: number; readonly y: number; readonly buttons: number }
  | { readonly type: "clipboard"; readonly text: string }
  | {
      readonly type: "resize";
      readonly width: number;
      readonly height: number;
      readonly screens: readonly Screen[];
    }
  /** An update request is open now: `update` may send. */
  | { readonly type: "updateWanted" };

/**
 * The server's side of RFB 3.3, 3.7 and 3.8 (RFC 6143), sans I/O: bytes in by `receive`, bytes out by `send`.
 * Throws RfbError from `receive` where the viewer breaks the protocol; the owner then closes the socket.
 */
export declare class RfbServer {
  constructor(
    options: RfbServerOptions,
    ports: RfbServerPorts,
    send: (bytes: Uint8Array) => void,
    on: (event: RfbServerEvent) => void,
  );
  readonly isReady: boolean;
  /** True while the viewer has an open update request (or continuous updates). */
  readonly isUpdateWanted: boolean;
  /** What the viewer asked to get whole, because of a non-incremental request; taken by `update`. */
  readonly refresh: Region;
  receive(chunk: Uint8Array): void;
  /**
   * Sends one FramebufferUpdate of the part of `painted` that was asked for; `copies` go first. Returns what was
   * left out. Without an open request nothing is sent and all is returned.
   */
  update(picture: Picture, painted: Region, copies?: readonly CopyMove[]): Region;
  /** Announces a new size or monitors; status and who asked go into ExtendedDesktopSize. */
  resize(width: number, height: number, screens: readonly Screen[]): void;
  /** Answers a viewer's resize request that did not succeed. */
  refuseResize(status: ResizeStatus): void;
  cursor(cursor: Cursor | null): void;
  /** True where the viewer draws the cursor itself. */
  readonly drawsCursor: boolean;
  clipboard(text: string): void;
  bell(): void;
  name(name: string): void;
}

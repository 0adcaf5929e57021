import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue } from "../../byte-queue.ts";
import type { Deflate, Inflate, JpegCodec, RfbCrypto } from "../../platform.ts";
import type { Encoding } from "../encodings/encoding.ts";
import type { Screen } from "../screen.ts";

/** What decides the bytes of an encoded rectangle beside its pixels. */
export interface RectWork {
  readonly encoding: Encoding;
  readonly rect: Rect;
  readonly format: PixelFormat;
  /** 1 to 100, null for lossless only. */
  readonly jpegQuality: number | null;
  /** zlib level 1 to 9. */
  readonly compressLevel: number;
}

/** Hands out the body of a rectangle: that of an equal work of the same picture, or what `encode` makes now. */
export type EncodeRect = (work: RectWork, encode: () => Uint8Array) => Uint8Array;

/** What the platform gives a server's side. */
export interface RfbServerPorts {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  readonly crypto: RfbCrypto;
  /** Reads what a viewer puts on the clipboard; without it ExtendedClipboard is not offered. */
  readonly inflate?: Inflate;
  /** Encode once, send to all; without it every rectangle is encoded for this viewer. */
  readonly encodeRect?: EncodeRect;
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
  /** Offered in this order; none refuses every viewer with `refusal` as the reason. */
  readonly security: readonly ServerSecurity[];
  readonly refusal?: string;
  /** Pixels outside are never sent; the viewer is told the whole size all the same. Default: everything. */
  readonly viewport?: Rect | null;
  /** An update stops growing beyond this and leaves the rest out. Default 2 MiB. */
  readonly maxUpdateBytes?: number;
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

/** The line to one viewer: what its parsers read from, answer to and tell. */
export interface Dialogue {
  readonly from: ByteQueue;
  readonly options: RfbServerOptions;
  readonly ports: RfbServerPorts;
  readonly send: (bytes: Uint8Array) => void;
  readonly emit: (event: RfbServerEvent) => void;
}

import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import type { ByteQueue } from "../../byte-queue.ts";
import type { Deflate, Inflate, JpegCodec, RfbCrypto, RsaKey, SecurityCrypto } from "../../platform.ts";
import type { Encoding } from "../encodings/encoding.ts";

/** How a viewer wants its pixels. */
export interface PixelStyle {
  readonly encoding: Encoding;
  readonly format: PixelFormat;
  /** 1 to 100, null for lossless only. */
  readonly jpegQuality: number | null;
  /** zlib level 1 to 9. */
  readonly compressLevel: number;
}

/** What decides the bytes of an encoded rectangle beside its pixels. */
export interface RectWork {
  /** The same object for as long as a viewer wishes nothing else. */
  readonly style: PixelStyle;
  readonly rect: Rect;
}

/**
 * Hands out the body of a rectangle: that of an equal work of the same picture, or what `encode` makes now; null where
 * this turn of the event loop has no time left for it. Then what was encoded so far goes out, and the rest of the
 * update with the next calls of `update`.
 */
type EncodeRect = (work: RectWork, encode: () => Uint8Array) => Uint8Array | null;

/** A picture of an area that moves like a film, for viewers of H.264 (encoding 50, rfbproto). */
export interface FilmRect {
  readonly rect: Rect;
  /** U32 length, U32 flags, NAL units. */
  readonly body: Uint8Array;
}

/** What the platform gives a server's side. */
export interface RfbServerPorts {
  readonly deflate: Deflate;
  readonly jpeg: JpegCodec;
  readonly crypto: RfbCrypto;
  /** Reads what a viewer puts on the clipboard; without it ExtendedClipboard is not offered. */
  readonly inflate?: Inflate;
  /** Encode once, send to all; without it every rectangle is encoded for this viewer, at once. */
  readonly encodeRect?: EncodeRect;
  /** What `encodeRect` has at hand in a style, newest first: an update is cut so that it needs no more than it must. */
  readonly encodedRects?: (style: PixelStyle) => readonly Rect[];
  /** Makes one message of its parts, of which the bodies came from `encodeRect`; nobody writes to it. */
  readonly joinUpdate?: (parts: readonly Uint8Array[]) => Uint8Array;
  /** Hands out what this viewer is owed of films, within what it asked for; of each area all of it and in order. */
  readonly takeFilms?: (asked: Region) => readonly FilmRect[];
  /** Grows with every picture: by it fences are numbered, so that viewers of one picture get the same bytes. */
  readonly pictureNumber?: () => number;
}

/** Whose certificate a viewer sees: nobody's (anonymous Diffie-Hellman), or the appliance's. */
export type TlsIdentity = "anonymous" | "x509";

/** True where this password is accepted of this user. */
type VerifyUser = (user: string, password: string) => boolean;

export interface VncAuthSecurity {
  readonly type: "vncAuth";
  /** True where `response` is the DES answer to `challenge` for a password that is accepted. */
  verify(challenge: Uint8Array, response: Uint8Array): boolean;
}

/** A user name and a password as they are: only ever inside TLS. */
export interface PlainSecurity {
  readonly type: "plain";
  readonly verify: VerifyUser;
}

/** What follows when TLS of VeNCrypt stands. */
export type InnerSecurity = { readonly type: "none" } | VncAuthSecurity | PlainSecurity;

/** One sub-type of VeNCrypt: TLSNone to X509Plain. */
export interface VeNCryptSubtype {
  readonly identity: TlsIdentity;
  readonly inner: InnerSecurity;
}

/** Our half of a Diffie-Hellman exchange, good for one viewer; numbers big-endian, as long as the prime. */
export interface DhExchange {
  readonly generator: number;
  readonly prime: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Throws where the other half is none. */
  secret(peerPublicKey: Uint8Array): Uint8Array;
}

/** What the server's side of Apple's security type needs. */
export interface ArdCrypto extends Pick<SecurityCrypto, "hash"> {
  diffieHellman(): DhExchange;
  /** AES with a key of 16 bytes, whole blocks, no padding. */
  aesEcbDecrypt(key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** What the server's side of MS-Logon II needs. */
export interface MsLogonCrypto extends Pick<SecurityCrypto, "randomBytes"> {
  /** Single DES, whole blocks, no padding, the key as DES has it. */
  desEcbDecrypt(key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** How a viewer may sign in. */
export type ServerSecurity =
  | { readonly type: "none" }
  | VncAuthSecurity
  | { readonly type: "veNCrypt"; readonly subtypes: readonly VeNCryptSubtype[] }
  | {
      readonly type: "ra2ne";
      readonly key: RsaKey;
      readonly crypto: SecurityCrypto;
      readonly verify: VerifyUser;
    }
  | { readonly type: "ard"; readonly crypto: ArdCrypto; readonly verify: VerifyUser }
  | { readonly type: "msLogon"; readonly crypto: MsLogonCrypto; readonly verify: VerifyUser };

export interface RfbServerOptions {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly screens: readonly Screen[];
  /** Offered in this order; none refuses every viewer with `refusal` as the reason. */
  readonly security: readonly ServerSecurity[];
  readonly refusal?: string;
  /** Its handshake is over already, by an RfbGreeting: it is told the desktop as soon as it is heard. Default false. */
  readonly isGreeted?: boolean;
  /** Pixels outside are never sent; the viewer is told the whole size all the same. Default: everything. */
  readonly viewport?: Rect | null;
  /** An update stops growing beyond this and leaves the rest out. Default 2 MiB. */
  readonly maxUpdateBytes?: number;
}

/** What a viewer said. Coordinates are clamped to the desktop. */
export type RfbServerEvent =
  /**
   * All that was sent so far goes as it is, all after it through TLS, both ways; nothing needs to be waited for.
   * The owner that cannot do this must not offer VeNCrypt.
   */
  | { readonly type: "startTls"; readonly identity: TlsIdentity }
  /** The handshake is over. */
  | { readonly type: "ready" }
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
export interface ServerContext {
  readonly from: ByteQueue;
  readonly options: RfbServerOptions;
  readonly ports: RfbServerPorts;
  readonly send: (bytes: Uint8Array) => void;
  readonly emit: (event: RfbServerEvent) => void;
}

import { jpegTurbo } from "../../imaging/jpeg/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "../../platform/node-zlib.ts";
import { rfbCrypto } from "./vnc/rfb-crypto.ts";

/** What the rooms need of the platform, on Node. */
export const PLATFORM = {
  inflate: chooseInflate(),
  deflate: nodeDeflate,
  jpeg: jpegTurbo,
  crypto: rfbCrypto,
} as const;

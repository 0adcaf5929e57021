import { createHash } from "node:crypto";

/** One line of test/wire/rfb/captures.json: a file of all that a server sent, gzipped. */
export interface Capture {
  readonly file: string;
  readonly server: string;
  /** Of its Debian package. */
  readonly version: string;
  /** The one asked for. */
  readonly encoding: string;
  /** `pictureHash` of the server's own display at the end. */
  readonly picture: string;
}

/** Of a picture's size and colours, alpha left out. */
export function pictureHash(shot: { width: number; height: number; rgba: Uint8Array }): string {
  const rgb = new Uint8Array(shot.width * shot.height * 3);
  for (let i = 0, p = 0; i < rgb.length; i += 3, p += 4) rgb.set(shot.rgba.subarray(p, p + 3), i);
  return `${shot.width}x${shot.height} ${createHash("sha256").update(rgb).digest("hex")}`;
}

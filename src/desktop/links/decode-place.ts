import type { Connection } from "../connections/connection.ts";
import type { Decoding } from "../connections/decoding.ts";

/**
 * Where a connection's link decodes. RDP hosts never have the main thread. A server that comes to us comes to the
 * socket that listens; a repeater brings its guest together with one of us, so a second link beside the first would
 * find nobody.
 */
export function decodingOf({ protocol, transport, decoding = "auto" }: Connection): Decoding {
  if (protocol === "rdp") return "worker";
  if (transport === "reverse") return "main";
  if (transport === "repeater" && decoding === "auto") return "main";
  return decoding;
}

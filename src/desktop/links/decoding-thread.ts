import type { Connection } from "../connections/connection.ts";

/**
 * The thread that a connection's link decodes on. RDP hosts never have the main thread; VNC and KasmVNC servers have it
 * unless a thread was asked for: their pieces are read in slices (SlicedReader), which keeps its turns as short as a thread
 * would (docs/adr/0009). A server that comes to us comes to the socket that listens, which is the main thread's.
 */
export function decodingThread({ protocol, transport, decoding }: Connection): "main" | "worker" {
  if (protocol === "rdp") return "worker";
  return decoding === "worker" && transport !== "reverse" ? "worker" : "main";
}

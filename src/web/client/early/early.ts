import type { EarlySocket } from "./early-socket.ts";

/**
 * Runs first in a viewer's page, before the app is loaded: opens its two sockets, and says in the address of the
 * desktop's what noVNC will say, so that the picture comes while the code does. No module, so it imports nothing.
 */
{
  /** Of RFC 6143 section 7.5.2 and the registry those of noVNC, in its order; of H.264 it mostly knows later. */
  const ENCODINGS = [
    ...[1, 7, -260, 16, 21, 5, 2, 6, 0, -26, -254, -223, -224, -258, -261, -308, -309, -312, -313, -307],
    ...[0xc0a1e5ce, -316, 0x574d5664, -239],
  ];
  /** FramebufferUpdateRequest, section 7.5.3: not incremental, from the corner on. */
  const REQUEST = [3, 0, 0, 0, 0, 0];
  const SAID = [
    // ProtocolVersion 3.8, the security type None, a shared ClientInit: sections 7.1.1, 7.1.2 and 7.3.1.
    ...[82, 70, 66, 32, 48, 48, 51, 46, 48, 48, 56, 10, 1, 1],
    // SetPixelFormat, section 7.5.1: 32 bits, 24 of them used, little endian, red first.
    ...[0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0],
    // SetEncodings, section 7.5.2.
    ...[2, 0, 0, ENCODINGS.length],
    ...ENCODINGS.flatMap((number) => [number >> 24, number >> 16, number >> 8, number].map((n) => n & 255)),
    ...REQUEST,
  ];
  /** Its width and height: the server takes of it what there is. */
  const WHOLE = [255, 255, 255, 255];

  const sockets = new Map<string, EarlySocket>();
  const open = (base: string, path: string, query: string, protocols: string[]): WebSocket => {
    const kept: unknown[] = [];
    const socket = new WebSocket(location.origin.replace("http", "ws") + base + path + query, protocols);
    socket.binaryType = "arraybuffer";
    const keep = ({ data }: MessageEvent): void => void kept.push(data);
    socket.addEventListener("message", keep);
    sockets.set(path, {
      socket,
      take: () => {
        socket.removeEventListener("message", keep);
        return kept;
      },
    });
    return socket;
  };

  const [, base = "", id] = /^(.*)\/desktops\/([^/]+)\/?$/.exec(location.pathname) ?? [];
  // A window that shows a part of a desktop asks for that.
  if (id !== undefined && !location.search.includes("vw=")) {
    globalThis.earlySockets = sockets;
    const say = btoa(String.fromCharCode(...SAID, ...WHOLE))
      .replace(/\+/g, "-")
      .replace(/\//g, "_");
    const socket = open(base, `/ws/desktops/${id}?composite=0`, `&say=${say}`, ["binary"]);
    const send = socket.send.bind(socket);
    // What noVNC says again is not sent again; of the size that it asks for it knows better.
    socket.send = (bytes: Uint8Array<ArrayBuffer>): void => {
      if (SAID.length > 0 && bytes.every((byte, i) => byte === (SAID[i] ?? byte))) {
        SAID.splice(0, bytes.length);
        return;
      }
      // Where it knows of H.264 by now, its SetEncodings is news; the request that follows is not.
      SAID.splice(0, SAID.length - (bytes[0] === 2 ? REQUEST.length : 0));
      send(bytes);
    };
    open(base, "/ws/events", "", []);
  }
}

import "../early/early-socket.ts";
import { below } from "./base-path.ts";

/** A socket that its owner listens to, and then has begin. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  /** Hands on what came before its owner listened. */
  begin(): void;
}

/** Opens a path of this server, with its query; or takes what the page opened before the app was there. */
export function openSocket(path: string, protocols: string[] = []): OpenedSocket {
  const { earlySockets } = globalThis;
  const early = earlySockets?.get(path);
  earlySockets?.delete(path);
  if (early === undefined || early.socket.readyState > WebSocket.OPEN) {
    const socket = new WebSocket(location.origin.replace("http", "ws") + below(path), protocols);
    return { socket, begin: () => {} };
  }
  const { socket } = early;
  return {
    socket,
    begin: () => {
      for (const data of early.take()) socket.dispatchEvent(new MessageEvent("message", { data }));
    },
  };
}

/** Closes what the page opened and nobody took. */
export function closeEarlySockets(): void {
  for (const { socket } of globalThis.earlySockets?.values() ?? []) socket.close();
  globalThis.earlySockets?.clear();
}

/** A WebSocket as the bridge needs it; one of the package ws is made into one by the web face. */
export interface BridgeSocket {
  send(data: string): void;
  /** Bytes that wait to be sent. */
  readonly bufferedBytes: number;
  close(code: number, reason: string): void;
  /** Cuts it, without a word. */
  cut(): void;
  onFrame(listener: (data: string | Uint8Array) => void): void;
  onClose(listener: () => void): void;
}

/** Close codes of the bridge, of the range that RFC 6455 leaves to applications. */
export const BRIDGE_CLOSE = {
  /** The same browser dialled anew. */
  replaced: 4002,
  denied: 4003,
  broken: 4004,
  unpaired: 4005,
} as const;

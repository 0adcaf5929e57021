/** A socket that was opened before the app's code was there; who takes it gets what came meanwhile. */
export interface EarlySocket {
  readonly socket: WebSocket;
  /** What came, and nothing is kept from now on. */
  take(): readonly unknown[];
}

declare global {
  /** By the path and query of each; those that were taken are gone. */
  var earlySockets: Map<string, EarlySocket> | undefined;
}

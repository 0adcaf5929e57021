import type { Connection, ConnectionInput } from "./connection.ts";
import type { Desktop } from "./desktop.ts";

export type DesktopsEvent =
  | { readonly type: "added"; readonly desktop: Desktop }
  | { readonly type: "removed"; readonly desktop: Desktop };

export interface TestReport {
  readonly success: boolean;
  /** How far the handshake got, in order, in words. */
  readonly steps: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly message: string;
}

/** The registry: every configured connection and its live desktop. */
export declare class Desktops {
  /** In the order they were added. */
  readonly all: readonly Desktop[];
  /** Throws RefusedError not_found. */
  get(id: string): Desktop;
  /** The principal's choice, else the first; throws RefusedError not_found where there is none. */
  active(principalId: string): Desktop;
  setActive(principalId: string, id: string): Desktop;
  /** Validates, guards the address, stores and opens. Throws RefusedError. */
  add(input: ConnectionInput): Promise<Desktop>;
  remove(id: string): Promise<void>;
  /** A handshake of its own, closed afterwards. Records `lastConnected`. */
  test(connection: Connection): Promise<TestReport>;
  /** ISO time of the last handshake that succeeded, null for never. */
  lastConnected(id: string): string | null;
  on(listener: (event: DesktopsEvent) => void): () => void;
  close(): Promise<void>;
}

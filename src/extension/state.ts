/** What the popup and the worker say to each other. */

export type Status =
  | { readonly kind: "unpaired" }
  | { readonly kind: "stopped" }
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  /** The server said no, and why. */
  | { readonly kind: "denied"; readonly reason: string }
  /** What answers there did not prove that it is the server that was paired. */
  | { readonly kind: "impostor" };

export interface TabInfo {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly isShared: boolean;
  /** The one in front of the window that the popup was opened in. */
  readonly isActive: boolean;
}

export interface BridgeState {
  readonly status: Status;
  /** "Overlay Companion at 127.0.0.1:3000"; null before a server is known. */
  readonly server: string | null;
  readonly mayOpenTabs: boolean;
  readonly tabs: readonly TabInfo[];
}

export type Request =
  | { readonly do: "state" }
  | { readonly do: "pair"; readonly link: string }
  | { readonly do: "share"; readonly tabId: number; readonly isShared: boolean }
  | { readonly do: "open_tabs"; readonly isAllowed: boolean }
  | { readonly do: "stop" }
  | { readonly do: "resume" }
  | { readonly do: "forget" };

export type Reply = { readonly state: BridgeState } | { readonly error: string };

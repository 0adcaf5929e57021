/** The part of noVNC 1.7 (docs/API.md) that the viewer uses; the package brings no types. */
declare module "@novnc/novnc" {
  export interface RfbOptions {
    readonly shared?: boolean;
    readonly credentials?: {
      readonly username?: string;
      readonly password?: string;
      readonly target?: string;
    };
    readonly wsProtocols?: readonly string[];
  }

  export interface RfbEventMap {
    readonly connect: CustomEvent<Record<string, never>>;
    readonly disconnect: CustomEvent<{ readonly clean: boolean }>;
    readonly securityfailure: CustomEvent<{ readonly status: number; readonly reason?: string }>;
    readonly clipboard: CustomEvent<{ readonly text: string }>;
    readonly bell: CustomEvent<Record<string, never>>;
    readonly desktopname: CustomEvent<{ readonly name: string }>;
  }

  /** One object is one connection: a new one is made for each. */
  export default class RFB {
    constructor(target: HTMLElement, channel: string | WebSocket, options?: RfbOptions);
    background: string;
    clipViewport: boolean;
    compressionLevel: number;
    focusOnClick: boolean;
    qualityLevel: number;
    resizeSession: boolean;
    scaleViewport: boolean;
    showDotCursor: boolean;
    viewOnly: boolean;
    addEventListener<K extends keyof RfbEventMap>(
      type: K,
      listener: (event: RfbEventMap[K]) => void,
      options?: { readonly once?: boolean },
    ): void;
    blur(): void;
    clipboardPasteFrom(text: string): void;
    disconnect(): void;
    focus(options?: FocusOptions): void;
    getImageData(): ImageData;
    /** A null `code` sends the keysym alone; without `isDown` it is pressed and released. */
    sendKey(keysym: number, code: string | null, isDown?: boolean): void;
    sendCtrlAltDel(): void;
  }
}

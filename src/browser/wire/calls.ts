/** What goes over the bridge between the extension and the server. Both ends check it: neither trusts the other's list. */

export const SUBPROTOCOL = "overlay-companion.bridge.v1";

/** Where the bridge is dialled, on the server's own address. */
export const BRIDGE_PATH = "/ws/browser";

/** Of the public key in the extension's manifest: the same in every browser that takes extensions of Chrome's kind. */
export const EXTENSION_ID = "mbpbleeidgfgdkinonacdgbgelcgagfn";
export const EXTENSION_ORIGIN = `chrome-extension://${EXTENSION_ID}`;

const COMMANDS = ["tabs", "create_tab", "close_tab", "activate", "attach", "detach", "cdp"] as const;
export type Command = (typeof COMMANDS)[number];

/**
 * The methods of the DevTools protocol that are used. None reads cookies, storage, network or other tabs, and neither
 * Runtime nor Network is enabled, which pages could notice.
 */
export const METHODS = [
  "Accessibility.getFullAXTree",
  "DOM.describeNode",
  "DOM.enable",
  "DOM.focus",
  "DOM.getBoxModel",
  "DOM.getContentQuads",
  "DOM.getFrameOwner",
  "DOM.getNodeForLocation",
  "DOM.resolveNode",
  "DOM.scrollIntoViewIfNeeded",
  "Input.dispatchKeyEvent",
  "Input.dispatchMouseEvent",
  "Input.insertText",
  "Overlay.enable",
  "Overlay.hideHighlight",
  "Overlay.highlightNode",
  "Overlay.highlightRect",
  "Page.addScriptToEvaluateOnNewDocument",
  "Page.captureScreenshot",
  "Page.createIsolatedWorld",
  "Page.enable",
  "Page.getFrameTree",
  "Page.getLayoutMetrics",
  "Runtime.callFunctionOn",
  "Runtime.evaluate",
  "Runtime.releaseObjectGroup",
  "Target.setAutoAttach",
] as const;
export type Method = (typeof METHODS)[number];

/** The events of the DevTools protocol that are told; all others stay in the browser. */
const EVENTS: ReadonlySet<string> = new Set([
  "Inspector.targetCrashed",
  "Inspector.targetReloadedAfterCrash",
  "Page.frameNavigated",
  "Page.frameStartedLoading",
  "Page.frameStoppedLoading",
  "Page.javascriptDialogClosed",
  "Page.javascriptDialogOpening",
  "Target.attachedToTarget",
  "Target.detachedFromTarget",
]);

const ALLOWED: ReadonlySet<string> = new Set(METHODS);

export function isAllowedMethod(method: string): method is Method {
  return ALLOWED.has(method);
}

export function isCommand(name: string): name is Command {
  return COMMANDS.some((command) => command === name);
}

export function isToldEvent(method: string): boolean {
  return EVENTS.has(method);
}

/** What a tab may be opened at: the web, or nothing yet. */
export function isWebAddress(text: string): boolean {
  if (text === "about:blank") return true;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

import { type Crop, cropFromQuery } from "../viewer/crop.ts";

/** Which page an address names. */
export type Route =
  | { readonly page: "desktops" }
  | { readonly page: "viewer"; readonly desktopId: string; readonly crop: Crop | null }
  | { readonly page: "rules"; readonly desktopId: string }
  | { readonly page: "recordings" }
  | { readonly page: "player"; readonly recordingId: string }
  | { readonly page: "approvals"; readonly approvalId: string | null }
  | { readonly page: "setup" }
  | { readonly page: "access" }
  | { readonly page: "secrets" }
  | { readonly page: "audit" }
  | { readonly page: "fleet" }
  | { readonly page: "signin" }
  | { readonly page: "answer" }
  | { readonly page: "unknown"; readonly path: string };

const VIEWER_PATH = /^\/desktops\/([^/]+)\/?$/;
const RULES_PATH = /^\/desktops\/([^/]+)\/rules\/?$/;
const PLAYER_PATH = /^\/recordings\/([^/]+)\/?$/;

/** A percent sign that escapes nothing makes `decodeURIComponent` throw; such an address names no desktop. */
function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function segmentOf(pattern: RegExp, path: string): string | null {
  const segment = pattern.exec(path)?.[1];
  return segment === undefined ? null : decodeSegment(segment);
}

/** Reads a path and its query string; every address is some route. */
export function routeOf(path: string, query: string): Route {
  switch (path) {
    case "/":
    case "/index.html":
    case "/desktops":
    case "/desktops/":
      return { page: "desktops" };
    case "/recordings":
    case "/recordings/":
      return { page: "recordings" };
    case "/approvals":
      return { page: "approvals", approvalId: new URLSearchParams(query).get("card") };
    case "/setup":
      return { page: "setup" };
    case "/access":
      return { page: "access" };
    case "/secrets":
      return { page: "secrets" };
    case "/audit":
      return { page: "audit" };
    case "/fleet":
      return { page: "fleet" };
    case "/answer":
      return { page: "answer" };
    case "/signin":
      return { page: "signin" };
  }
  const recordingId = segmentOf(PLAYER_PATH, path);
  if (recordingId !== null) return { page: "player", recordingId };
  const ruledId = segmentOf(RULES_PATH, path);
  if (ruledId !== null) return { page: "rules", desktopId: ruledId };
  const desktopId = segmentOf(VIEWER_PATH, path);
  return desktopId === null
    ? { page: "unknown", path }
    : { page: "viewer", desktopId, crop: cropFromQuery(query) };
}

/** Where the sign-in page leads, by its query: to the page of ours that it was asked for, else to the first one. */
export function wantedPath(query: string): string {
  const base = "http://here.invalid";
  const next = new URLSearchParams(query).get("next") ?? "/";
  const url = URL.canParse(next, base) ? new URL(next, base) : null;
  if (url?.origin !== base) return "/";
  const { page } = routeOf(url.pathname, url.search);
  return page === "unknown" || page === "signin" || page === "answer"
    ? "/"
    : url.pathname + url.search + url.hash;
}

/** The address of the sign-in page that leads back to where one is; `wasIn`: until now one was signed in. */
export function signInPath(from: string, wasIn = false): string {
  return `/signin?${new URLSearchParams({ next: from, ...(wasIn ? { was: "in" } : {}) })}`;
}

/** The address of a desktop's viewer. */
export function viewerPath(desktopId: string, query = ""): string {
  return `/desktops/${encodeURIComponent(desktopId)}${query === "" ? "" : `?${query}`}`;
}

/** The address of the rules of a desktop's custom mode. */
export function rulesPath(desktopId: string): string {
  return `/desktops/${encodeURIComponent(desktopId)}/rules`;
}

/** The address of a recording's player; `rest`: `?find=` what is looked for, `#t=` the moment. */
export function playerPath(recordingId: string, rest = ""): string {
  return `/recordings/${encodeURIComponent(recordingId)}${rest}`;
}

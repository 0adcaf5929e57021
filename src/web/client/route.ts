import { type Crop, cropFromQuery } from "./crop.ts";

/** Which page an address names. */
export type Route =
  | { readonly page: "desktops" }
  | { readonly page: "viewer"; readonly desktopId: string; readonly crop: Crop | null }
  | { readonly page: "approvals" }
  | { readonly page: "setup" }
  | { readonly page: "signin" }
  | { readonly page: "unknown"; readonly path: string };

const VIEWER_PATH = /^\/desktops\/([^/]+)\/?$/;

/** A percent sign that escapes nothing makes `decodeURIComponent` throw; such an address names no desktop. */
function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Reads a path and its query string; every address is some route. */
export function routeOf(path: string, query: string): Route {
  switch (path) {
    case "/":
    case "/index.html":
    case "/desktops":
    case "/desktops/":
      return { page: "desktops" };
    case "/approvals":
      return { page: "approvals" };
    case "/setup":
      return { page: "setup" };
    case "/signin":
      return { page: "signin" };
  }
  const segment = VIEWER_PATH.exec(path)?.[1];
  const desktopId = segment === undefined ? null : decodeSegment(segment);
  return desktopId === null
    ? { page: "unknown", path }
    : { page: "viewer", desktopId, crop: cropFromQuery(query) };
}

/** The address of a desktop's viewer. */
export function viewerPath(desktopId: string, query = ""): string {
  return `/desktops/${encodeURIComponent(desktopId)}${query === "" ? "" : `?${query}`}`;
}

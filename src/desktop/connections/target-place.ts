import { createHash } from "node:crypto";

/** Of a path's hash: so many hex digits tell paths of one server apart. */
const DIGITS = 16;

/** Under which a target's fingerprint is remembered: "host:port", "[::1]:port". */
export function placeOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host.toLowerCase()}:${port}`;
}

/** A target behind a web server's path, as a host of its own: a path may hold a token, so that its hash stands here. */
export function hostBehind(path: string, host: string): string {
  if (path === "") return `@${host}`;
  // Older files kept it in lower case.
  const hash = createHash("sha256").update(path.toLowerCase()).digest("hex").slice(0, DIGITS);
  return `path-${hash}@${host}`;
}

/** A place as older files have it, which name the path itself; what names none is given back as it is. */
export function placeWithoutPath(place: string): string {
  // A socket of this machine begins with / as well, and has the port 0.
  const found = /^(?:\[(\/.*)@(.*)\]|(\/.*)@(.*)):([1-9]\d*)$/s.exec(place);
  if (found === null) return place;
  const [, inBrackets, hostInBrackets, path = inBrackets, host = hostInBrackets, port] = found;
  return path === undefined || host === undefined ? place : placeOf(hostBehind(path, host), Number(port));
}

import { createHash } from "node:crypto";
import type { Connection } from "./connection.ts";

/**
 * The id of a connection that is configured without one: the same at each start, so that what is kept of its desktop
 * (rules, recordings, a link in somebody's bookmarks) finds it again. `nth`: 0 for the first of several to one place.
 */
export function configuredId(connection: Connection, nth: number): string {
  const { protocol, username, host, port, transport, path, repeater_id } = connection;
  const place = JSON.stringify([
    protocol,
    username,
    host,
    port,
    transport ?? null,
    path ?? null,
    repeater_id ?? null,
    nth,
  ]);
  const hex = createHash("sha256").update(place).digest("hex");
  // The form of a UUID, version 8: made of what the application likes (RFC 9562 section 5.8).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

import { isIP } from "node:net";
import type { Connection } from "./connection.ts";
import { isLoopback } from "./target-guard.ts";

type Place = Pick<Connection, "host" | "port" | "path">;

export function isSamePlace(a: Place, b: Place): boolean {
  return a.port === b.port && a.path === b.path && placeName(a.host) === placeName(b.host);
}

/** One name for all by which a machine reaches itself. */
function placeName(host: string): string {
  const name = host.toLowerCase();
  return name === "localhost" || (isIP(name) !== 0 && isLoopback(name)) ? "localhost" : name;
}

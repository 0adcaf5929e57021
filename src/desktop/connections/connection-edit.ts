import { isDeepStrictEqual } from "node:util";
import { RefusedError } from "../error.ts";
import { type Connection, makeConnection } from "./connection.ts";
import { type ConnectionEdit, isSecret, readFields, SECRET_FIELDS } from "./connection-fields.ts";

/** All of a connection but its secrets, which are named: taken as an edit it changes nothing. */
export function shownConnection(connection: Connection): ConnectionEdit {
  const kept_secrets = SECRET_FIELDS.filter((name) => isSecret(connection, name));
  const { id: _, createdAt: __, replay: ___, ...fields } = connection;
  const shown = Object.entries(fields).filter(
    ([name, value]) => value !== null && kept_secrets.every((secret) => secret !== name),
  );
  // A Unix socket has neither, a browser of ours too.
  const hasNone =
    connection.transport === "unix" || (connection.protocol === "browser" && connection.host === "");
  const place = hasNone ? new Set(["host", "port"]) : new Set();
  return { ...readFields(Object.fromEntries(shown.filter(([name]) => !place.has(name)))), kept_secrets };
}

/**
 * The connection with its edit: the same id, another name, place or way to sign in. Throws RefusedError
 * invalid_parameters, also where a kept secret would go to another place than the one that it was given for, or
 * there without what it was protected by.
 */
export function editedConnection(old: Connection, edit: ConnectionEdit): Connection {
  const { kept_secrets = [], ...said } = edit;
  if (said.protocol !== old.protocol) {
    throw new RefusedError(
      "invalid_parameters",
      `got the protocol ${said.protocol}, expected ${old.protocol}: a desktop of another protocol is added anew`,
    );
  }
  const names = kept_secrets.filter((name) => isSecret(old, name));
  const kept = [...names, "decoding" as const, "files" as const].flatMap((name) =>
    old[name] === undefined ? [] : [[name, old[name]]],
  );
  const input = readFields({ ...Object.fromEntries(kept), ...said });
  const connection = { ...makeConnection({ ...input, id: old.id }, new Date(0)), createdAt: old.createdAt };
  const taken = names.filter((name) => said[name] === undefined);
  if (taken.length === 0) return connection;
  const refused = (change: string, rule: string): RefusedError =>
    new RefusedError(
      "invalid_parameters",
      `got ${change} and kept_secrets with ${taken.join(", ")}, expected them anew: a stored secret goes only ${rule}`,
    );
  if (changeOf(old, connection) === "place") {
    throw refused("another address", "to the place that it was given for");
  }
  const unprotected = protectionLost(old, connection);
  if (unprotected !== null) throw refused(unprotected, "where what protected it still does");
  return connection;
}

/** The most that is another: where it leads, how it is got there or nothing that the target sees, such as its name. */
export function changeOf(old: Connection, connection: Connection): "place" | "options" | "name" {
  const names = ["protocol", "host", "port", "transport", "path", "repeater_id"] as const;
  if (names.some((name) => old[name] !== connection[name])) return "place";
  const besides = { name: "", keep_awake_s: 0 };
  return isDeepStrictEqual({ ...old, ...besides }, { ...connection, ...besides }) ? "name" : "options";
}

/** What says no longer so strictly, or otherwise, whom secrets are shown to and how; null where all of it stays. */
function protectionLost(old: Connection, connection: Connection): string | null {
  if (old.fingerprint !== connection.fingerprint) return "another fingerprint";
  // A proxy may choose by them where the connection ends.
  if (!isDeepStrictEqual(old.http_headers ?? {}, connection.http_headers ?? {})) return "other http_headers";
  if (old.protocol === "vnc" && !isDeepStrictEqual(old.security, connection.security)) {
    return "another security";
  }
  const isWeaker = old.protocol === "rdp" && nlaRank(connection) < nlaRank(old);
  return isWeaker ? "a weaker rdp.require_nla" : null;
}

/** The higher the stricter; what is not said is as the configuration has it. */
function nlaRank({ rdp }: Connection): number {
  if (rdp?.require_nla === undefined) return 1;
  return rdp.require_nla ? 2 : 0;
}

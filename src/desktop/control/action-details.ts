import { plainWords } from "../../compositor/look/shown-text.ts";
import type { Connection } from "../connections/connection.ts";
import type { Action } from "./action.ts";
import { heldWords } from "./action-summary.ts";

/** One thing that is asked about, in words. */
export interface Detail {
  readonly name: string;
  readonly value: string;
}

/** Points of a way that are written out; the picture shows all. */
const MAX_POINTS = 60;

/** Every argument of an action that its summary and its text do not say. */
export function detailsOf(action: Action): readonly Detail[] {
  switch (action.kind) {
    case "click":
      return [held(action.holdKeysyms), detail("Clicks", String(action.clicks))].flat();
    case "drag": {
      const points = action.path.slice(0, MAX_POINTS).map(({ x, y }) => `${x},${y}`);
      const more = action.path.length - points.length;
      const way = points.join(" → ") + (more > 0 ? ` → and ${more} more, as drawn` : "");
      const took = action.durationMs === null ? [] : detail("Takes", `${action.durationMs} ms`);
      return [...detail("By way of", way), ...held(action.holdKeysyms), ...took];
    }
    case "scroll":
      return held(action.holdKeysyms);
    case "chords":
      return [
        ...detail("Keys", action.names.join(", ")),
        ...(action.repeat > 1 ? detail("Times", String(action.repeat)) : []),
        ...(action.holdMs > 0 ? detail("Held", `${action.holdMs} ms each`) : []),
      ];
    case "hold":
      return detail("Keys", action.name);
    case "type": {
      const lines = action.text.split(/\r\n?|\n/).length;
      return [
        ...(action.clearExisting ? detail("Presses first", "Ctrl+A, Delete") : []),
        ...(lines > 1 ? detail("Presses Enter", `${lines - 1} ${lines === 2 ? "time" : "times"}`) : []),
        ...(action.wordsPerMinute === null ? [] : detail("Speed", `${action.wordsPerMinute} words a minute`)),
      ];
    }
    case "paste":
      return detail("Keys", action.name);
    case "resize":
      return (action.screens ?? []).flatMap(({ x, y, width, height }, index) =>
        detail(`Screen ${index + 1}`, `${width}x${height} at ${x},${y}`),
      );
    default:
      return [];
  }
}

/** All that goes to a desktop that somebody wants to add, secrets by whether there are any. */
export function connectionDetails(connection: Connection, address: string): readonly Detail[] {
  const { name, username, password, security, fingerprint, encodings, transport, rdp } = connection;
  const options = rdp === undefined ? [] : Object.entries(rdp);
  return [
    ...detail("Name", name),
    ...(connection.host === address ? [] : detail("Leads to", address)),
    ...detail("Transport", transport ?? (connection.protocol === "kasmvnc" ? "wss" : "tcp")),
    ...(username === null ? [] : detail("Sends the user name", username)),
    ...detail("Sends a password", password === null || password === "" ? "no" : "yes, not shown"),
    ...(security === undefined ? [] : detail("Signs in by", security.join(", "))),
    ...(fingerprint === undefined ? [] : detail("Believes only", fingerprint)),
    ...(encodings === undefined ? [] : detail("Encodings", encodings.join(", "))),
    ...options.flatMap(([key, value]) => detail(`RDP ${key}`, JSON.stringify(value))),
  ];
}

/** The address as one would write it in the configuration, the password left out. */
export function connectionUrl({ protocol, transport, username, host, port }: Connection): string {
  const scheme = transport === undefined || transport === "tcp" ? protocol : `${protocol}+${transport}`;
  const user = username === null ? "" : `${encodeURIComponent(username)}@`;
  return `${scheme}://${user}${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function detail(name: string, value: string): readonly Detail[] {
  return [{ name, value: plainWords(value) }];
}

function held(keysyms: readonly number[]): readonly Detail[] {
  return keysyms.length === 0
    ? []
    : detail("Keys held", heldWords(keysyms).replace(/^ with (.*) held$/, "$1"));
}

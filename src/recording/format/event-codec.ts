import { RecordingError } from "../library/error.ts";
import type { TrackActor, TrackEntry } from "./event-entry.ts";

/** The longest line: a cursor of 512x512 pixels. */
const MAX_LINE_CHARACTERS = 2 * 1024 * 1024;

/** What is written and not here would be dropped when it is read: the compiler wants all. */
const TYPES: Readonly<Record<TrackEntry["type"], true>> = {
  action: true,
  approval: true,
  mode: true,
  masks: true,
  stopped: true,
  holder: true,
  overlays_shown: true,
  overlays_gone: true,
  pointer: true,
  click: true,
  keys: true,
  cursor: true,
  clipboard: true,
  viewers: true,
  resize: true,
  state: true,
  name: true,
  bell: true,
  bookmark: true,
  text: true,
  gap: true,
};

/** Entries as they are written: one line of JSON each. */
export function writeTracks(entries: readonly TrackEntry[]): Buffer {
  return Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

/** Throws RecordingError damaged. An entry of a type that is not known, of a later version, is left out. */
export function readTracks(bytes: Buffer): TrackEntry[] {
  const entries: TrackEntry[] = [];
  for (const line of bytes.toString("utf8").split("\n")) {
    if (line === "") continue;
    const entry = parse(line);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

function parse(line: string): TrackEntry | null {
  if (line.length > MAX_LINE_CHARACTERS) {
    throw new RecordingError("too_large", `an entry of ${line.length} characters in the tracks`);
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new RecordingError("damaged", "an entry of the tracks is not JSON", { cause });
  }
  if (!hasShape(value)) throw new RecordingError("damaged", "an entry of the tracks has no type or no time");
  return isKnown(value) ? value : null;
}

function hasShape(value: unknown): value is { readonly type: string; readonly atMs: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    typeof value.type === "string" &&
    "atMs" in value &&
    typeof value.atMs === "number"
  );
}

/** Its fields are those that we wrote: the block's hash was right. */
function isKnown(value: { readonly type: string; readonly atMs: number }): value is TrackEntry {
  return Object.hasOwn(TYPES, value.type);
}

/** What can be searched of an entry beside the lines of text; empty where there is nothing to read. */
export function wordsOf(entry: TrackEntry): string {
  switch (entry.type) {
    case "action": {
      const refused = entry.outcome === "done" ? [] : [entry.outcome, entry.code ?? ""];
      return join([namesOf(entry.actor), entry.summary, entry.intent ?? "", ...refused]);
    }
    case "approval": {
      const by = entry.decidedBy === null ? "" : `by ${entry.decidedBy.name}`;
      return join([`approval ${entry.state}`, by, namesOf(entry.actor), entry.summary, entry.intent ?? ""]);
    }
    case "mode":
      return join([`mode ${entry.mode}`, entry.by?.name ?? ""]);
    case "masks":
      return `masks: ${entry.hidden} hidden, ${entry.agentsOnly} hidden from agents alone`;
    case "stopped":
      return join([entry.isStopped ? "stopped" : "resumed", entry.by.name]);
    case "holder":
      return entry.actor === null ? "" : `input held by ${namesOf(entry.actor)}`;
    case "overlays_shown":
      return join(entry.overlays.flatMap(({ kind, label }) => ["overlay", kind, label ?? ""]));
    case "clipboard":
      return `clipboard of ${entry.characters} characters`;
    case "resize":
      return `resized to ${entry.width}x${entry.height}`;
    case "state":
      return join([`target ${entry.state}`, entry.code ?? ""]);
    case "name":
      return entry.name;
    case "bell":
      return "bell";
    case "bookmark":
      return join([`bookmark ${entry.label}`, entry.by.name]);
    case "gap":
      return `gap ${entry.reason}`;
    case "overlays_gone":
    case "pointer":
    case "click":
    case "keys":
    case "cursor":
    case "viewers":
    case "text":
      return "";
  }
}

/** Found by either. */
function namesOf({ client, name }: TrackActor): string {
  return client === undefined || client === name ? name : `${client} ${name}`;
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

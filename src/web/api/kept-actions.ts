import type { AuditLog, FoundEvent } from "../../audit/read-back.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ActionInfo } from "./api.ts";

/** As many as a page shows. */
const MOST = 100;

/** The audit log names the kind of an action, and never what was clicked or typed. */
const SUMMARIES: ReadonlyMap<string, string> = new Map([
  ["click", "Click"],
  ["move", "Move the pointer"],
  ["button", "Press or let go of a button"],
  ["drag", "Drag"],
  ["scroll", "Scroll"],
  ["chords", "Press keys"],
  ["hold", "Hold keys"],
  ["release", "Let go of all"],
  ["type", "Type"],
  ["paste", "Paste"],
  ["read_clipboard", "Read the clipboard"],
  ["write_clipboard", "Write the clipboard"],
  ["resize", "Change the size of the desktop"],
]);

/** What was done on desktops before this process began, as the audit log tells it: by whom, what kind, why, what came of it. */
export class KeptActions {
  readonly #log: Pick<AuditLog, "read"> | null;
  readonly #begin: Date;
  /** It changes no more, so each desktop's is read once. */
  readonly #read = new Map<string, Promise<readonly ActionInfo[]>>();

  /** `log`: null where it is kept in no file here. */
  constructor(log: Pick<AuditLog, "read"> | null, clock: Clock) {
    this.#log = log;
    this.#begin = clock.date();
  }

  /** Newest last. */
  of(desktopId: string): Promise<readonly ActionInfo[]> {
    const known = this.#read.get(desktopId);
    if (known !== undefined) return known;
    const read = this.#load(desktopId);
    this.#read.set(desktopId, read);
    // Read again by the next who asks.
    read.catch(() => this.#read.delete(desktopId));
    return read;
  }

  async #load(desktopId: string): Promise<readonly ActionInfo[]> {
    if (this.#log === null) return [];
    const page = await this.#log.read({
      types: ["input.performed"],
      desktop: desktopId,
      until: this.#begin,
      most: MOST,
    });
    // The newest first, and a line that somebody changed tells nothing.
    return page.events
      .filter(({ isIntact }) => isIntact)
      .map(({ event }) => keptAction(desktopId, event))
      .reverse();
  }
}

function keptAction(desktopId: string, event: FoundEvent["event"]): ActionInfo {
  const { actor, action, error_code: code } = event;
  const kind = action ?? "";
  return {
    id: event.event_id,
    desktop_id: desktopId,
    at: event.timestamp,
    actor: { kind: actor?.kind ?? "agent", name: actor?.name ?? "" },
    kind,
    summary: SUMMARIES.get(kind) ?? kind,
    intent: event.intent,
    outcome: code === null ? "done" : code === "failed" ? "failed" : "refused",
    code: code === "failed" || code === "refused" ? null : code,
    was_confirmed: false,
    changed: null,
    settle_ms: null,
    duration_ms: event.latency_ms ?? 0,
    pictures: null,
  };
}

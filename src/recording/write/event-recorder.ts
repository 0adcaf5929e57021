import type { SceneEvent } from "../../compositor/scene.ts";
import type { DesktopState } from "../../desktop/connections/reconnecting-link.ts";
import type { Actor, ActorKind } from "../../desktop/control/action.ts";
import type { ActionRecord } from "../../desktop/control/action-record.ts";
import { intentOf } from "../../desktop/control/action-summary.ts";
import type { Approval } from "../../desktop/control/approvals/approvals.ts";
import type { Desktop, DesktopEvent } from "../../desktop/desktop.ts";
import type { ObservedInputEvent } from "../../desktop/events/input-events.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import { holdsPoint, type Size } from "../../framebuffer/rect.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { TrackActor, TrackEntry, TrackEvent } from "../format/event-entry.ts";
import { countMasks, NO_COUNTS, type RecordingCounts } from "../format/summary.ts";

/** Where the pointer is and how it looks is told so often. */
const POINTER_MS = 100;
/** And so often even where nothing changed: a reader that begins in the middle looks back no farther. */
export const RESTATE_MS = 60_000;
const MAX_CURSOR_SIDE = 512;
const MAX_NAME = 256;
/** More entries between two writes are a flood: only what people and agents did is kept of it. */
const MAX_WAITING = 2_000;
const NEVER_DROPPED: ReadonlySet<TrackEvent["type"]> = new Set([
  "action",
  "approval",
  "mode",
  "masks",
  "stopped",
  "holder",
  "bookmark",
  "text",
  "gap",
]);

/** Follows a desktop and notes what happens beside its pixels. Never typed text, clipboard content or key names. */
export class EventRecorder {
  readonly #desktop: Desktop;
  readonly #nowMs: () => number;
  readonly #offs: readonly (() => void)[];
  #entries: TrackEntry[] = [];
  #counts: RecordingCounts = NO_COUNTS;
  #keys = { human: 0, agent: 0 };
  #pointer: { readonly x: number; readonly y: number } | null = null;
  #pointerAtMs = Number.NEGATIVE_INFINITY;
  #restatedAtMs = 0;
  #cursor: { readonly cursor: Cursor | null } | null = null;

  /** `nowMs`: since the recording began. */
  constructor(desktop: Desktop, nowMs: () => number) {
    this.#desktop = desktop;
    this.#nowMs = nowMs;
    this.#begin();
    this.#offs = [
      desktop.on((event) => this.#onEvent(event)),
      desktop.scene.on((event) => this.#onScene(event)),
    ];
  }

  get counts(): RecordingCounts {
    return this.#counts;
  }

  add(event: TrackEvent): void {
    if (this.#entries.length >= MAX_WAITING && !NEVER_DROPPED.has(event.type)) return;
    if (this.#entries.length >= 10 * MAX_WAITING) return;
    this.#entries.push({ ...event, atMs: this.#nowMs() });
    this.#count(event);
  }

  /** Hands over all that was noted since the last call. */
  take(): readonly TrackEntry[] {
    if (this.#nowMs() - this.#restatedAtMs >= RESTATE_MS) this.#restatePointer();
    this.#tellPointer();
    for (const by of ["human", "agent"] as const) {
      const count = this.#keys[by];
      if (count > 0) this.add({ type: "keys", count, by });
    }
    this.#keys = { human: 0, agent: 0 };
    const taken = this.#entries;
    this.#entries = [];
    return taken;
  }

  close(): void {
    for (const off of this.#offs) off();
  }

  /** How the desktop is when the recording begins. */
  #begin(): void {
    const desktop = this.#desktop;
    if (desktop.size.width > 0) this.add(resizeOf(desktop.size, desktop.screens));
    this.add(stateOf(desktop.state));
    this.add({ type: "mode", mode: desktop.mode, by: null });
    if (desktop.masks.all.length > 0) this.#tellMasks();
    if (desktop.viewers > 0) this.add({ type: "viewers", count: desktop.viewers });
    if (desktop.holder !== null) this.add({ type: "holder", actor: actorOf(desktop.holder.actor) });
    // One entry each: all together may be more than a reader takes for a line.
    for (const overlay of desktop.scene.overlays) this.add({ type: "overlays_shown", overlays: [overlay] });
    this.#restatePointer();
    for (const approval of desktop.approvals.pending) this.add(approvalOf(approval));
  }

  #restatePointer(): void {
    this.#restatedAtMs = this.#nowMs();
    this.#cursor = { cursor: this.#desktop.cursor };
    const { pointer } = this.#desktop;
    this.#pointer = this.#isHidden(pointer.x, pointer.y) ? null : pointer;
  }

  #onEvent(event: DesktopEvent): void {
    // How many keys a person pressed, or characters they copied, is how long their password is.
    if (this.#desktop.requests.isPrivate && (event.type === "input" || event.type === "clipboard")) return;
    if (event.type === "input") this.#onInput(event.input);
    else if (event.type === "cursor") this.#cursor = { cursor: event.cursor };
    else if (event.type === "masks") {
      if (event.change !== "moved") this.#tellMasks();
    } else {
      const told = entryOf(event);
      if (told !== null) this.add(told);
    }
  }

  #onScene(event: SceneEvent): void {
    switch (event.type) {
      case "created":
        this.add({ type: "overlays_shown", overlays: [event.overlay] });
        break;
      case "resumed":
        for (const overlay of event.overlays) this.add({ type: "overlays_shown", overlays: [overlay] });
        break;
      case "removed":
        this.add({ type: "overlays_gone", ids: [event.overlay.id] });
        break;
      case "cleared":
      case "suspended":
        this.add({ type: "overlays_gone", ids: event.overlays.map(({ id }) => id) });
        break;
      case "painted":
        break;
    }
  }

  #tellMasks(): void {
    const { all: masks } = this.#desktop.masks;
    const hidden = masks.filter(({ audiences }) => audiences.includes("recording"));
    const agentsOnly = masks.filter(
      ({ audiences }) => audiences.includes("agent") && !audiences.includes("recording"),
    );
    this.add({ type: "masks", hidden: hidden.length, agentsOnly: agentsOnly.length });
  }

  /** On a keypad the place is what is typed. */
  #isHidden(x: number, y: number): boolean {
    return this.#desktop.hiddenFrom("recording").some((rect) => holdsPoint(rect, x, y));
  }

  #onInput(input: ObservedInputEvent): void {
    const by = this.#hand;
    if ((input.kind === "mouse_click" || input.kind === "mouse_move") && this.#isHidden(input.x, input.y))
      return;
    if (input.kind === "key_press") this.#keys[by]++;
    else if (input.kind === "mouse_click") {
      this.#pointer = null;
      this.add({ type: "click", x: input.x, y: input.y, button: input.button, by });
    } else if (input.kind === "mouse_move") {
      this.#pointer = { x: input.x, y: input.y };
      if (this.#nowMs() - this.#pointerAtMs >= POINTER_MS) this.#tellPointer();
    }
  }

  /** Whose input passes: who holds it. */
  get #hand(): Extract<ActorKind, "human" | "agent"> {
    return this.#desktop.holder?.actor.kind === "agent" ? "agent" : "human";
  }

  #tellPointer(): void {
    this.#pointerAtMs = this.#nowMs();
    const cursor = this.#cursor;
    this.#cursor = null;
    if (cursor !== null) this.add(cursorOf(cursor.cursor));
    const pointer = this.#pointer;
    this.#pointer = null;
    if (pointer !== null) this.add({ type: "pointer", x: pointer.x, y: pointer.y });
  }

  #count(event: TrackEvent): void {
    const counts = this.#counts;
    this.#counts = {
      ...counts,
      actions: counts.actions + (event.type === "action" ? 1 : 0),
      approvals: counts.approvals + (event.type === "approval" && event.state === "pending" ? 1 : 0),
      overlays: counts.overlays + (event.type === "overlays_shown" ? event.overlays.length : 0),
      humanInputs: counts.humanInputs + humanInputsOf(event),
      bookmarks: counts.bookmarks + (event.type === "bookmark" ? 1 : 0),
      gaps: counts.gaps + (event.type === "gap" ? 1 : 0),
      ...(event.type === "masks" ? countMasks(counts, event) : {}),
    };
  }
}

/** Clicks and key presses of people that an entry tells of. */
export function humanInputsOf(event: TrackEvent): number {
  if (event.type === "click") return event.by === "human" ? 1 : 0;
  return event.type === "keys" && event.by === "human" ? event.count : 0;
}

/** What is told of an event at once; null where it is no track's business. */
function entryOf(event: Exclude<DesktopEvent, { type: "input" | "cursor" | "masks" }>): TrackEvent | null {
  switch (event.type) {
    case "action":
      return actionOf(event.record);
    case "approval":
      return approvalOf(event.approval);
    case "mode":
      return { type: "mode", mode: event.mode, by: actorOf(event.by) };
    case "stopped":
      return { type: "stopped", isStopped: event.isStopped, by: actorOf(event.by) };
    case "holder":
      return { type: "holder", actor: event.holder === null ? null : actorOf(event.holder.actor) };
    case "clipboard":
      return event.isHidden ? null : { type: "clipboard", characters: event.text.length };
    case "viewers":
      return { type: "viewers", count: event.viewers };
    case "resize":
      return resizeOf(event.size, event.screens);
    case "state":
      return stateOf(event.state);
    case "name":
      return { type: "name", name: event.name.slice(0, MAX_NAME) };
    case "bell":
      return { type: "bell" };
    default:
      return null;
  }
}

function actorOf({ kind, id, name, client }: Actor): TrackActor {
  return { kind, id, name, ...(client === undefined ? {} : { client: client.slice(0, MAX_NAME) }) };
}

function actionOf(record: ActionRecord): TrackEvent {
  const { id, kind, summary, intent, outcome, code, wasConfirmed, durationMs, effect, recorded } = record;
  return {
    type: "action",
    id,
    actor: actorOf(record.actor),
    kind,
    summary,
    intent,
    outcome,
    code,
    wasConfirmed,
    durationMs,
    changed: recorded.changed,
    changedRects: recorded.changedRects,
    settleMs: effect?.settleMs ?? 0,
  };
}

/** Its action may hold text that is to be typed: only its kind is told. */
function approvalOf(approval: Approval): TrackEvent {
  const { id, state, summary, intent, point, crop, screenHash, decidedBy } = approval;
  return {
    type: "approval",
    id,
    state,
    actor: actorOf(approval.actor),
    kind: approval.action.kind,
    summary,
    intent: intentOf(approval.action, intent),
    x: point?.x ?? null,
    y: point?.y ?? null,
    crop,
    screenHash,
    decidedBy: decidedBy === null ? null : actorOf(decidedBy),
  };
}

function resizeOf({ width, height }: Size, screens: readonly Screen[]): TrackEvent {
  return { type: "resize", width, height, screens: screens.map(({ id, rect }) => ({ id, rect })) };
}

function stateOf(state: DesktopState): TrackEvent {
  const code = state.kind === "reconnecting" || state.kind === "failed" ? state.error.code : null;
  return { type: "state", state: state.kind, code };
}

function cursorOf(cursor: Cursor | null): TrackEvent {
  const isShown = cursor !== null && cursor.width <= MAX_CURSOR_SIDE && cursor.height <= MAX_CURSOR_SIDE;
  return {
    type: "cursor",
    width: isShown ? cursor.width : 0,
    height: isShown ? cursor.height : 0,
    hotspotX: isShown ? cursor.hotspotX : 0,
    hotspotY: isShown ? cursor.hotspotY : 0,
    rgba: isShown ? Buffer.from(cursor.rgba).toString("base64") : null,
  };
}

import type { SceneEvent } from "../compositor/scene.ts";
import type { Connection } from "../desktop/connections/connection.ts";
import type { DesktopState } from "../desktop/connections/reconnecting-link.ts";
import type { Actor } from "../desktop/control/action.ts";
import type { ActionRecord } from "../desktop/control/action-record.ts";
import { intentOf } from "../desktop/control/action-summary.ts";
import type { Approval } from "../desktop/control/approvals/approvals.ts";
import type { GrantChange } from "../desktop/control/approvals/standing-grants.ts";
import type { Holder } from "../desktop/control/arbiter.ts";
import type { CustomRules } from "../desktop/control/custom-rules-fields.ts";
import type { DesktopEvent } from "../desktop/desktop.ts";
import type { AuditEntry, AuditType } from "./audit-event.ts";

/** What the audit needs to know of a desktop and of their registry. */
interface AuditedDesktop {
  readonly id: string;
  readonly connection: Pick<Connection, "protocol" | "keep_awake_s">;
  /** What is drawn over it. */
  readonly scene?: { on(listener: (event: SceneEvent) => void): () => void };
  on(listener: (event: DesktopEvent) => void): () => void;
}
interface AuditedDesktops {
  readonly all: readonly AuditedDesktop[];
  /** Those about no desktop yet are audited from here, the others from their desktop. */
  readonly questions?: { on(listener: (approval: Approval) => void): () => void };
  on(
    listener: (event: {
      readonly type: "added" | "changed" | "removed";
      readonly desktop: AuditedDesktop;
      readonly by: Actor | null;
      /** From another node of a fleet, or to one. */
      readonly isMove?: boolean;
    }) => void,
  ): () => void;
}

/** What was recorded last of a desktop's session. */
type SessionTold = "nothing" | "opened" | "lost";

/** Records what happens on all desktops, those of now and those added later, until the returned function is called. */
export function auditDesktops(desktops: AuditedDesktops, record: (entry: AuditEntry) => void): () => void {
  const followed = new Map<string, () => void>();
  const awake = new Map<string, number>();
  /** What keeps it awake is told once, as it begins and ends, and not each time that the pointer is moved for it. */
  const tellAwake = ({ id }: AuditedDesktop, seconds: number | undefined, actor: Actor | null): void => {
    if (awake.get(id) === seconds) return;
    const resource = { kind: "desktop", id };
    if (seconds === undefined) {
      awake.delete(id);
      record({ type: "keep_awake.ended", severity: "notice", actor, resource });
    } else {
      awake.set(id, seconds);
      record({
        ...{ type: "keep_awake.started", severity: "notice", actor, resource },
        action: `after ${seconds} s without input`,
      });
    }
  };
  const follow = (desktop: AuditedDesktop): void => {
    let told: SessionTold = "nothing";
    let holder: Holder | null = null;
    const stop = desktop.on((event) => {
      if (event.type === "holder") {
        for (const entry of holderEntries(holder, event.holder))
          record({ resource: { kind: "desktop", id: desktop.id }, ...entry });
        holder = event.holder;
      }
      const entries = [entryOf(event, told), rulesEntry(event), ...secretEntries(event, desktop.id)];
      if (event.type === "state") told = toldAfter(event.state.kind, told);
      for (const entry of entries) {
        if (entry !== null) record({ resource: { kind: "desktop", id: desktop.id }, ...entry });
      }
    });
    const stopScene = desktop.scene?.on((event) => {
      const entry = sceneEntry(event);
      if (entry !== null) record({ resource: { kind: "desktop", id: desktop.id }, ...entry });
    });
    followed.set(desktop.id, () => {
      stop();
      stopScene?.();
    });
  };
  for (const desktop of desktops.all) {
    follow(desktop);
    tellAwake(desktop, desktop.connection.keep_awake_s, null);
  }
  const stop = desktops.on((event) => {
    const { desktop, by: actor } = event;
    const resource = { kind: "connection", id: desktop.id };
    if (event.isMove !== true) record({ type: `connection.${event.type}`, actor, resource });
    tellAwake(desktop, event.type === "removed" ? undefined : desktop.connection.keep_awake_s, actor);
    if (event.type === "changed") return;
    followed.get(desktop.id)?.();
    followed.delete(desktop.id);
    if (event.type === "added") follow(desktop);
  });
  const stopQuestions = desktops.questions?.on((approval) => {
    if (approval.desktopId === "") record(approvalEntry(approval));
  });
  return () => {
    stop();
    stopQuestions?.();
    for (const unfollow of followed.values()) unfollow();
    followed.clear();
  };
}

/** That a connection was tried; ConnectionTested of the heart is one. */
export function testEntry(test: {
  readonly connectionId: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly by: Actor;
}): AuditEntry {
  return {
    type: "connection.tested",
    actor: test.by,
    resource: { kind: "connection", id: test.connectionId },
    errorCode: test.success ? null : "test_failed",
    durationMs: test.durationMs,
  };
}

/** The pointer and the keys of people are not told one by one; a recording is for that. */
function entryOf(event: DesktopEvent, told: SessionTold): AuditEntry | null {
  switch (event.type) {
    case "state":
      return stateEntry(event.state, told);
    case "mode":
      return { type: "mode.changed", severity: "notice", actor: event.by, action: event.mode };
    case "stopped":
      return {
        type: event.isStopped ? "desktop.stopped" : "desktop.resumed",
        severity: "notice",
        actor: event.by,
      };
    case "approval":
      return approvalEntry(event.approval);
    case "request":
      return requestEntry(event);
    case "grant":
      return grantEntry(event);
    case "masks":
      return maskEntry(event);
    case "action":
      // What is done in a page is told as that.
      if (event.record.kind === "browser") return null;
      return {
        type: "input.performed",
        actor: event.record.actor,
        action: event.record.kind,
        intent: aboutOf(event.record),
        errorCode: event.record.outcome === "done" ? null : (event.record.code ?? event.record.outcome),
        durationMs: event.record.durationMs,
      };
    default:
      return null;
  }
}

/** What it was done to and why, as far as that was told. */
function aboutOf({ subject, intent }: ActionRecord): string | null {
  return [subject, intent].filter((words) => typeof words === "string").join(": ") || null;
}

/** Which stored secrets an agent had typed, or wanted to, and where: their names alone. */
function secretEntries(event: DesktopEvent, desktopId: string): readonly AuditEntry[] {
  if (event.type !== "action") return [];
  const { secrets = [], actor, outcome, code } = event.record;
  return secrets.map(({ kind, name }) => ({
    type: "secret.used",
    severity: "notice",
    actor,
    action: `${kind} on ${desktopId}`,
    resource: { kind: "secret", id: name },
    errorCode: outcome === "done" ? null : (code ?? outcome),
  }));
}

/** The agent's reason as it asks; of an answer its length. `private` is said while nobody else sees the desktop. */
function requestEntry({ change, request, by }: Extract<DesktopEvent, { type: "request" }>): AuditEntry {
  const { kind, isPrivate, reason, answer } = request;
  return {
    type: `request.${change}`,
    severity: "notice",
    actor: by,
    action: isPrivate ? `${kind} private` : kind,
    intent: change === "asked" ? reason : null,
    counts: answer === null ? {} : { characters: answer.length },
  };
}

/** From whom something is hidden or shown again; never where or what. One that goes with what it follows is no other. */
function maskEntry({ change, mask, by }: Extract<DesktopEvent, { type: "masks" }>): AuditEntry | null {
  if (change === "moved" || mask === null) return null;
  return {
    type: `mask.${change}`,
    severity: change === "removed" ? "warning" : "notice",
    actor: by,
    action: mask.audiences.join(" "),
    counts: { masks: 1 },
  };
}

/** Which rules held before and hold now, by their mode and by how much they allow: never the names of areas. */
function rulesEntry(event: DesktopEvent): AuditEntry | null {
  if (event.type !== "mode" || event.before === undefined || event.by.kind !== "human") return null;
  const { mode, rules, rulesNow } = event.before;
  if (rules === rulesNow) return null;
  return {
    type: "rules.changed",
    severity: "notice",
    actor: event.by,
    action: `${mode} to ${event.mode}`,
    counts: { ...countsOf("before", rules), ...countsOf("after", rulesNow) },
  };
}

function countsOf(when: "before" | "after", rules: CustomRules | null): Record<string, number> {
  if (rules === null) return {};
  const { areas, ...words } = rules;
  const count = (word: string): number => Object.values(words).filter((one) => one === word).length;
  return {
    [`${when}_areas`]: areas.length,
    [`${when}_allowed`]: count("allow"),
    [`${when}_denied`]: count("deny"),
  };
}

/** People's hands only: agents' turns are told action by action. */
function holderEntries(before: Holder | null, now: Holder | null): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  const isSame = before?.actor.id === now?.actor.id && before?.isDeclared === now?.isDeclared;
  if (isSame) return entries;
  if (before?.actor.kind === "human" && now?.actor.id !== before.actor.id) {
    entries.push({ type: "input.given_back", actor: before.actor });
  }
  if (now?.actor.kind === "human") {
    entries.push({
      type: "input.taken_over",
      severity: "notice",
      actor: now.actor,
      action: now.isDeclared ? "declared" : "used",
    });
  }
  return entries;
}

/** One that moves with what it is anchored to is neither another one nor gone. */
function sceneEntry(event: SceneEvent): AuditEntry | null {
  switch (event.type) {
    case "created": {
      if (event.isMove) return null;
      const { ownerId, kind } = event.overlay;
      return { type: "overlay.created", actor: { id: ownerId, name: ownerId, kind: "agent" }, action: kind };
    }
    case "removed": {
      if (event.isMove) return null;
      const { by: actor, overlay } = event;
      return { type: "overlay.removed", actor, action: overlay.kind, counts: { overlays: 1 } };
    }
    case "cleared":
      return { type: "overlay.removed", actor: event.by, counts: { overlays: event.overlays.length } };
    default:
      // Kept, and hidden or shown by the stop and the resume that are told.
      return null;
  }
}

/** A target that stays away is connecting and reconnecting by turns: that is told once. */
function stateEntry(state: DesktopState, told: SessionTold): AuditEntry | null {
  switch (state.kind) {
    case "live":
      return told === "opened" ? null : { type: "session.opened" };
    case "reconnecting":
      return told === "lost" ? null : { type: "session.lost", errorCode: state.error.code };
    case "failed":
      return { type: "session.lost", errorCode: state.error.code };
    case "closed":
      return { type: "session.closed" };
    default:
      return null;
  }
}

function toldAfter(kind: DesktopState["kind"], told: SessionTold): SessionTold {
  if (kind === "live") return "opened";
  if (kind === "reconnecting" || kind === "failed") return "lost";
  // Of one that was not lost: somebody asked for a new session.
  return kind === "connecting" && told === "opened" ? "nothing" : told;
}

const GRANT_TYPE = {
  given: "grant.given",
  used: "grant.used",
  revoked: "grant.revoked",
  expired: "grant.ended",
  stale: "grant.ended",
  ended: "grant.ended",
} as const satisfies Record<GrantChange, AuditType>;

function grantEntry({ change, grant, by }: Extract<DesktopEvent, { type: "grant" }>): AuditEntry {
  return {
    type: GRANT_TYPE[change],
    severity: change === "used" ? "info" : "notice",
    actor: by ?? grant.actor,
    action: grant.kind,
    counts: { uses: grant.uses },
  };
}

const APPROVAL_TYPE = {
  pending: "approval.requested",
  granted: "approval.granted",
  denied: "approval.denied",
  expired: "approval.expired",
  cancelled: "approval.cancelled",
  stale: "approval.stale",
} as const satisfies Record<Approval["state"], AuditType>;

function approvalEntry(approval: Approval): AuditEntry {
  return {
    type: APPROVAL_TYPE[approval.state],
    severity: "notice",
    actor: approval.decidedBy ?? approval.actor,
    action: approval.action.kind,
    intent: intentOf(approval.action, approval.intent),
    counts: approval.action.kind === "type" ? { characters: approval.action.text.length } : {},
  };
}

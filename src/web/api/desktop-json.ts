import type { Overlay } from "../../compositor/scene.ts";
import { detailsOf } from "../../desktop/control/action-details.ts";
import type { ActionRecord } from "../../desktop/control/action-record.ts";
import { type Approval, editableOf, isProposal } from "../../desktop/control/approvals/approvals.ts";
import { scopeOf } from "../../desktop/control/approvals/grant-scope.ts";
import type { Grant } from "../../desktop/control/approvals/standing-grants.ts";
import type { HumanRequest } from "../../desktop/control/requests/human-request.ts";
import type { ActionPlace } from "./action-pictures.ts";
import { actorInfo } from "./agent-api.ts";
import type { ActionInfo, ApprovalInfo, GrantInfo, OverlayInfo } from "./api.ts";
import type { RequestInfo } from "./requests-api.ts";

/** An approval as those who may decide it see it: typed text included. */
export function approvalInfo(approval: Approval): ApprovalInfo {
  const { action, actor, point, crop } = approval;
  return {
    id: approval.id,
    desktop_id: approval.desktopId,
    kind: action.kind,
    summary: approval.summary,
    text: textOf(action),
    actor: actorInfo(actor),
    intent: approval.intent,
    details: (isProposal(action) ? action.details : detailsOf(action)).map((one) => ({
      ...one,
    })),
    point: point === null ? null : { x: point.x, y: point.y },
    path: action.kind === "drag" ? action.path.map(({ x, y }) => ({ x, y })) : [],
    picture_url: crop === null ? null : `/api/v1/approvals/${approval.id}/picture.png`,
    crop: crop === null ? null : { x: crop.x, y: crop.y, width: crop.width, height: crop.height },
    bound: approval.bound === null ? null : { ...approval.bound },
    ...(approval.hiddenFrom === undefined ? {} : { hidden_from: [...approval.hiddenFrom] }),
    is_exact: approval.isExact,
    editable: editableOf(action),
    scope: isProposal(action) ? null : scopeOf(action, approval.held),
    asked_at: approval.askedAt,
    expires_at: approval.expiresAt,
    arming_ms: approval.armingMs,
    ...(approval.isFourEyes ? { four_eyes: { owner: actor.person ?? null } } : {}),
    state: approval.state,
    decided_by: approval.decidedBy?.name ?? null,
    ...(approval.isTakenOver ? { is_taken_over: true } : {}),
  };
}

/** What is typed or pressed, which nobody but the approver sees. */
function textOf(action: Approval["action"]): string | null {
  switch (action.kind) {
    case "type":
    case "write_clipboard":
    case "paste":
      return action.text;
    case "browser":
    case "browser_script":
      return action.text ?? null;
    default:
      return null;
  }
}

/** A request as people see it; what was answered is not in it. */
export function requestInfo(request: HumanRequest): RequestInfo {
  const { id, desktopId, kind, reason, actor, takenBy, askedAt, expiresAt } = request;
  return {
    ...{ id, desktop_id: desktopId, kind, reason, actor: actorInfo(actor) },
    wants_private: request.wantsPrivate,
    state: request.state,
    taken_by: takenBy === null ? null : { id: takenBy.id, name: takenBy.name },
    is_private: request.isPrivate,
    asked_at: askedAt,
    expires_at: expiresAt,
    ended_by: request.endedBy?.name ?? null,
  };
}

/** What was allowed for a while, as those see it who may end it. */
export function grantInfo(desktopId: string, grant: Grant): GrantInfo {
  const { id, actor, by, scope, area, givenAt, expiresAt, uses } = grant;
  return {
    id,
    desktop_id: desktopId,
    actor: actorInfo(actor),
    given_by: by.name,
    scope,
    area: area === null ? null : { ...area },
    given_at: givenAt,
    expires_at: expiresAt,
    uses,
  };
}

/** One line of what was done, without what was typed. `place`: what there are pictures of. */
export function actionInfo(desktopId: string, record: ActionRecord, place: ActionPlace | null): ActionInfo {
  return {
    id: record.id,
    desktop_id: desktopId,
    at: record.at,
    actor: actorInfo(record.actor),
    kind: record.kind,
    summary: record.summary,
    intent: record.intent,
    outcome: record.outcome,
    code: record.code,
    was_confirmed: record.wasConfirmed,
    // What people see: what is hidden from agents alone has changed as well.
    changed: record.recorded.changed,
    settle_ms: record.effect?.settleMs ?? null,
    duration_ms: record.durationMs,
    pictures: place === null ? null : { crop: { ...place.crop }, point: place.point },
  };
}

/** An overlay in the fields of the web-first specification. */
export function overlayInfo(overlay: Overlay): OverlayInfo {
  return {
    id: overlay.id,
    kind: overlay.kind,
    x: overlay.x,
    y: overlay.y,
    width: overlay.width,
    height: overlay.height,
    color: overlay.color,
    opacity: overlay.opacity,
    label: overlay.label,
    temporary_ms: overlay.temporaryMs,
    click_through: overlay.clickThrough,
    monitor_index: overlay.monitorIndex,
    created_at: overlay.createdAt,
    ...(overlay.points === undefined ? {} : { points: overlay.points.map(({ x, y }) => ({ x, y })) }),
  };
}

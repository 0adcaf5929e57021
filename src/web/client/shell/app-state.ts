import type { ActionInfo, DesktopInfo, EventMessage, GrantInfo } from "../../api/api.ts";
import { type Card, withApproval, withSnapshot } from "../approvals/approval-queue.ts";

/** All that the pages know of the appliance, fed by `/ws/events`. */
export interface Cockpit {
  /** False until the first `hello`. */
  readonly isKnown: boolean;
  readonly desktops: readonly DesktopInfo[];
  readonly cards: readonly Card[];
  /** What people allowed agents for a while, on all desktops. */
  readonly grants: readonly GrantInfo[];
  /** Newest last, of all desktops. */
  readonly actions: readonly ActionInfo[];
  /** Names of MCP clients, newest last. */
  readonly clients: readonly string[];
}

export const EMPTY_COCKPIT: Cockpit = {
  isKnown: false,
  desktops: [],
  cards: [],
  grants: [],
  actions: [],
  clients: [],
};

const MAX_ACTIONS = 500;

/** The cockpit after one message of the server; `nowMs` is the browser's time. */
export function afterMessage(cockpit: Cockpit, message: EventMessage, nowMs: number): Cockpit {
  switch (message.type) {
    case "hello":
      return {
        ...cockpit,
        isKnown: true,
        desktops: message.desktops,
        cards: withSnapshot(cockpit.cards, message.approvals, nowMs),
        grants: message.grants,
        clients: message.clients,
      };
    case "desktop":
      return { ...cockpit, desktops: withDesktop(cockpit.desktops, message.desktop) };
    case "desktop_removed":
      return {
        ...cockpit,
        desktops: cockpit.desktops.filter((desktop) => desktop.id !== message.desktop_id),
        actions: cockpit.actions.filter((action) => action.desktop_id !== message.desktop_id),
        grants: cockpit.grants.filter((grant) => grant.desktop_id !== message.desktop_id),
      };
    case "approval":
      return { ...cockpit, cards: withApproval(cockpit.cards, message.approval, nowMs) };
    case "grants": {
      const others = cockpit.grants.filter((grant) => grant.desktop_id !== message.desktop_id);
      return { ...cockpit, grants: [...others, ...message.grants] };
    }
    case "action":
      return withActions(cockpit, [message.action]);
    case "holder":
      return {
        ...cockpit,
        desktops: cockpit.desktops.map((desktop) =>
          desktop.id === message.desktop_id ? { ...desktop, holder: message.holder } : desktop,
        ),
      };
    case "clients":
      return { ...cockpit, clients: message.clients };
    case "clipboard":
      return cockpit;
  }
}

/** Adds actions that are not known yet, keeping all in the order of their time. */
export function withActions(cockpit: Cockpit, more: readonly ActionInfo[]): Cockpit {
  const known = new Set(cockpit.actions.map((action) => action.id));
  const fresh = more.filter((action) => !known.has(action.id));
  if (fresh.length === 0) return cockpit;
  const actions = [...cockpit.actions, ...fresh].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { ...cockpit, actions: actions.slice(-MAX_ACTIONS) };
}

function withDesktop(desktops: readonly DesktopInfo[], desktop: DesktopInfo): readonly DesktopInfo[] {
  return desktops.some((known) => known.id === desktop.id)
    ? desktops.map((known) => (known.id === desktop.id ? desktop : known))
    : [...desktops, desktop];
}

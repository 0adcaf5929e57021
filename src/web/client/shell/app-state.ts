import type {
  ActionInfo,
  ClientInfo,
  DesktopInfo,
  EventMessage,
  GrantInfo,
  RequestInfo,
} from "../../api/api.ts";
import { type Card, withApproval, withSnapshot } from "../approvals/approval-queue.ts";

/** All that the pages know of the appliance, fed by `/ws/events`. */
export interface AppState {
  /** False until the first `hello`. */
  readonly isKnown: boolean;
  readonly desktops: readonly DesktopInfo[];
  /** Those that are there and of which nobody told yet, or which are on their way from one server to another. */
  readonly elsewhere: readonly string[];
  readonly cards: readonly Card[];
  /** What people allowed agents for a while, on all desktops. */
  readonly grants: readonly GrantInfo[];
  /** What agents ask people to do and is not over, oldest first, on all desktops. */
  readonly requests: readonly RequestInfo[];
  /** Newest last, of all desktops. */
  readonly actions: readonly ActionInfo[];
  /** MCP clients, newest last. */
  readonly clients: readonly ClientInfo[];
  /** When something else was hidden there, or from somebody else, in the browser's time; by the desktop's id. */
  readonly maskChanges: Readonly<Record<string, number>>;
}

export const EMPTY_STATE: AppState = {
  isKnown: false,
  desktops: [],
  elsewhere: [],
  cards: [],
  grants: [],
  requests: [],
  actions: [],
  clients: [],
  maskChanges: {},
};

const MAX_ACTIONS = 500;

/** The state after one message of the server; `nowMs` is the browser's time. */
export function afterMessage(appState: AppState, message: EventMessage, nowMs: number): AppState {
  switch (message.type) {
    case "hello": {
      const { elsewhere = [] } = message;
      return {
        ...appState,
        isKnown: true,
        desktops: [...message.desktops, ...appState.desktops.filter(({ id }) => elsewhere.includes(id))],
        elsewhere,
        cards: withSnapshot(appState.cards, message.approvals, nowMs),
        grants: message.grants,
        requests: message.requests,
        clients: message.clients,
      };
    }
    case "desktop":
      return { ...appState, desktops: withDesktop(appState.desktops, message.desktop) };
    case "desktop_removed":
      return {
        ...appState,
        desktops: appState.desktops.filter((desktop) => desktop.id !== message.desktop_id),
        elsewhere: appState.elsewhere.filter((id) => id !== message.desktop_id),
        actions: appState.actions.filter((action) => action.desktop_id !== message.desktop_id),
        grants: appState.grants.filter((grant) => grant.desktop_id !== message.desktop_id),
        requests: appState.requests.filter((request) => request.desktop_id !== message.desktop_id),
      };
    case "approval":
      return { ...appState, cards: withApproval(appState.cards, message.approval, nowMs) };
    case "request":
      return { ...appState, requests: withRequest(appState.requests, message.request) };
    case "grants": {
      const others = appState.grants.filter((grant) => grant.desktop_id !== message.desktop_id);
      return { ...appState, grants: [...others, ...message.grants] };
    }
    case "masks":
      return {
        ...appState,
        maskChanges: { ...appState.maskChanges, [message.desktop_id]: nowMs },
      };
    case "action":
      return withActions(appState, [message.action]);
    case "holder":
      return {
        ...appState,
        desktops: appState.desktops.map((desktop) =>
          desktop.id === message.desktop_id ? { ...desktop, holder: message.holder } : desktop,
        ),
      };
    case "clients":
      return { ...appState, clients: message.clients };
    // Pages that show a desktop follow it by themselves: sixteen times a second all others would be drawn for nothing.
    case "agent":
    case "clipboard":
    // Asked and answered in the corner of the page.
    case "input_ask":
      return appState;
  }
}

/** Adds actions that are not known yet or go on, keeping all in the order of their time. */
export function withActions(appState: AppState, more: readonly ActionInfo[]): AppState {
  const known = new Map(appState.actions.map((action) => [action.id, action]));
  const fresh = more.filter(({ id, at }) => at > (known.get(id)?.at ?? ""));
  if (fresh.length === 0) return appState;
  for (const action of fresh) known.set(action.id, action);
  const actions = [...known.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { ...appState, actions: actions.slice(-MAX_ACTIONS) };
}

function withDesktop(desktops: readonly DesktopInfo[], desktop: DesktopInfo): readonly DesktopInfo[] {
  return desktops.some((known) => known.id === desktop.id)
    ? desktops.map((known) => (known.id === desktop.id ? desktop : known))
    : [...desktops, desktop];
}

/** One that is over goes; the others stay where they are. */
function withRequest(requests: readonly RequestInfo[], request: RequestInfo): readonly RequestInfo[] {
  if (request.state !== "open" && request.state !== "taken") {
    return requests.filter(({ id }) => id !== request.id);
  }
  return requests.some(({ id }) => id === request.id)
    ? requests.map((known) => (known.id === request.id ? request : known))
    : [...requests, request];
}

import type { ActionInfo, ApprovalInfo, DesktopInfo } from "../../api/api.ts";
import { secondsUntil, spanWords } from "./countdown.ts";

/** The meaning of a coloured dot; the words beside it say the same. */
export type Tone = "good" | "busy" | "warn" | "bad" | "idle";

export const TONE_OF_STATE = {
  connecting: "busy",
  live: "good",
  stalled: "warn",
  reconnecting: "warn",
  failed: "bad",
  closed: "idle",
} as const satisfies Record<DesktopInfo["state"]["kind"], Tone>;

/** A few words for a tile or the bar; the server's full sentence goes beside a banner or into a tooltip. */
export function stateWords(state: DesktopInfo["state"], nowMs: number): string {
  switch (state.kind) {
    case "connecting":
      if (state.received_percent === null) return "Connecting…";
      return `Loading the picture, ${state.received_percent} %`;
    case "live":
      return "Live";
    case "stalled":
      return `Stalled, last picture ${spanWords((nowMs - Date.parse(state.since)) / 1000)} ago`;
    case "reconnecting": {
      const seconds = state.retry_at === null ? 0 : secondsUntil(state.retry_at, nowMs);
      return seconds === 0 ? "Reconnecting…" : `Reconnecting in ${seconds} s`;
    }
    case "failed":
      return state.code === null ? "Not connected" : (FAILURES.get(state.code) ?? "Not connected");
    case "closed":
      return "Closed";
  }
}

const FAILURES = new Map([
  ["auth_failed", "Refused: wrong password"],
  ["password_required", "Needs a password"],
  ["no_common_auth", "Refused: no common authentication"],
  ["unreachable", "Not reachable"],
  ["handshake_timeout", "No answer"],
  ["refused", "Refused by the server"],
  ["protocol_error", "Another kind of server, or a broken one"],
  ["cert_mismatch", "Its certificate or key has changed"],
  ["target_forbidden", "Address not allowed"],
  ["no_view_permission", "No right to look"],
  ["no_browser", "No Chromium there"],
  ["target_closed", "Closed by the desktop"],
]);

/** Of a protocol's error, for those who look for it in a capture: it stays in what is copied as details. */
const WHERE_IN_STREAM = / \([^()]*, byte \d+\)/;

/**
 * Why it is in that state, without what `stateWords` says: the server's sentence begins with the seconds that were left
 * when it was said, and stands still while they pass. Null where there is nothing more to say.
 */
export function stateReason(state: DesktopInfo["state"]): string | null {
  switch (state.kind) {
    case "stalled":
      return "The desktop is connected and does not answer.";
    case "reconnecting":
    case "failed":
      return sentence(
        state.text.replace(/^(?:Reconnecting [^:]*|Failed): /, "").replace(WHERE_IN_STREAM, ""),
      );
    default:
      return null;
  }
}

const OTHER_SIGN_IN =
  "Edit the desktop and give it the right user and password, or correct them where it is configured.";

const NEXT_STEPS = new Map([
  ["auth_failed", OTHER_SIGN_IN],
  ["password_required", OTHER_SIGN_IN],
  ["no_common_auth", "Let it offer a way to sign in that the dialog for adding desktops lists."],
  ["handshake_timeout", "Check the protocol, the host and the port."],
  ["protocol_error", "Check the protocol, the host and the port."],
  ["target_forbidden", "Choose another address, or allow this one in the server's configuration."],
  ["no_view_permission", "Give the user the right to look on the desktop, then try again."],
]);

/** What to do about a desktop that is not connected, where the server's message does not say it; null elsewhere. */
export function nextStepWords(state: DesktopInfo["state"]): string | null {
  return state.code === null ? null : (NEXT_STEPS.get(state.code) ?? null);
}

export const MODE_WORDS = {
  passive: { name: "Passive", meaning: "Agents watch. They cannot click or type." },
  assist: { name: "Assist", meaning: "Agents ask before every click and every key." },
  composing: { name: "Composing", meaning: "Agents type freely and ask before they click." },
  autopilot: { name: "Autopilot", meaning: "Agents act freely. You can stop them at any time." },
  custom: { name: "Custom", meaning: "Agents follow rules of their own; what no rule names they ask." },
} as const satisfies Record<DesktopInfo["mode"], { readonly name: string; readonly meaning: string }>;

/** What a person can choose with one click; custom needs rules, which come through the API. */
export const MODES = [
  "passive",
  "assist",
  "composing",
  "autopilot",
] as const satisfies readonly DesktopInfo["mode"][];

/** The mode a form control names; null for anything else. */
export function modeNamed(name: string): DesktopInfo["mode"] | null {
  return MODES.find((mode) => mode === name) ?? null;
}

/** Who has the input, for the bar; null while nobody uses it. `meId`: who looks. */
export function holderWords(holder: DesktopInfo["holder"], meId: string | null): string | null {
  if (holder === null) return null;
  if (holder.kind !== "human") return `${holder.name} holds the input`;
  return holder.id === meId ? "You hold the input" : `${holder.name} holds the input`;
}

/** Whether STOP would stop anything: then it is red. */
export function canStop(desktop: DesktopInfo, approvals: readonly ApprovalInfo[]): boolean {
  if (desktop.is_stopped) return false;
  const isAsked = approvals.some(
    (approval) => approval.state === "pending" && approval.desktop_id === desktop.id,
  );
  return isAsked || (desktop.mode !== "passive" && desktop.agents.length > 0);
}

/** What an action did, in a word or two, and how it should look. */
export function outcomeWords(action: Pick<ActionInfo, "outcome" | "code" | "changed">): {
  readonly text: string;
  readonly tone: Tone;
} {
  if (action.outcome === "refused") return { text: reasonWords(action.code, "refused"), tone: "warn" };
  if (action.outcome === "failed") return { text: reasonWords(action.code, "failed"), tone: "bad" };
  if (action.changed === null) return { text: "sent", tone: "idle" };
  return action.changed ? { text: "screen changed", tone: "good" } : { text: "no change", tone: "idle" };
}

const REASONS = new Map([
  ["denied_by_human", "denied by a person"],
  ["approval_expired", "nobody answered"],
  ["permission_denied", "not permitted"],
  ["stopped", "stopped by a person"],
  ["human_in_control", "a person had the input"],
  ["cancelled", "cancelled"],
  ["target_down", "desktop not connected"],
  ["out_of_bounds", "outside the screen"],
  ["stale_screenshot", "screenshot was out of date"],
  ["stale_screen", "screen had changed"],
  ["not_supported", "not supported"],
  ["rate_limited", "too fast"],
  ["too_many", "too many"],
  ["audit_down", "audit log cannot be written"],
]);

function reasonWords(code: string | null, fallback: string): string {
  if (code === null) return fallback;
  return REASONS.get(code) ?? `${fallback}: ${code.replaceAll("_", " ")}`;
}

/** "41 ms", "1.2 s". */
export function durationWords(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 10_000
    ? `${(milliseconds / 1000).toFixed(1)} s`
    : spanWords(Math.round(milliseconds / 1000));
}

/** How a settled question ended, for its greyed card. */
export function decisionWords(approval: ApprovalInfo): string {
  const by = approval.decided_by === null ? "" : ` by ${approval.decided_by}`;
  switch (approval.state) {
    case "pending":
      return "Waiting for you";
    case "granted":
      return `Approved${by}`;
    case "denied":
      return `${approval.is_taken_over ? "Taken over" : "Denied"}${by}`;
    case "expired":
      return "Expired: nobody answered, so it was not done";
    case "cancelled":
      return "Withdrawn";
    case "stale":
      return "Void: the screen there changed, so it was not done";
  }
}

/** The server's messages begin small, as logs want them; people read sentences. */
export function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** Where a desktop's picture comes from: "VNC host:5900". */
export function originWords({
  protocol,
  host,
  port,
}: Pick<DesktopInfo, "protocol" | "host" | "port">): string {
  if (protocol === "demo") return "Built-in demo";
  if (protocol === "browser") return "Browser of its own";
  if (protocol === "replay") return "Replay of a recording";
  return host === "" ? protocol.toUpperCase() : `${protocol.toUpperCase()} ${host}:${port}`;
}

/** How it is reached, for people: "RFB 3.8, X509Vnc" is "VNC, encrypted, with a password". */
export function linkWords(link: string): string {
  const [, way] = /RFB [\d.]+, (\w+)$/.exec(link) ?? [];
  if (way === undefined) return link;
  const safe = /^(TLS|X509|RA2$|RA256$)/.test(way) ? "encrypted, " : "";
  const asked = /None$/.test(way) ? "no password" : /Vnc/.test(way) ? "with a password" : "user and password";
  return `${link.startsWith("KasmVNC") ? "KasmVNC" : "VNC"}, ${safe}${asked}`;
}

/** "1 approval", "3 approvals". */
export function countWords(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "812 KB", "1.4 MB", "2.31 GB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} KB`;
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}

/** Who is at a desktop. */
export type Present = Pick<DesktopInfo, "holder" | "agents">;

/** What a person is told of who came, who has been quiet for a minute, and who took the input from them. */
export function changeWords(before: Present, now: Present, meId: string | null): readonly string[] {
  const came = now.agents.filter((name) => !before.agents.includes(name));
  const went = before.agents.filter((name) => !now.agents.includes(name));
  const { holder } = now;
  const isLost = before.holder?.kind === "human" && before.holder.id === meId && holder?.kind === "human";
  return [
    ...came.map((name) => `${name} works here now`),
    ...went.map((name) => `${name} has done nothing here for a minute`),
    ...(isLost && holder.id !== meId ? [`${holder.name} took the input from you`] : []),
  ];
}

/** For a tooltip: agents are known by their programs, and what they may do is their token's. */
export function tokenWords({ token }: ActionInfo["actor"]): string | undefined {
  return token === undefined ? undefined : `Token: ${token}`;
}

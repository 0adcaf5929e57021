import type { ActionInfo, ApprovalInfo, DesktopInfo } from "../../api/api.ts";
import { decimal, t } from "../language/language.ts";
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
      if (state.received_percent === null) return t`Connecting…`;
      return t`Loading the picture, ${state.received_percent} %`;
    case "live":
      return t`Live`;
    case "stalled":
      return t`Stalled, last picture ${spanWords((nowMs - Date.parse(state.since)) / 1000)} ago`;
    case "reconnecting": {
      const seconds = state.retry_at === null ? 0 : secondsUntil(state.retry_at, nowMs);
      return seconds === 0 ? t`Reconnecting…` : t`Reconnecting in ${seconds} s`;
    }
    case "failed":
      return state.code === null ? t`Not connected` : (FAILURES.get(state.code) ?? t`Not connected`);
    case "closed":
      return t`Closed`;
  }
}

const FAILURES = new Map([
  ["auth_failed", t`Refused: wrong password`],
  ["password_required", t`Needs a password`],
  ["no_common_auth", t`Refused: no common authentication`],
  ["unreachable", t`Not reachable`],
  ["handshake_timeout", t`No answer`],
  ["refused", t`Refused by the server`],
  ["protocol_error", t`Another kind of server, or a broken one`],
  ["cert_mismatch", t`Its certificate or key has changed`],
  ["target_forbidden", t`Address not allowed`],
  ["no_view_permission", t`No right to look`],
  ["no_browser", t`No Chromium there`],
  ["target_closed", t`Closed by the desktop`],
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
      return t`The desktop is connected and does not answer.`;
    case "reconnecting":
    case "failed":
      return sentence(
        state.text.replace(/^(?:Reconnecting [^:]*|Failed): /, "").replace(WHERE_IN_STREAM, ""),
      );
    default:
      return null;
  }
}

const OTHER_SIGN_IN = t`Edit the desktop and give it the right user and password, or correct them where it is configured.`;

const NEXT_STEPS = new Map([
  ["auth_failed", OTHER_SIGN_IN],
  ["password_required", OTHER_SIGN_IN],
  ["no_common_auth", t`Let it offer a way to sign in that the dialog for adding desktops lists.`],
  ["handshake_timeout", t`Check the protocol, the host and the port.`],
  ["protocol_error", t`Check the protocol, the host and the port.`],
  ["target_forbidden", t`Choose another address, or allow this one in the server's configuration.`],
  ["no_view_permission", t`Give the user the right to look on the desktop, then try again.`],
]);

/** What to do about a desktop that is not connected, where the server's message does not say it; null elsewhere. */
export function nextStepWords(state: DesktopInfo["state"]): string | null {
  return state.code === null ? null : (NEXT_STEPS.get(state.code) ?? null);
}

export const MODE_WORDS = {
  passive: { name: t`Passive`, meaning: t`Agents watch. They cannot click or type.` },
  assist: { name: t`Assist`, meaning: t`Agents ask before every click and every key.` },
  composing: { name: t`Composing`, meaning: t`Agents type freely and ask before they click.` },
  autopilot: { name: t`Autopilot`, meaning: t`Agents act freely. You can stop them at any time.` },
  custom: { name: t`Custom`, meaning: t`Agents follow rules of their own; what no rule names they ask.` },
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
  if (holder.kind !== "human") return t`${holder.name} holds the input`;
  return holder.id === meId ? t`You hold the input` : t`${holder.name} holds the input`;
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
  if (action.outcome === "refused") return { text: reasonWords(action.code, t`refused`), tone: "warn" };
  if (action.outcome === "failed") return { text: reasonWords(action.code, t`failed`), tone: "bad" };
  if (action.changed === null) return { text: t`sent`, tone: "idle" };
  return action.changed ? { text: t`screen changed`, tone: "good" } : { text: t`no change`, tone: "idle" };
}

const REASONS = new Map([
  ["denied_by_human", t`denied by a person`],
  ["approval_expired", t`nobody answered`],
  ["permission_denied", t`not permitted`],
  ["stopped", t`stopped by a person`],
  ["human_in_control", t`a person had the input`],
  ["cancelled", t`cancelled`],
  ["target_down", t`desktop not connected`],
  ["out_of_bounds", t`outside the screen`],
  ["stale_screenshot", t`screenshot was out of date`],
  ["stale_screen", t`screen had changed`],
  ["not_supported", t`not supported`],
  ["rate_limited", t`too fast`],
  ["too_many", t`too many`],
  ["audit_down", t`audit log cannot be written`],
]);

function reasonWords(code: string | null, fallback: string): string {
  if (code === null) return fallback;
  return REASONS.get(code) ?? `${fallback}: ${code.replaceAll("_", " ")}`;
}

/** "41 ms", "1.2 s". */
export function durationWords(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 10_000
    ? `${decimal(milliseconds / 1000, 1)} s`
    : spanWords(Math.round(milliseconds / 1000));
}

/** How a question ended, now or in a recording. */
export function decisionWords(
  approval: Pick<ApprovalInfo, "state" | "decided_by"> & Partial<ApprovalInfo>,
): string {
  const by = approval.decided_by === null ? "" : t` by ${approval.decided_by}`;
  switch (approval.state) {
    case "pending":
      return t`Waiting`;
    case "granted":
      return `${t`Approved`}${by}`;
    case "denied":
      return `${approval.is_taken_over ? t`Taken over` : t`Denied`}${by}`;
    case "expired":
      return t`Expired: nobody answered, so it was not done`;
    case "cancelled":
      return t`Withdrawn`;
    case "stale":
      return t`Void: the screen there changed, so it was not done`;
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
  if (protocol === "demo") return t`Built-in demo`;
  if (protocol === "browser" && host === "") return t`Browser of its own`;
  if (protocol === "replay") return t`Replay of a recording`;
  return host === "" ? protocol.toUpperCase() : `${protocol.toUpperCase()} ${host}:${port}`;
}

/** How it is reached, for people: "RFB 3.8, X509Vnc" is "VNC, encrypted, with a password". */
export function linkWords(link: string): string {
  const [, way] = /RFB [\d.]+, (\w+)$/.exec(link) ?? [];
  if (way === undefined) return link;
  const kind = link.startsWith("KasmVNC") ? "KasmVNC" : "VNC";
  const asked = /None$/.test(way)
    ? t`no password`
    : /Vnc/.test(way)
      ? t`with a password`
      : t`user and password`;
  return /^(TLS|X509|RA2$|RA256$)/.test(way) ? t`${kind}, encrypted, ${asked}` : `${kind}, ${asked}`;
}

/** "812 KB", "1.4 MB", "2.31 GB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} KB`;
  return bytes < 1_000_000_000
    ? `${decimal(bytes / 1_000_000, 1)} MB`
    : `${decimal(bytes / 1_000_000_000, 2)} GB`;
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
    ...came.map((name) => t`${name} works here now`),
    ...went.map((name) => t`${name} has done nothing here for a minute`),
    ...(isLost && holder.id !== meId ? [t`${holder.name} took the input from you`] : []),
  ];
}

/** For a tooltip: agents are known by their programs, and what they may do is their token's. */
export function tokenWords({ token }: ActionInfo["actor"]): string | undefined {
  return token === undefined ? undefined : t`Token: ${token}`;
}

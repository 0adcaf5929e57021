import { computed, signal } from "@preact/signals";
import type { AgentSeen, DesktopInfo, EventMessage, InputAsk, Me } from "../../api/api.ts";
import { pendingCards, swept } from "../approvals/approval-queue.ts";
import { notifyOf } from "../approvals/notify.ts";
import { t } from "../language/language.ts";
import { ApiError, api, serverNowMs } from "./api-client.ts";
import { type AppState, afterMessage, EMPTY_STATE, withActions } from "./app-state.ts";
import { below, withoutBase } from "./base-path.ts";
import { LiveSocket } from "./live-socket.ts";
import { askNotice, attempt, showError, showNotice } from "./notices.ts";
import { signInPath } from "./route.ts";

/** Who is signed in; null until the server said so. */
export const me = signal<Me | null>(null);
export const appState = signal<AppState>(EMPTY_STATE);
/** Whether what the pages show is up to date. */
export const isOnline = signal(true);
/** What an agent did last, on any desktop. */
export const agentSeen = signal<AgentSeen | null>(null);
/** Browser time, ms, once a second: for ages and countdowns. */
export const now = signal(Date.now());
/** Questions and requests that wait for a person. */
export const pendingCount = computed(
  () => pendingCards(appState.value.cards).length + appState.value.requests.length,
);

/** How long a fingerprint can be compared where it came. */
const FIRST_TRUST_MS = 60_000;

let isStarted = false;

/** Signs in with the cookie and follows the server's events; an unknown visitor is sent to the sign-in page. */
export function startSession(): void {
  if (isStarted) return;
  isStarted = true;
  identify();
  new LiveSocket<EventMessage>("/ws/events", {
    message: (message) => {
      if (message.type === "agent") {
        agentSeen.value = message;
        return;
      }
      if (message.type === "input_ask") askedForInput(message);
      if (message.type === "desktop") tellFirstTrust(message.desktop);
      const { cards } = appState.value;
      appState.value = afterMessage(appState.value, message, Date.now());
      notifyOf(cards, appState.value.cards);
    },
    open: (isOpen) => {
      isOnline.value = isOpen;
      // A lost socket may mean a lost session; the server's answer tells which. What was asked in vain is asked again.
      if (!isOpen || me.value === null) identify();
    },
  });
  setInterval(tick, 1000);
}

/** Somebody asks for the input that this person holds, or keeps what this person asked for. */
function askedForInput({ desktop_id, what, from, until }: InputAsk): void {
  if (what === "kept") {
    showNotice(t`${from.name} keeps the input`);
    return;
  }
  const where = desktopOf(desktop_id)?.name ?? t`a desktop`;
  const answer = (give: boolean) => (): void =>
    attempt(t`Could not answer`, api.answerInput(desktop_id, from.id, give));
  askNotice(
    t`${from.name} asks for the input of ${where}`,
    [
      { text: t`Give it to ${from.name}`, run: answer(true) },
      { text: t`Keep it`, run: answer(false) },
    ],
    Date.parse(until) - serverNowMs(),
  );
}

/** Whose certificate or key was believed a moment ago, because none was known: that is the time to compare it. */
function tellFirstTrust(desktop: DesktopInfo): void {
  const before = desktopOf(desktop.id)?.identities ?? [];
  for (const { sha256, is_new } of desktop.identities) {
    if (!is_new || before.some((one) => one.sha256 === sha256)) continue;
    askNotice(
      t`${desktop.name} is trusted by what it showed first: SHA-256 ${sha256}. Compare it with what the desktop itself says.`,
      [{ text: t`OK`, run: () => {} }],
      FIRST_TRUST_MS,
    );
  }
}

function tick(): void {
  now.value = Date.now();
  const cards = swept(appState.value.cards, Date.now());
  if (cards !== appState.value.cards) appState.value = { ...appState.value, cards };
}

let isIdentifying = false;
/** The session ends because somebody signs out here, who is led on when the server has answered. */
let isSigningOut = false;

function identify(): void {
  if (isIdentifying || isSigningOut) return;
  isIdentifying = true;
  api
    .me()
    .then(
      (known) => {
        me.value = known;
      },
      (error: unknown) => {
        if (isSigningOut || !(error instanceof ApiError) || error.status !== 401) return;
        location.assign(
          me.value?.id.startsWith("guest:") === true
            ? below("/signin?guest=over")
            : below(
                signInPath(
                  withoutBase(location.pathname) + location.search + location.hash,
                  me.value !== null,
                ),
              ),
        );
      },
    )
    .finally(() => {
      isIdentifying = false;
    });
}

export function may(permission: string): boolean {
  return me.value?.permissions.includes(permission) ?? false;
}

/** A desktop that shows a recording is one of its own, which no guest's grant names. */
export function mayInvite({ protocol }: Pick<DesktopInfo, "protocol">): boolean {
  return may("invite") && protocol !== "replay";
}

export function desktopOf(id: string): DesktopInfo | undefined {
  return appState.value.desktops.find((desktop) => desktop.id === id);
}

/** Loads what happened on a desktop before this page was opened. */
export async function loadActions(desktopId: string): Promise<void> {
  const actions = await api.actions(desktopId);
  appState.value = withActions(appState.value, actions);
}

/** Ends the session here and on the server, and leads to where the one at a provider is ended. */
export function signOut(): void {
  isSigningOut = true;
  api.signOut().then(
    ({ provider_url }) => location.assign(provider_url ?? below("/signin")),
    (error: unknown) => {
      isSigningOut = false;
      showError(t`Could not sign out`, error);
    },
  );
}

import { render } from "preact";
import { t } from "../language/language.ts";
import { attempt } from "../shell/notices.ts";
import { appState } from "../shell/session.ts";
import { ApprovalDock } from "./approval-dock.tsx";
import { pendingCards } from "./approval-queue.ts";

/** Offers the questions in a small window that stays above all others; nothing where the browser has no such window. */
export function SmallWindowButton() {
  const { documentPictureInPicture: pictures } = window;
  if (pictures === undefined) return null;
  const open = async (): Promise<void> => {
    const small = await pictures.requestWindow({ width: 420, height: 600 });
    const { head, body, documentElement } = small.document;
    small.document.title = t`Approvals`;
    for (const { name, value } of document.documentElement.attributes)
      documentElement.setAttribute(name, value);
    for (const { href } of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) {
      head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
    }
    body.className = "small-window";
    render(<SmallWindow />, body);
    small.addEventListener("pagehide", () => render(null, body));
  };
  return (
    <button
      type="button"
      class="link-button"
      onClick={() => attempt(t`Could not open a small window`, open())}
    >
      {t`Keep approvals in a small window above all others`}
    </button>
  );
}

function SmallWindow() {
  const { cards, grants } = appState.value;
  return (
    <main>
      <h1 class="visually-hidden">{t`Approvals`}</h1>
      {pendingCards(cards).length === 0 && <p class="muted">{t`Nothing waits for you.`}</p>}
      <ApprovalDock cards={cards} grants={grants} isDesktopNamed />
    </main>
  );
}

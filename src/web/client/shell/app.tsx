import { computed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { t } from "../language/language.ts";
import type { LaterPage } from "../later-pages.ts";
import type { Route } from "./route.ts";
import { navigate, route } from "./router.ts";
import { appState, may, pendingCount, startSession } from "./session.ts";
import "../styles/notices.css";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { SignInPage } from "../setup/sign-in-page.tsx";
import { focusApproval, isApprovalKey } from "./keyboard-focus.ts";
import { sentence } from "./labels.ts";
import { copyText, dismissNotice, type Notice, notices } from "./notices.ts";
import { UnknownPage } from "./unknown-page.tsx";

const TITLES = {
  desktops: t`Desktops`,
  viewer: t`Desktop`,
  rules: t`Rules`,
  recordings: t`Recordings`,
  player: t`Recording`,
  approvals: t`Approvals`,
  setup: t`Setup`,
  access: t`Access`,
  secrets: t`Secrets`,
  audit: t`Audit log`,
  fleet: t`Fleet`,
  signin: t`Sign in`,
  answer: t`A question for you`,
  unknown: t`Not found`,
} as const satisfies Record<Route["page"], string>;

/** Windows of several desktops stand side by side: theirs says which. */
const pageTitle = computed(() => {
  const { value } = route;
  const desktop =
    value.page === "viewer" ? appState.value.desktops.find(({ id }) => id === value.desktopId) : undefined;
  return desktop?.name ?? TITLES[value.page];
});

type DrawPage = (current: Route) => VNode | null;

/** A page that its address says all of. */
function later(page: LaterPage): () => Promise<DrawPage> {
  return async () => {
    const { LATER_PAGES } = await import("../later-pages.ts");
    const Page = LATER_PAGES[page];
    return () => <Page />;
  };
}

/** Each page's code comes with its first visit, but for small ones: a window that only shows a desktop loads no other. */
const LOADERS = {
  desktops: later("desktops"),
  viewer: async () => {
    const { ViewerPage } = await import("../viewer/viewer-page.tsx");
    return (current) =>
      current.page === "viewer" ? (
        <ViewerPage key={current.desktopId} desktopId={current.desktopId} crop={current.crop} />
      ) : null;
  },
  rules: async () => {
    const { RulesPage } = await import("../later-pages.ts");
    return (current) =>
      current.page === "rules" ? <RulesPage key={current.desktopId} desktopId={current.desktopId} /> : null;
  },
  recordings: async () => {
    const { RecordingsPage } = await import("../recordings/recordings-pages.ts");
    return () => <RecordingsPage />;
  },
  player: async () => {
    const { PlayerPage } = await import("../recordings/recordings-pages.ts");
    return (current) =>
      current.page === "player" ? (
        <PlayerPage key={current.recordingId} recordingId={current.recordingId} />
      ) : null;
  },
  approvals: later("approvals"),
  setup: later("setup"),
  access: later("access"),
  secrets: later("secrets"),
  audit: later("audit"),
  fleet: later("fleet"),
  signin: async () => () => <SignInPage />,
  answer: later("answer"),
  unknown: async () => (current) => (current.page === "unknown" ? <UnknownPage path={current.path} /> : null),
} as const satisfies Record<Route["page"], () => Promise<DrawPage>>;

/** What is on screen; the page before stays until the code of the next one is there. */
type Shown =
  | { readonly kind: "nothing" }
  | { readonly kind: "page"; readonly page: Route["page"]; readonly draw: DrawPage }
  | { readonly kind: "failed" };

/** The whole app: the page of the address, and what lies above every page. */
export function App() {
  const current = route.value;
  const waiting = pendingCount.value;
  const title = pageTitle.value;
  const shown = useSignal<Shown>({ kind: "nothing" });
  // At once, not after an empty page is painted.
  useLayoutEffect(() => {
    const { page } = current;
    if (page !== "signin" && page !== "answer") startSession();
    LOADERS[page]().then(
      (draw) => {
        if (route.value.page === page) shown.value = { kind: "page", page, draw };
      },
      () => {
        shown.value = { kind: "failed" };
      },
    );
  }, [current.page, current, shown]);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Overlay Companion`;
    document.documentElement.dataset["page"] = current.page;
  }, [current.page, waiting, title]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isApprovalKey(event)) return;
      event.preventDefault();
      if (!focusApproval() && may("approve")) navigate("/approvals");
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      {/* First, for Tab too: from a desktop it leads nowhere. */}
      <Notices />
      <Page shown={shown.value} current={current} />
    </>
  );
}

function Page({ shown, current }: { readonly shown: Shown; readonly current: Route }) {
  switch (shown.kind) {
    case "nothing":
      return null;
    case "page":
      return shown.page === current.page ? shown.draw(current) : null;
    case "failed":
      return (
        <main class="page">
          <h1>{t`The page could not be loaded`}</h1>
          <p role="alert">{t`Check that the server runs, then load the page anew.`}</p>
          <p>
            {/* A link to this address would be followed within the page, which cannot load. */}
            <button type="button" class="button button-primary" onClick={() => location.reload()}>
              {t`Reload the page`}
            </button>
          </p>
        </main>
      );
  }
}

/** The messages in the corner. */
function Notices() {
  return (
    <section class="notices" aria-label={t`Messages`} aria-live="polite">
      {notices.value.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { details } = notice;
  return (
    <div class={`notice notice-${notice.kind}`}>
      <Icon shape={notice.kind === "error" ? "warning" : "check"} />
      <div class="notice-words">
        <p>{notice.text}</p>
        {notice.hint !== null && <p class="muted">{sentence(notice.hint)}</p>}
        {notice.link !== undefined && (
          <a href={notice.link.href} onClick={() => dismissNotice(notice.id)}>
            {notice.link.text}
          </a>
        )}
        {notice.choices !== undefined && (
          <p class="notice-choices">
            {notice.choices.map(({ text, run }) => (
              <button
                key={text}
                type="button"
                class="button"
                onClick={() => {
                  dismissNotice(notice.id);
                  run();
                }}
              >
                {text}
              </button>
            ))}
          </p>
        )}
        {details !== null && (
          <button type="button" class="link-button" onClick={() => copyText(details, t`Details copied`)}>
            {t`Copy details`}
          </button>
        )}
      </div>
      <IconButton icon="cross" label={t`Dismiss`} onClick={() => dismissNotice(notice.id)} />
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { IconButton } from "../controls/icon-button.tsx";
import { countWords } from "./labels.ts";
import { OfflineBanner } from "./offline-banner.tsx";
import { route } from "./router.ts";
import { may, me, pendingCount, signOut } from "./session.ts";
import { areShortcutsShown, ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { nextTheme, theme } from "./theme.ts";

const LINKS = [
  { href: "/", page: "desktops", name: "Desktops" },
  { href: "/recordings", page: "recordings", name: "Recordings", needs: "control" },
  { href: "/approvals", page: "approvals", name: "Approvals" },
  { href: "/setup", page: "setup", name: "Setup" },
] as const;

const ICON_OF_THEME = { system: "sunMoon", light: "sun", dark: "moon" } as const;

/** The frame of every page but the viewer: the way around, and who is signed in. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const waiting = pendingCount.value;
  return (
    <div class="shell">
      <header class="shell-head">
        <a class="brand" href="/" aria-label="Overlay Companion, all desktops">
          <span class="brand-mark" aria-hidden="true" />
          <span class="brand-name">Overlay Companion</span>
        </a>
        <nav aria-label="Pages">
          {LINKS.filter((link) => !("needs" in link) || may(link.needs)).map(({ href, page, name }) => (
            <a key={href} href={href} aria-current={route.value.page === page ? "page" : undefined}>
              {name}
              {page === "approvals" && waiting > 0 && (
                <span
                  class="badge"
                  role="img"
                  aria-label={countWords(waiting, "question waits", "questions wait")}
                >
                  {waiting}
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="shell-end">
          {me.value && (
            <span class="muted shell-me" title={`Version ${me.value.version}`}>
              {me.value.name === me.value.role ? me.value.role : `${me.value.name}, ${me.value.role}`}
            </span>
          )}
          <IconButton icon={ICON_OF_THEME[theme.value]} label={`Theme: ${theme.value}`} onClick={nextTheme} />
          {me.value && <IconButton icon="logOut" label="Sign out" onClick={signOut} />}
          <IconButton
            icon="keyboard"
            label="Keyboard"
            shortcut="?"
            class="wide-only"
            onClick={() => {
              areShortcutsShown.value = true;
            }}
          />
        </div>
      </header>
      <OfflineBanner />
      <main>{children}</main>
      <ShortcutsDialog />
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { IconButton } from "../controls/icon-button.tsx";
import { LanguageButton } from "../controls/language-button.tsx";
import { counted, ofServer, t } from "../language/language.ts";
import { OfflineBanner } from "./offline-banner.tsx";
import type { Route } from "./route.ts";
import { route } from "./router.ts";
import { may, me, pendingCount, signOut } from "./session.ts";
import { areShortcutsShown, ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { nextTheme, theme } from "./theme.ts";

/** Where one may go, and what one must be able to do for it to be of use. */
const LINKS = [
  { href: "/", pages: ["desktops"], name: t`Desktops`, needs: "view" },
  { href: "/recordings", pages: ["recordings"], name: t`Recordings`, needs: "control" },
  { href: "/approvals", pages: ["approvals"], name: t`Approvals`, needs: "approve" },
  { href: "/setup", pages: ["setup"], name: t`Setup`, needs: "mcp" },
  { href: "/access", pages: ["access", "secrets", "audit", "fleet"], name: t`Admin`, needs: "admin" },
] as const satisfies readonly {
  readonly href: string;
  readonly pages: readonly Route["page"][];
  readonly name: string;
  readonly needs: string;
}[];

function isAt(pages: readonly Route["page"][]): boolean {
  return pages.includes(route.value.page);
}

const THEME_WORDS = { system: t`Theme: system`, light: t`Theme: light`, dark: t`Theme: dark` } as const;
const ICON_OF_THEME = { system: "sunMoon", light: "sun", dark: "moon" } as const;

/** The frame of every page but the viewer: the way around, and who is signed in. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const waiting = pendingCount.value;
  return (
    <div class="shell">
      <header class="shell-head">
        <a class="brand" href="/" aria-label={t`Overlay Companion, all desktops`}>
          <span class="brand-mark" aria-hidden="true" />
          <span class="brand-name">Overlay Companion</span>
        </a>
        <nav aria-label={t`Pages`}>
          {LINKS.filter(({ needs }) => may(needs)).map(({ href, pages, name }) => (
            <a key={href} href={href} aria-current={isAt(pages) ? "page" : undefined}>
              {name}
              {href === "/approvals" && waiting > 0 && (
                <span
                  class="badge"
                  role="img"
                  aria-label={counted(waiting, t`# question waits|# questions wait`)}
                >
                  {waiting}
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="shell-end">
          {me.value && (
            <span class="muted shell-me" title={t`Version ${me.value.version}`}>
              {me.value.name === me.value.role
                ? ofServer(me.value.role)
                : `${me.value.name}, ${ofServer(me.value.role)}`}
            </span>
          )}
          <IconButton
            icon={ICON_OF_THEME[theme.value]}
            label={THEME_WORDS[theme.value]}
            onClick={nextTheme}
          />
          <LanguageButton />
          {me.value && <IconButton icon="logOut" label={t`Sign out`} onClick={signOut} />}
          <IconButton
            icon="keyboard"
            label={t`Keyboard`}
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

import { ofServer, t } from "../language/language.ts";
import "../styles/admin.css";
import type { ComponentChildren } from "preact";
import { route } from "../shell/router.ts";
import { may, me } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";

const PAGES = [
  { href: "/access", page: "access", name: t`Access` },
  { href: "/secrets", page: "secrets", name: t`Secrets` },
  { href: "/audit", page: "audit", name: t`Audit log` },
  { href: "/fleet", page: "fleet", name: t`Fleet` },
] as const;

/** The frame of the pages for administrators; who is none is told so, and nothing is asked for them. */
export function AdminFrame({
  title,
  children,
}: {
  readonly title: string;
  readonly children: () => ComponentChildren;
}) {
  return (
    <Shell>
      <div class="page page-wide admin-page">
        {may("admin") ? (
          <>
            <nav class="admin-tabs" aria-label={t`Administration`}>
              {PAGES.filter(({ page }) => page !== "fleet" || me.value?.node).map(({ href, page, name }) => (
                <a key={href} href={href} aria-current={route.value.page === page ? "page" : undefined}>
                  {name}
                </a>
              ))}
            </nav>
            {children()}
          </>
        ) : (
          <>
            <h1>{title}</h1>
            {me.value && (
              <p role="status">
                {t`Only administrators come in here, and you are ${me.value.name}, ${ofServer(me.value.role)}. `}

                <a href="/">{t`Go to the desktops`}</a>
              </p>
            )}
          </>
        )}
      </div>
    </Shell>
  );
}

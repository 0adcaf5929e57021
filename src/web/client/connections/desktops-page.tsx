import { rich, t } from "../language/language.ts";
import "../styles/desktops.css";
import { useSignal } from "@preact/signals";
import type { DesktopInfo } from "../../api/api.ts";
import { InviteDialog } from "../admin/invite-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { appState, may } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { DesktopDialog, type EditedDesktop } from "./desktop-dialog.tsx";
import { groupsOf, isFound } from "./desktop-groups.ts";
import { DesktopTile } from "./desktop-tile.tsx";

/** From so many desktops on there is a field to find one. */
const SEARCH_FROM = 2;

/** All desktops with live pictures. */
export function DesktopsPage() {
  /** null: closed; "new": one is added. */
  const dialog = useSignal<EditedDesktop | "new" | null>(null);
  const invitedTo = useSignal<DesktopInfo | null>(null);
  const query = useSignal("");
  const { desktops, elsewhere, isKnown: isTold } = appState.value;
  const isKnown = isTold && (desktops.length > 0 || elsewhere.length === 0);
  const groups = groupsOf(desktops.filter((desktop) => isFound(desktop, query.value)));

  const open = (): void => {
    dialog.value = "new";
  };
  const edit = ({ id }: DesktopInfo): void => {
    const work = api.connection(id).then((info) => {
      dialog.value = { id, ...info };
    });
    attempt(t`Could not open the connection`, work);
  };
  return (
    <Shell>
      <div class="page page-wide">
        <div class="page-head">
          <h1>{t`Desktops`}</h1>
          {desktops.length >= SEARCH_FROM && <SearchField label={t`Find a desktop`} query={query} />}
          {may("connections") && (
            <button type="button" class="button button-primary" onClick={open}>
              <Icon shape="plus" />
              <span>{t`Add desktop`}</span>
            </button>
          )}
        </div>
        {isKnown && desktops.length === 0 && (
          <div class="empty">
            <Icon shape="monitor" />
            <p>{t`No desktop yet.`}</p>
            <p class="muted">
              {rich`Add one here, or start the server with ${<code>--connect vnc://:password@host:5901</code>}. Without any it shows the built-in demo.`}
            </p>
          </div>
        )}
        {isKnown && desktops.length > 0 && groups.length === 0 && (
          <p class="muted">{t`No desktop has “${query.value}” in its name, address or agents.`}</p>
        )}
        {!isKnown && (
          <ul class="tiles" aria-label={t`Desktops`} aria-busy="true">
            {[1, 2, 3].map((index) => (
              <li key={index} class="tile tile-skeleton" aria-hidden="true" />
            ))}
          </ul>
        )}
        {groups.map(({ name, desktops: members }) => (
          <section key={name ?? ""} class="tile-group" aria-label={name ?? t`Desktops`}>
            {name !== null && <h2>{name}</h2>}
            <ul class="tiles" aria-label={name ?? t`Desktops`}>
              {members.map((desktop) => (
                <DesktopTile
                  key={desktop.id}
                  desktop={desktop}
                  onEdit={edit}
                  onInvite={(invited) => {
                    invitedTo.value = invited;
                  }}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {dialog.value !== null && (
        <DesktopDialog
          edited={dialog.value === "new" ? null : dialog.value}
          onClose={() => {
            dialog.value = null;
          }}
        />
      )}
      {invitedTo.value !== null && (
        <InviteDialog
          desktop={invitedTo.value}
          onClose={() => {
            invitedTo.value = null;
          }}
        />
      )}
    </Shell>
  );
}

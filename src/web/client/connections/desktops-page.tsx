import "../styles/desktops.css";
import { useSignal } from "@preact/signals";
import type { DesktopInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { lazy } from "../controls/lazy.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { appState, may } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { DesktopDialog, type EditedDesktop } from "./desktop-dialog.tsx";
import { groupsOf, isFound } from "./desktop-groups.ts";
import { DesktopTile } from "./desktop-tile.tsx";

const InviteDialog = lazy(async () => (await import("../admin/invite-dialog.tsx")).InviteDialog);

/** From so many desktops on there is a field to find one. */
const SEARCH_FROM = 2;

/** All desktops with live pictures. */
export function DesktopsPage() {
  /** null: closed; "new": one is added. */
  const dialog = useSignal<EditedDesktop | "new" | null>(null);
  const invitedTo = useSignal<DesktopInfo | null>(null);
  const query = useSignal("");
  const { desktops, isKnown } = appState.value;
  const groups = groupsOf(desktops.filter((desktop) => isFound(desktop, query.value)));

  const open = (): void => {
    dialog.value = "new";
  };
  const edit = ({ id }: DesktopInfo): void => {
    const work = api.connection(id).then((info) => {
      dialog.value = { id, ...info };
    });
    attempt("Could not open the connection", work);
  };
  return (
    <Shell>
      <div class="page page-wide">
        <div class="page-head">
          <h1>Desktops</h1>
          {desktops.length >= SEARCH_FROM && <SearchField label="Find a desktop" query={query} />}
          {may("connections") && (
            <button type="button" class="button button-primary" onClick={open}>
              <Icon shape="plus" />
              <span>Add desktop</span>
            </button>
          )}
        </div>
        {isKnown && desktops.length === 0 && (
          <div class="empty">
            <Icon shape="monitor" />
            <p>No desktop yet.</p>
            <p class="muted">
              Add one here, or start the server with <code>--connect vnc://:password@host:5901</code>. Without
              any it shows the built-in demo.
            </p>
          </div>
        )}
        {isKnown && desktops.length > 0 && groups.length === 0 && (
          <p class="muted">No desktop has “{query.value}” in its name, address or agents.</p>
        )}
        {!isKnown && (
          <ul class="tiles" aria-label="Desktops" aria-busy="true">
            {[1, 2, 3].map((index) => (
              <li key={index} class="tile tile-skeleton" aria-hidden="true" />
            ))}
          </ul>
        )}
        {groups.map(({ name, desktops: members }) => (
          <section key={name ?? ""} class="tile-group" aria-label={name ?? "Desktops"}>
            {name !== null && <h2>{name}</h2>}
            <ul class="tiles" aria-label={name ?? "Desktops"}>
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

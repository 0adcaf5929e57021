import "../styles/desktops.css";
import { useSignal } from "@preact/signals";
import { Icon } from "../controls/icon.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { cockpit, may } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { AddDesktopDialog } from "./add-desktop-dialog.tsx";
import { DesktopTile } from "./desktop-tile.tsx";

/** With more desktops than this there is a field to find one. */
const SEARCH_FROM = 6;

/** All desktops with live pictures. */
export function DesktopsPage() {
  const isAdding = useSignal(false);
  const query = useSignal("");
  const { desktops, isKnown } = cockpit.value;
  const wanted = query.value.trim().toLowerCase();
  const shown = desktops.filter((desktop) =>
    `${desktop.name} ${desktop.host}`.toLowerCase().includes(wanted),
  );

  const open = (): void => {
    isAdding.value = true;
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
        {isKnown && desktops.length > 0 && shown.length === 0 && (
          <p class="muted">No desktop is called “{query.value}”.</p>
        )}
        <ul class="tiles" aria-label="Desktops" aria-busy={!isKnown}>
          {isKnown
            ? shown.map((desktop) => <DesktopTile key={desktop.id} desktop={desktop} />)
            : [1, 2, 3].map((index) => <li key={index} class="tile tile-skeleton" aria-hidden="true" />)}
        </ul>
      </div>
      {isAdding.value && (
        <AddDesktopDialog
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </Shell>
  );
}

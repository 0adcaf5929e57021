import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DesktopInfo } from "../../api/api.ts";
import type { NewTicket, TicketBody } from "../../api/tickets-api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { t } from "../language/language.ts";
import { serverNowMs } from "../shell/api-client.ts";
import { secondsUntil } from "../shell/countdown.ts";
import { sentence } from "../shell/labels.ts";
import { errorWords } from "../shell/notices.ts";
import { now } from "../shell/session.ts";
import { adminApi } from "./admin-api.ts";
import { ShownOnce } from "./shown-once.tsx";
import "../styles/admin.css";

type GuestRole = NonNullable<TicketBody["role"]>;

const GUEST_ROLES = {
  viewer: { name: t`Watch`, can: t`watch` },
  approver: {
    name: t`Watch and answer what agents ask`,
    can: t`watch, answer what agents ask and stop them`,
  },
  operator: { name: t`Work on it as you do`, can: t`watch, approve, draw, set the mode and hide places` },
} as const satisfies Record<GuestRole, { readonly name: string; readonly can: string }>;
const ROLES = ["viewer", "approver", "operator"] as const satisfies readonly GuestRole[];

const TERMS = [
  [15, t`15 minutes`],
  [60, t`1 hour`],
  [240, t`4 hours`],
  [480, t`8 hours`],
  [720, t`12 hours`],
] as const;

/** The form; an empty name is "Guest". */
interface Invitation {
  readonly role: GuestRole;
  readonly view_only: boolean;
  readonly minutes: number;
  readonly name: string;
}

/** What was asked for, and the link that came. */
interface Invited {
  readonly asked: Invitation;
  readonly ticket: NewTicket;
}

export interface InviteDialogProps {
  readonly desktop: Pick<DesktopInfo, "id" | "name">;
  readonly onClose: () => void;
}

/** Makes a link by which somebody without a token comes to one desktop, for a while. */
export function InviteDialog({ desktop, onClose }: InviteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const asked = useSignal<Invitation>({ role: "viewer", view_only: true, minutes: 60, name: "" });
  const invited = useSignal<Invited | null>(null);
  const isBusy = useSignal(false);
  const fault = useSignal<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const change = (part: Partial<Invitation>): void => {
    asked.value = { ...asked.value, ...part };
  };
  const invite = (event: Event): void => {
    event.preventDefault();
    if (isBusy.value) return;
    const { role, view_only, minutes, name } = asked.value;
    const body = {
      ...{ role, minutes, name: name.trim() === "" ? t`Guest` : name.trim() },
      view_only: role !== "operator" || view_only,
    };
    isBusy.value = true;
    adminApi
      .invite(desktop.id, body)
      .then(
        (ticket) => {
          fault.value = null;
          invited.value = { asked: body, ticket };
        },
        (error: unknown) => {
          fault.value = sentence(errorWords(error).message);
        },
      )
      .finally(() => {
        isBusy.value = false;
      });
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="invite-title" onClose={onClose}>
      <form onSubmit={invite} autocomplete="off">
        <header class="dialog-head">
          <h2 id="invite-title">{t`Invite a guest to ${desktop.name}`}</h2>
          <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
        </header>
        {invited.value === null ? (
          <InviteFields asked={asked.value} onChange={change} />
        ) : (
          <InviteLink invited={invited.value} desktopName={desktop.name} />
        )}
        <p class="field-error" role="alert" hidden={fault.value === null}>
          {fault.value}
        </p>
        <footer class="dialog-foot">
          {invited.value === null ? (
            <button type="submit" class="button button-primary" disabled={isBusy.value}>
              {isBusy.value ? t`Making it…` : t`Make a link`}
            </button>
          ) : (
            <>
              <button
                type="button"
                class="button"
                onClick={() => {
                  invited.value = null;
                }}
              >
                {t`Invite again`}
              </button>
              <button type="button" class="button button-primary" onClick={() => dialog.current?.close()}>
                {t`Done`}
              </button>
            </>
          )}
        </footer>
      </form>
    </dialog>
  );
}

function InviteFields({
  asked,
  onChange,
}: {
  readonly asked: Invitation;
  readonly onChange: (part: Partial<Invitation>) => void;
}) {
  return (
    <>
      <label class="field">
        <span>{t`Name (optional)`}</span>
        <input
          maxLength={60}
          placeholder={t`Guest`}
          value={asked.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      <fieldset class="checks">
        <legend>{t`What they may do`}</legend>
        {ROLES.map((role) => (
          <label key={role} class="check">
            <input
              type="radio"
              name="role"
              value={role}
              checked={asked.role === role}
              onChange={() => onChange({ role })}
            />
            <span>{GUEST_ROLES[role].name}</span>
          </label>
        ))}
        {asked.role === "operator" && (
          <label class="check check-below">
            <input
              type="checkbox"
              checked={!asked.view_only}
              onChange={(event) => onChange({ view_only: !event.currentTarget.checked })}
            />
            <span>{t`With mouse and keyboard`}</span>
          </label>
        )}
      </fieldset>
      <label class="field">
        <span>{t`How long the visit lasts`}</span>
        <select
          value={asked.minutes}
          onChange={(event) => onChange({ minutes: Number(event.currentTarget.value) })}
        >
          {TERMS.map(([minutes, words]) => (
            <option key={minutes} value={minutes}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function InviteLink({ invited, desktopName }: { readonly invited: Invited; readonly desktopName: string }) {
  // It counts down.
  void now.value;
  const { asked, ticket } = invited;
  const left = secondsUntil(ticket.expires_at, serverNowMs());
  const term = TERMS.find(([minutes]) => minutes === asked.minutes)?.[1] ?? t`${asked.minutes} minutes`;
  return (
    <>
      <ShownOnce label={t`Link`} text={ticket.url} />
      <p>
        {t`On ${desktopName} whoever opens it first may ${GUEST_ROLES[asked.role].can}, for ${term},`}
        {asked.view_only ? t` without mouse and keyboard.` : t` with mouse and keyboard.`}
        {t` Nothing else here is open to them.`}
      </p>
      <p class={`invite-left tone-${left > 0 ? "busy" : "warn"}`} role="status">
        <span class="dot" aria-hidden="true" />
        <span>
          {left > 0
            ? t`It works once, and within a minute: send it now.`
            : t`The minute is over: if nobody opened it, it is void.`}
        </span>
        {left > 0 && <span aria-hidden="true">{t`${left} s left`}</span>}
      </p>
      <p class="muted">
        {t`The visit also ends when they sign out, and when your own token is revoked or expires.`}
      </p>
    </>
  );
}

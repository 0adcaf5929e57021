import type { DesktopInfo } from "../../api/api.ts";
import { rich, t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import { appState, may } from "../shell/session.ts";

/** Whether what happens on each desktop is kept. */
export function RecordStep() {
  const desktops = appState.value.desktops.filter(({ protocol }) => protocol !== "replay");
  return (
    <section aria-labelledby="step-record">
      <h2 id="step-record">{t`Record what happens`}</h2>
      <p class="muted">
        {rich`Optional: pictures, actions and questions are kept and can be played again. With ${<code>recording.policy: always</code>} every desktop is recorded from its first picture on.`}
      </p>
      {desktops.length > 0 && (
        <ul class="rows">
          {desktops.map((desktop) => (
            <RecordRow key={desktop.id} desktop={desktop} />
          ))}
        </ul>
      )}
    </section>
  );
}

function RecordRow({ desktop: { id, name, recording_id } }: { readonly desktop: DesktopInfo }) {
  return (
    <li class="row">
      <span>{name}</span>
      {may("control") ? (
        <button
          type="button"
          class="button"
          onClick={() =>
            recording_id === null
              ? attempt(t`Could not record`, api.startRecording(id))
              : attempt(t`Could not stop the recording`, api.stopRecording(recording_id))
          }
        >
          {recording_id === null ? t`Record` : t`Stop recording`}
          <span class="visually-hidden"> {name}</span>
        </button>
      ) : (
        <span class="muted">{recording_id === null ? t`not recorded` : t`recorded`}</span>
      )}
    </li>
  );
}

import type { Signal } from "@preact/signals";
import { SECURITY_NAMES } from "../../../protocols/rfb/security/policy.ts";
import { t } from "../language/language.ts";
import type { InitialForm } from "./connection-form.ts";
import { FILES, GRAPHICS, KEYBOARD_OPTIONS, screensIn } from "./rdp-form.ts";
import { SecretField } from "./secret-field.tsx";
import { headersIn, PICTURES, TRANSPORT_LABELS, transportNamed } from "./transport-choice.ts";
import "../styles/more-fields.css";

/** The fields of the dialog that few need, by protocol: how to get there, what to ask for, and whom to believe. */
export function MoreFields({
  protocol,
  transport: chosen,
  initial,
}: {
  readonly protocol: keyof typeof TRANSPORT_LABELS | "rdp";
  readonly transport: Signal<string>;
  readonly initial: InitialForm;
}) {
  return (
    <details
      class="more-fields"
      onInvalidCapture={(event) => {
        event.currentTarget.open = true; // what is to be mended must be seen
      }}
    >
      <summary>{protocol === "rdp" ? t`Screens, keyboard and security` : t`Connection and security`}</summary>
      {protocol === "rdp" ? (
        <RdpFields values={initial.values} />
      ) : (
        <Way protocol={protocol} chosen={chosen} initial={initial} />
      )}
      <label class="field">
        <span>{t`SHA-256 fingerprint (optional)`}</span>
        <input
          name="fingerprint"
          defaultValue={initial.values["fingerprint"] ?? ""}
          maxLength={95}
          pattern="(?:[0-9A-Fa-f]{2}:?){32}"
          title={t`64 hex digits, with or without colons`}
          placeholder={t`Of its certificate or key: no other is believed`}
          spellcheck={false}
        />
      </label>
      <label class="field">
        <span>{t`Seconds until kept awake (optional)`}</span>
        <input
          name="keep_awake_s"
          type="number"
          min={5}
          max={3600}
          defaultValue={initial.values["keep_awake_s"] ?? ""}
          placeholder={t`Never: it may lock or blank`}
        />
      </label>
    </details>
  );
}

function Way({
  protocol,
  chosen,
  initial: { values, kept },
}: {
  readonly protocol: keyof typeof TRANSPORT_LABELS;
  readonly chosen: Signal<string>;
  readonly initial: InitialForm;
}) {
  const transport = transportNamed(chosen.value);
  const isWeb = protocol === "vnc" && (transport === "ws" || transport === "wss");
  return (
    <>
      <label class="field">
        <span>{t`How to get there`}</span>
        <select
          name="transport"
          value={chosen.value}
          onChange={(event) => {
            chosen.value = event.currentTarget.value;
          }}
        >
          {Object.entries(TRANSPORT_LABELS[protocol]).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {(isWeb || transport === "unix") && (
        <SecretField
          key={isWeb ? "web" : "socket"} // the path of one is none of the other
          name="path"
          label={isWeb ? t`Path (optional)` : t`Path of the socket`}
          kept={isWeb ? kept : []} // only the path of a web server is a secret
          placeholder={isWeb ? "/websockify" : "/run/desk.sock"}
          control={(state) => (
            <input
              name="path"
              defaultValue={isWeb === (values["transport"] !== "unix") ? (values["path"] ?? "") : ""}
              required={!isWeb}
              maxLength={isWeb ? 2048 : 107}
              spellcheck={false}
              {...state}
            />
          )}
        />
      )}
      {transport === "repeater" && (
        <label class="field">
          <span>{t`ID at the repeater`}</span>
          <input
            name="repeater_id"
            defaultValue={values["repeater_id"] ?? ""}
            required
            maxLength={240}
            placeholder="1234"
            spellcheck={false}
          />
        </label>
      )}
      {transport === "reverse" && (
        <p class="muted">
          {t`This server listens on the host and port above, or 127.0.0.1:5500, until the desktop connects.`}
        </p>
      )}
      {isWeb && (
        <>
          <div class="field-pair">
            <label class="field">
              <span>{t`User of the web server`}</span>
              <input
                name="http_username"
                defaultValue={values["http_username"] ?? ""}
                maxLength={1024}
                autocomplete="off"
                spellcheck={false}
              />
            </label>
            <SecretField
              name="http_password"
              label={t`Its password`}
              kept={kept}
              control={(state) => (
                <input
                  name="http_password"
                  type="password"
                  maxLength={1024}
                  autocomplete="new-password"
                  spellcheck={false}
                  {...state}
                />
              )}
            />
          </div>
          <SecretField
            name="http_headers"
            label={t`More headers of the request (optional)`}
            kept={kept}
            placeholder="X-Forwarded-User: ada"
            control={(state) => (
              <textarea
                name="http_headers"
                rows={2}
                maxLength={8192}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => {
                  const isRead = headersIn(event.currentTarget.value) !== null;
                  event.currentTarget.setCustomValidity(
                    isRead ? "" : t`Write a header a line, such as Name: value`,
                  );
                }}
                {...state}
              />
            )}
          />
        </>
      )}
      {protocol === "vnc" && (
        <>
          <Choice
            label={t`Picture encoding`}
            name="encoding"
            options={Object.entries(PICTURES)}
            value={values["encoding"]}
          />
          <Choice
            label={t`Sign in by`}
            name="security"
            options={[
              ["", t`Best on offer`],
              ...SECURITY_NAMES.map((name) => [name, t`${name} only`] as const),
            ]}
            value={values["security"]}
          />
        </>
      )}
    </>
  );
}

function RdpFields({ values }: Pick<InitialForm, "values">) {
  return (
    <>
      <p class="muted">
        {t`Of several screens the first one is the primary. The host decides what it gives.`}
      </p>
      <label class="field">
        <span>{t`Screens to ask for (optional)`}</span>
        <input
          name="rdp_screens"
          defaultValue={values["rdp_screens"] ?? ""}
          maxLength={400}
          placeholder={t`1280x800, or 1280x800+0+0, 1024x768+1280+0`}
          autocomplete="off"
          onInput={(event) => {
            const isRead = screensIn(event.currentTarget.value) !== null;
            event.currentTarget.setCustomValidity(
              isRead
                ? ""
                : t`Write a size such as 1280x800, or places such as 1280x800+0+0, 1024x768+1280+0; sides of 200 to 8192`,
            );
          }}
          spellcheck={false}
        />
      </label>
      <Choice
        label={t`Keyboard of the host`}
        name="rdp_keyboard"
        options={KEYBOARD_OPTIONS}
        value={values["rdp_keyboard"]}
      />
      <Choice
        label={t`Pictures`}
        name="rdp_graphics"
        options={Object.entries(GRAPHICS)}
        value={values["rdp_graphics"]}
      />
      <Choice
        label={t`Sign in`}
        name="rdp_nla"
        options={[
          ["", t`As the host has it`],
          ["on", t`Only before a session begins (NLA)`],
        ]}
        value={values["rdp_nla"]}
      />
      <Choice label={t`Files`} name="files" options={FILES} value={values["files"]} />
      <input type="hidden" name="rdp_depth" value={values["rdp_depth"] ?? ""} />
    </>
  );
}

/** Of a browser of ours; what the form has no field for stays as it is. */
export function BrowserFields({
  values,
  isOurs,
}: Pick<InitialForm, "values"> & { readonly isOurs: boolean }) {
  return (
    <>
      {isOurs && (
        <>
          <label class="field">
            <span>{t`First page (optional)`}</span>
            <input
              name="page"
              type="url"
              defaultValue={values["page"] ?? ""}
              maxLength={2048}
              placeholder="https://example.org"
            />
          </label>
          <label class="field">
            <span>{t`Profile (optional)`}</span>
            <input
              name="profile"
              defaultValue={values["profile"] ?? ""}
              pattern="[a-z0-9][a-z0-9\-]{0,39}"
              placeholder={t`Keeps sign-ins under this name`}
              spellcheck={false}
            />
          </label>
          <Choice
            label={t`Where its pages lead`}
            name="networks"
            options={[
              ["", t`The internet`],
              ["all", t`This server and its networks, too`],
            ]}
            value={values["networks"]}
          />
        </>
      )}
      <input type="hidden" name="browser_rest" value={values["browser_rest"]} />
      <input type="hidden" name="keep_awake_s" value={values["keep_awake_s"]} />
    </>
  );
}

/** A value that is none of the options, said elsewhere than here, is one more of them: it stays unless it is changed. */
function Choice({
  label,
  name,
  options,
  value = "",
}: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [string, string])[];
  readonly value: string | undefined;
}) {
  const isKnown = value === "" || options.some(([known]) => known === value);
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        {[...options, ...(isKnown ? [] : [[value, value] as const])].map(([key, words]) => (
          <option key={key} value={key} selected={key === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

import type { Signal } from "@preact/signals";
import { SECURITY_NAMES } from "../../../protocols/rfb/security/policy.ts";
import { headersIn, PICTURES, transportNamed, WAYS } from "./transport-choice.ts";
import "../styles/connection-way.css";

/** The fields of the add dialog that few need: how to get there, how to sign in, and whom to believe. */
export function ConnectionWay({
  protocol,
  transport: chosen,
}: {
  readonly protocol: keyof typeof WAYS;
  readonly transport: Signal<string>;
}) {
  const transport = transportNamed(chosen.value);
  const isWeb = protocol === "vnc" && (transport === "ws" || transport === "wss");
  return (
    <details
      class="connection-way"
      onInvalidCapture={(event) => {
        event.currentTarget.open = true; // what is to be mended must be seen
      }}
    >
      <summary>Way and security</summary>
      <label class="field">
        <span>How to get there</span>
        <select
          name="transport"
          value={chosen.value}
          onChange={(event) => {
            chosen.value = event.currentTarget.value;
          }}
        >
          {Object.entries(WAYS[protocol]).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {(isWeb || transport === "unix") && (
        <label class="field">
          <span>{isWeb ? "Path (optional)" : "Path of the socket"}</span>
          <input
            name="path"
            required={!isWeb}
            maxLength={isWeb ? 2048 : 107}
            placeholder={isWeb ? "/websockify" : "/run/desk.sock"}
            spellcheck={false}
          />
        </label>
      )}
      {transport === "repeater" && (
        <label class="field">
          <span>ID at the repeater</span>
          <input name="repeater_id" required maxLength={240} placeholder="1234" spellcheck={false} />
        </label>
      )}
      {transport === "reverse" && (
        <p class="muted">
          This server listens on the host and port above, or 127.0.0.1:5500, until the desktop connects.
        </p>
      )}
      {isWeb && (
        <div class="field-pair">
          <label class="field">
            <span>User of the web server</span>
            <input name="http_username" maxLength={1024} autocomplete="off" spellcheck={false} />
          </label>
          <label class="field">
            <span>Its password</span>
            <input name="http_password" type="password" maxLength={1024} autocomplete="new-password" />
          </label>
        </div>
      )}
      {isWeb && (
        <label class="field">
          <span>More headers of the request (optional)</span>
          <textarea
            name="http_headers"
            rows={2}
            maxLength={8192}
            placeholder="X-Forwarded-User: ada"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              const isRead = headersIn(event.currentTarget.value) !== null;
              event.currentTarget.setCustomValidity(
                isRead ? "" : "Write a header a line, such as Name: value",
              );
            }}
          />
        </label>
      )}
      {protocol === "vnc" && (
        <label class="field">
          <span>Ask for pictures by</span>
          <select name="encoding">
            {Object.entries(PICTURES).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      {protocol === "vnc" && (
        <label class="field">
          <span>Sign in by</span>
          <select name="security">
            <option value="">The best that it offers</option>
            {SECURITY_NAMES.map((name) => (
              <option key={name} value={name}>
                {name} only
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        <span>SHA-256 fingerprint (optional)</span>
        <input
          name="fingerprint"
          maxLength={95}
          pattern="(?:[0-9A-Fa-f]{2}:?){32}"
          title="64 hex digits, with or without colons"
          placeholder="Of its certificate or key: no other is believed"
          spellcheck={false}
        />
      </label>
    </details>
  );
}

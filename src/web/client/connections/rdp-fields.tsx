import { GRAPHICS, KEYBOARDS, screensIn } from "./rdp-form.ts";
import "../styles/connection-way.css";

/** The fields of the add dialog that an RDP host has beside name and password. */
export function RdpFields() {
  return (
    <details
      class="connection-way"
      onInvalidCapture={(event) => {
        event.currentTarget.open = true; // what is to be mended must be seen
      }}
    >
      <summary>Screens, keyboard and security</summary>
      <p class="muted">Of several screens the first one is the primary. The host decides what it gives.</p>
      <label class="field">
        <span>Screens to ask for (optional)</span>
        <input
          name="rdp_screens"
          maxLength={400}
          placeholder="1280x800, or 1280x800+0+0, 1024x768+1280+0"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            const isRead = screensIn(event.currentTarget.value) !== null;
            event.currentTarget.setCustomValidity(
              isRead
                ? ""
                : "Write a size such as 1280x800, or places such as 1280x800+0+0, 1024x768+1280+0; sides of 200 to 8192",
            );
          }}
        />
      </label>
      <label class="field">
        <span>Keyboard of the host</span>
        <select name="rdp_keyboard">
          {KEYBOARDS.map(([number, words]) => (
            <option key={number} value={number}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Ask for pictures by</span>
        <select name="rdp_graphics">
          {Object.entries(GRAPHICS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Sign in</span>
        <select name="rdp_nla">
          <option value="">As the host has it</option>
          <option value="on">Only before a session begins (NLA)</option>
        </select>
      </label>
      <label class="field">
        <span>SHA-256 fingerprint (optional)</span>
        <input
          name="fingerprint"
          maxLength={95}
          pattern="(?:[0-9A-Fa-f]{2}:?){32}"
          title="64 hex digits, with or without colons"
          placeholder="Of its certificate: no other is believed"
          spellcheck={false}
        />
      </label>
    </details>
  );
}

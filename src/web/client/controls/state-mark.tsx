import type { DesktopInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { serverNowMs } from "../shell/api-client.ts";
import { stateReason, stateWords, TONE_OF_STATE } from "../shell/labels.ts";
import { isOnline, now } from "../shell/session.ts";

/** A dot and the words for what a desktop is doing, as far as the server can be heard. */
export function StateMark({ desktop }: { readonly desktop: DesktopInfo }) {
  // Ages and countdowns in the words grow with the second.
  void now.value;
  if (!isOnline.value) {
    return (
      <span class="state-mark tone-warn" title={t`What is shown is what was known last`}>
        <span class="dot" aria-hidden="true" />
        <span class="state-words">{t`Connection lost`}</span>
      </span>
    );
  }
  const tone = desktop.is_stopped ? "warn" : TONE_OF_STATE[desktop.state.kind];
  return (
    <span class={`state-mark tone-${tone}`} title={stateReason(desktop.state) ?? undefined}>
      <span class="dot" aria-hidden="true" />
      <span class="state-words">
        {desktop.protocol === "replay" && desktop.state.kind === "live"
          ? t`Replay`
          : stateWords(desktop.state, serverNowMs())}
        {desktop.is_stopped && t`, agents stopped`}
      </span>
    </span>
  );
}

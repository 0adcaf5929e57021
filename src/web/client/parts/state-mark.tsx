import type { DesktopInfo } from "../../api.ts";
import { serverNowMs } from "../api-client.ts";
import { now } from "../session.ts";
import { stateWords, TONE_OF_STATE } from "../words.ts";

/** A dot and the words for what a desktop is doing. */
export function StateMark({ desktop }: { readonly desktop: DesktopInfo }) {
  // Ages and countdowns in the words grow with the second.
  void now.value;
  const tone = desktop.is_stopped ? "warn" : TONE_OF_STATE[desktop.state.kind];
  return (
    <span class={`state-mark tone-${tone}`} title={desktop.state.text}>
      <span class="dot" aria-hidden="true" />
      <span class="state-words">
        {stateWords(desktop.state, serverNowMs())}
        {desktop.is_stopped && ", agents stopped"}
      </span>
    </span>
  );
}

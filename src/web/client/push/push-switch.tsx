import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language/language.ts";
import "../styles/push.css";
import { api } from "../shell/api-client.ts";
import { showError } from "../shell/notices.ts";
import { me } from "../shell/session.ts";
import { type PushState, pushState, renew, turnOff, turnOn } from "./push-subscription.ts";

/** Whether this browser is told when the page is closed; nothing where the server tells nobody, or the browser cannot. */
export function PushSwitch() {
  const key = useSignal<string | null>(null);
  const state = useSignal<PushState>("unable");
  const isBusy = useSignal(false);
  const isGuest = me.value === null || me.value.id.startsWith("guest:");
  useEffect(() => {
    if (isGuest) return;
    const look = async (): Promise<void> => {
      const { public_key } = await api.push();
      if (public_key !== null) await renew(public_key);
      state.value = await pushState();
      key.value = public_key;
    };
    // Then there is no switch, and the page says otherwise what is wrong.
    look().catch(() => undefined);
  }, [isGuest]);
  const publicKey = key.value;
  if (publicKey === null || state.value === "unable") return null;
  const isOn = state.value === "on";
  const change = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await (isOn ? turnOff() : turnOn(publicKey));
    } catch (error) {
      showError(
        isOn ? t`Notifications could not be turned off` : t`Notifications could not be turned on`,
        error,
      );
    } finally {
      state.value = await pushState();
      isBusy.value = false;
    }
  };
  return (
    <div class="push-switch">
      {state.value === "denied" ? (
        <p class="muted">
          {t`This browser refuses notifications of this page; its settings for this site change that.`}
        </p>
      ) : (
        <>
          <button type="button" class="button" aria-pressed={isOn} disabled={isBusy.value} onClick={change}>
            {isOn ? t`Stop notifying this browser` : t`Notify this browser`}
          </button>
          <p class="muted">
            {isOn
              ? t`It is told that an agent asks, also while this page is closed: which desktop, what kind, who.`
              : t`When an agent asks and this page is closed.`}
          </p>
        </>
      )}
    </div>
  );
}

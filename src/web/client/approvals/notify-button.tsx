import { useSignal } from "@preact/signals";
import { t } from "../language/language.ts";

/** Offers to tell of questions while another window has the screen, as long as the browser has not been asked. */
export function NotifyButton() {
  const permission = useSignal("Notification" in window ? Notification.permission : "denied");
  if (permission.value !== "default") return null;
  return (
    <button
      type="button"
      class="link-button"
      onClick={() =>
        Notification.requestPermission().then((answer) => {
          permission.value = answer;
        })
      }
    >
      {t`Notify me when this window is not in front`}
    </button>
  );
}

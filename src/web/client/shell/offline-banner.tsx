import { t } from "../language/language.ts";
import { isOnline } from "./session.ts";

/** Says that what is shown may be old. */
export function OfflineBanner() {
  return (
    <div role="status">
      {!isOnline.value && (
        <p class="offline">
          {t`The connection to the server is lost. Trying again; what you see may be old.`}
        </p>
      )}
    </div>
  );
}

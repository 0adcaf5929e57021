import { isOnline } from "./session.ts";

/** Says that what is shown may be old. */
export function OfflineBanner() {
  return (
    <div role="status">
      {!isOnline.value && (
        <p class="offline">The connection to the server is lost. Trying again; what you see may be old.</p>
      )}
    </div>
  );
}

import type { DesktopInfo } from "../../api.ts";
import { serverNowMs } from "../api-client.ts";
import { copyText } from "../notices.ts";
import { now } from "../session.ts";
import type { ViewerStatus } from "../viewer/viewer.ts";
import { sentence, stateWords } from "../words.ts";

export interface StageBannerProps {
  readonly desktop: DesktopInfo;
  readonly status: ViewerStatus;
  readonly mayControl: boolean;
  readonly onRetry: () => void;
}

/** Why the picture does not move, what happens next, and what one can do: over the greyed last picture. */
export function StageBanner({ desktop, status, mayControl, onRetry }: StageBannerProps) {
  void now.value;
  const words = bannerWords(desktop, status);
  const { state } = desktop;
  return (
    <div class="stage-banner" role="status">
      {words && (
        <div class="card stage-card">
          <h2>{words.title}</h2>
          {words.text !== words.title && <p>{words.text}</p>}
          <div class="stage-tools">
            <button
              type="button"
              class="button button-primary"
              disabled={!mayControl && !words.isOurs}
              onClick={onRetry}
            >
              Try now
            </button>
            <button
              type="button"
              class="button"
              onClick={() =>
                copyText(`${desktop.name}: ${state.code ?? state.kind}: ${words.text}`, "Details copied")
              }
            >
              Copy details
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

interface BannerWords {
  readonly title: string;
  readonly text: string;
  /** True where this page's own connection is lost, not the desktop's. */
  readonly isOurs: boolean;
}

/** null while all is well, and for the first moment of connecting. */
function bannerWords(desktop: DesktopInfo, status: ViewerStatus): BannerWords | null {
  const { state } = desktop;
  if (state.kind !== "live") {
    return { title: stateWords(state, serverNowMs()), text: state.text, isOurs: false };
  }
  if (status.kind !== "lost") return null;
  const seconds = Math.max(0, Math.ceil((status.retryAtMs - Date.now()) / 1000));
  return {
    title: seconds === 0 ? "Reconnecting…" : `Reconnecting in ${seconds} s`,
    text: status.reason === "" ? "The connection to the server was lost." : sentence(status.reason),
    isOurs: true,
  };
}

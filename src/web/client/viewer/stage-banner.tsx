import type { DesktopInfo } from "../../api/api.ts";
import { lazy } from "../controls/lazy.tsx";
import { t } from "../language/language.ts";
import { serverNowMs } from "../shell/api-client.ts";
import { nextStepWords, sentence, stateReason, stateWords } from "../shell/labels.ts";
import { copyText } from "../shell/notices.ts";
import { may, now } from "../shell/session.ts";
import { laterParts } from "./later/later-parts.ts";
import type { ViewerStatus } from "./viewer.ts";

const PasswordCard = lazy(async () => (await laterParts()).PasswordCard);
const IdentityCard = lazy(async () => (await laterParts()).IdentityCard);

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
  if (state.code === "cert_mismatch") {
    return (
      <div class="stage-banner" role="status">
        <IdentityCard desktop={desktop} />
      </div>
    );
  }
  if ((state.code === "auth_failed" || state.code === "password_required") && may("connections")) {
    return (
      <div class="stage-banner">
        <PasswordCard desktop={desktop} />
      </div>
    );
  }
  return (
    <div class="stage-banner">
      {/* Said once: the seconds in the card would be read out one by one. */}
      <p class="visually-hidden" role="status">
        {words && `${words.isOurs ? t`Connection lost` : STATE_WORDS[state.kind]}. ${words.text ?? ""}`}
      </p>
      {words && (
        <div class="card stage-card">
          <h2>{words.title}</h2>
          {words.text !== null && <p>{words.text}</p>}
          {words.next !== null && <p class="muted">{words.next}</p>}
          <div class="stage-tools">
            {/* While the picture is coming, trying anew would throw away what is there. */}
            {state.received_percent === null && (
              <button
                type="button"
                class="button button-primary"
                disabled={!mayControl && !words.isOurs}
                onClick={onRetry}
              >
                {t`Try now`}
              </button>
            )}
            <button
              type="button"
              class="button"
              onClick={() =>
                copyText(
                  `${desktop.name}: ${state.code ?? state.kind}: ${words.isOurs ? words.text : state.text}`,
                  t`Details copied`,
                )
              }
            >
              {t`Copy details`}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

const STATE_WORDS = {
  connecting: t`Connecting`,
  live: t`Live`,
  stalled: t`Stalled`,
  reconnecting: t`Reconnecting`,
  failed: t`Not connected`,
  closed: t`Closed`,
} as const satisfies Record<DesktopInfo["state"]["kind"], string>;

interface BannerWords {
  readonly title: string;
  readonly text: string | null;
  /** What to do, where the text does not say it. */
  readonly next: string | null;
  /** True where this page's own connection is lost, not the desktop's. */
  readonly isOurs: boolean;
}

/** null while all is well, and for the first moment of connecting. */
function bannerWords(desktop: DesktopInfo, status: ViewerStatus): BannerWords | null {
  const { state } = desktop;
  if (state.kind !== "live") {
    const next = nextStepWords(state);
    return { title: stateWords(state, serverNowMs()), text: stateReason(state), next, isOurs: false };
  }
  if (status.kind !== "lost") return null;
  const seconds = Math.max(0, Math.ceil((status.retryAtMs - Date.now()) / 1000));
  return {
    title: seconds === 0 ? t`Reconnecting…` : t`Reconnecting in ${seconds} s`,
    text: status.reason === "" ? t`The connection to the server was lost.` : sentence(status.reason),
    next: null,
    isOurs: true,
  };
}

import type { DesktopInfo } from "../../api/api.ts";
import { StateMark } from "../controls/state-mark.tsx";
import { t } from "../language/language.ts";
import { linkWords, originWords, stateReason } from "../shell/labels.ts";
import { copyText } from "../shell/notices.ts";
import { rulesPath } from "../shell/route.ts";
import { MonitorList } from "./monitor-list.tsx";

export interface DesktopDetailsProps {
  readonly desktop: DesktopInfo;
  /** CSS pixels a desktop pixel; null before the first picture. */
  readonly scale: number | null;
}

/** What is known of a desktop, and a window for each of its monitors. */
export function DesktopDetails({ desktop, scale }: DesktopDetailsProps) {
  const facts: readonly (readonly [string, string])[] = [
    [t`From`, originWords(desktop)],
    [t`Connection`, desktop.link === "" ? desktop.protocol.toUpperCase() : linkWords(desktop.link)],
    [t`Size`, desktop.width === 0 ? t`no picture yet` : `${desktop.width} × ${desktop.height}`],
    [t`Shown at`, scale === null ? t`not shown yet` : `${Math.round(scale * 100)} %`],
    [t`Pixels`, desktop.is_exact ? t`exact` : t`may be approximated by the server`],
    [t`Viewers`, String(desktop.viewers)],
    [t`Agents`, desktop.agents.length === 0 ? t`none in the last minute` : desktop.agents.join(", ")],
  ];
  // For who looks for a fault.
  const copied = [...facts, [t`Protocol`, desktop.link], [t`Picture`, t`generation ${desktop.generation}`]];
  const reason = stateReason(desktop.state);
  const { identities } = desktop;
  return (
    <>
      <p class="facts-state">
        <StateMark desktop={desktop} />
      </p>
      {reason !== null && <p class="facts-reason muted">{reason}</p>}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {identities.map(({ sha256, is_configured, is_new }) => (
          <div key={sha256}>
            <dt>{t`Fingerprint`}</dt>
            <dd>
              <code>{sha256}</code>
              <span class="muted">
                {t`SHA-256 of its certificate or key, `}

                {is_configured
                  ? t`as configured.`
                  : is_new
                    ? t`believed when it was first seen.`
                    : t`as before.`}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {desktop.displays.length > 1 && <MonitorList {...desktop} />}
      <div class="facts-tools">
        <a class="button" href={rulesPath(desktop.id)}>
          {t`Rules of custom mode`}
        </a>
        <button
          type="button"
          class="button"
          onClick={() =>
            copyText(copied.map(([name, value]) => `${name}: ${value}`).join("\n"), t`Details copied`)
          }
        >
          {t`Copy details`}
        </button>
      </div>
    </>
  );
}

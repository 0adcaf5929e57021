import type { DesktopInfo } from "../../api/api.ts";
import { StateMark } from "../controls/state-mark.tsx";
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
    ["From", originWords(desktop)],
    ["Connection", desktop.link === "" ? desktop.protocol.toUpperCase() : linkWords(desktop.link)],
    ["Size", desktop.width === 0 ? "no picture yet" : `${desktop.width} × ${desktop.height}`],
    ["Shown at", scale === null ? "not shown yet" : `${Math.round(scale * 100)} %`],
    ["Pixels", desktop.is_exact ? "exact" : "may be approximated by the server"],
    ["Viewers", String(desktop.viewers)],
    ["Agents", desktop.agents.length === 0 ? "none in the last minute" : desktop.agents.join(", ")],
  ];
  // For who looks for a fault.
  const copied = [...facts, ["Protocol", desktop.link], ["Picture", `generation ${desktop.generation}`]];
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
            <dt>Fingerprint</dt>
            <dd>
              <code>{sha256}</code>
              <span class="muted">
                SHA-256 of its certificate or key,{" "}
                {is_configured
                  ? "as configured."
                  : is_new
                    ? "believed when it was first seen."
                    : "as before."}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {desktop.displays.length > 1 && <MonitorList {...desktop} />}
      <div class="facts-tools">
        <a class="button" href={rulesPath(desktop.id)}>
          Rules of custom mode
        </a>
        <button
          type="button"
          class="button"
          onClick={() =>
            copyText(copied.map(([name, value]) => `${name}: ${value}`).join("\n"), "Details copied")
          }
        >
          Copy details
        </button>
      </div>
    </>
  );
}

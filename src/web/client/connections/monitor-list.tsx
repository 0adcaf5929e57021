import type { DesktopInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { attempt } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { queryOfCrop } from "../viewer/crop.ts";

type Monitors = Pick<DesktopInfo, "id" | "displays">;

const addressOf = (id: string, { bounds }: DesktopInfo["displays"][number]): string =>
  viewerPath(id, queryOfCrop({ ...bounds, scale: null }));

/**
 * A window for each monitor of a desktop, on each screen of this computer in turn. What the browser blocks is told: each
 * has a link of its own as well.
 */
async function openOnScreens({ id, displays }: Monitors): Promise<void> {
  const { screens = [] } = (await window.getScreenDetails?.().catch(() => null)) ?? {};
  if (screens.length === 0) throw new Error(t`The browser may not place windows on your screens.`);
  const opened = displays.map((display, index) => {
    const { availLeft, availTop, availWidth, availHeight } = screens[index % screens.length]!;
    const place = `left=${availLeft},top=${availTop},width=${availWidth},height=${availHeight}`;
    return window.open(addressOf(id, display), `${id}-${index}`, `popup,${place}`);
  });
  if (opened.includes(null)) {
    throw new Error(t`The browser blocked a window. Allow this page to open them, or open each by itself.`);
  }
}

/** The monitors of a desktop that has several. */
export function MonitorList({ id, displays }: Monitors) {
  return (
    <>
      <h2>{t`Monitors`}</h2>
      <ul class="rows">
        {displays.map((display) => (
          <li key={display.monitor_index} class="row">
            <span class="row-words">
              <span>
                {t`Monitor ${display.monitor_index + 1}`}
                {display.is_primary && t` (primary)`}
              </span>
              <span class="muted">
                {t`${display.bounds.width} × ${display.bounds.height} at ${display.bounds.x}, ${display.bounds.y}`}
              </span>
            </span>
            <a class="button" target="_blank" href={addressOf(id, display)} rel="noopener">
              {t`Open`}
              <span class="visually-hidden">
                {t` monitor ${display.monitor_index + 1} in its own window`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {"getScreenDetails" in window && (
        <button
          type="button"
          class="button"
          onClick={() => attempt(t`Could not open all of them`, openOnScreens({ id, displays }))}
        >
          {t`Open on all my screens`}
        </button>
      )}
    </>
  );
}

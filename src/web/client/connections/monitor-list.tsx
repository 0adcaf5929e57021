import type { DesktopInfo } from "../../api/api.ts";
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
  if (screens.length === 0) throw new Error("The browser may not place windows on your screens.");
  const opened = displays.map((display, index) => {
    const { availLeft, availTop, availWidth, availHeight } = screens[index % screens.length]!;
    const place = `left=${availLeft},top=${availTop},width=${availWidth},height=${availHeight}`;
    return window.open(addressOf(id, display), `${id}-${index}`, `popup,${place}`);
  });
  if (opened.includes(null)) {
    throw new Error("The browser blocked a window. Allow this page to open them, or open each by itself.");
  }
}

/** The monitors of a desktop that has several. */
export function MonitorList({ id, displays }: Monitors) {
  return (
    <>
      <h2>Monitors</h2>
      <ul class="rows">
        {displays.map((display) => (
          <li key={display.monitor_index} class="row">
            <span class="row-words">
              <span>
                Monitor {display.monitor_index + 1}
                {display.is_primary && " (primary)"}
              </span>
              <span class="muted">
                {display.bounds.width} × {display.bounds.height} at {display.bounds.x}, {display.bounds.y}
              </span>
            </span>
            <a class="button" target="_blank" href={addressOf(id, display)} rel="noopener">
              Open
              <span class="visually-hidden"> monitor {display.monitor_index + 1} in its own window</span>
            </a>
          </li>
        ))}
      </ul>
      {"getScreenDetails" in window && (
        <button
          type="button"
          class="button"
          onClick={() => attempt("Could not open all of them", openOnScreens({ id, displays }))}
        >
          Open on all my screens
        </button>
      )}
    </>
  );
}

import { may } from "../../auth/principal.ts";
import { SHAPES } from "../../compositor/shapes/list.ts";
import { LEAST_INTERVAL_MS } from "../../desktop/events/event-subscriptions.ts";
import { FITS, IMAGE_FORMATS } from "../../desktop/view.ts";
import type { Reader } from "./reader.ts";

/** settings://current: what holds now, for the one who reads it; never a secret. */
export async function settingsOf({ desktops, principal, mcpState }: Reader): Promise<object> {
  // An engine that is gone reads none.
  const languages = await mcpState.languages().catch(() => []);
  return {
    capture: {
      default_format: "png",
      formats: IMAGE_FORMATS,
      fits: FITS,
      include_cursor: false,
      include_overlays: false,
      keeps_on_disk: false,
      keep_ms: mcpState.screenshots.keepMs,
      memory_bytes: mcpState.screenshots.memoryBytes,
      held_bytes: mcpState.screenshots.heldBytes,
      least_interval_ms: LEAST_INTERVAL_MS,
    },
    annotation: {
      default_color: "yellow",
      default_opacity: 0.5,
      kinds: SHAPES.map(({ kind, summary }) => ({ kind, summary })),
    },
    ai: {
      text_recognition: languages.length > 0,
      ocr_languages: languages,
      analysis_providers: mcpState.analysts?.providers ?? [],
      default_provider: mcpState.analysts?.preferred ?? null,
      may_configure_connections: may(principal, "connections"),
    },
    ui: {
      desktops: desktops.all.map((desktop) => ({
        connection_id: desktop.id,
        name: desktop.name,
        state: desktop.state.kind,
        mode: desktop.modeOf(principal.id),
        is_stopped: desktop.isStopped,
      })),
    },
  };
}

import type { WebSocket } from "ws";
import type { SceneEvent } from "../../compositor/scene.ts";
import type { Clock } from "../../platform/clock.ts";
import { JsonSocket } from "../http/json-socket.ts";
import type { WebDesktop, WebDesktops } from "../http/ports.ts";
import type { OverlayMessage } from "./api.ts";
import { overlayRequestSchema } from "./api.ts";
import { overlayInfo } from "./desktop-json.ts";

const GOING_AWAY = 1001;

/** `/ws/overlays`: all overlays at first, after a resize and when asked for, then each change. */
export function followOverlays(
  socket: WebSocket,
  desktop: WebDesktop,
  ports: { readonly desktops: Pick<WebDesktops, "on">; readonly clock: Clock },
): void {
  const json = new JsonSocket(socket);
  const send = (message: OverlayMessage): void => json.send(JSON.stringify(message));
  const sync = (): void =>
    send({
      type: "sync_state",
      desktop_id: desktop.id,
      width: desktop.size.width,
      height: desktop.size.height,
      monitors: desktop.screens.map((screen) => ({ ...screen.rect })),
      overlays: desktop.scene.overlays.map(overlayInfo),
    });
  const stops = [
    desktop.scene.on((event) => {
      for (const message of messagesOf(event, desktop)) send(message);
    }),
    // A resize clamps overlays anew and moves the monitors they stand on.
    desktop.on((event) => {
      if (event.type === "resize") sync();
    }),
    ports.desktops.on((event) => {
      if (event.type === "removed" && event.desktop.id === desktop.id) {
        socket.close(GOING_AWAY, "the desktop was removed");
      }
    }),
  ];
  socket.on("close", () => {
    for (const stop of stops) stop();
  });
  json.onMessage(
    () => ports.clock.nowMs(),
    (message) => {
      const isAsked = overlayRequestSchema.safeParse(message).success;
      if (isAsked) sync();
      return isAsked;
    },
  );
  sync();
}

/** Clearing one owner's leaves the others standing, so only an empty scene is told as cleared. */
function messagesOf(event: SceneEvent, desktop: WebDesktop): readonly OverlayMessage[] {
  const desktop_id = desktop.id;
  switch (event.type) {
    case "created":
      return [{ type: "overlay_created", desktop_id, overlay: overlayInfo(event.overlay) }];
    case "removed":
      return [{ type: "overlay_removed", desktop_id, overlay_id: event.overlay.id }];
    case "cleared":
      return desktop.scene.overlays.length === 0
        ? [{ type: "clear_overlays", desktop_id }]
        : event.overlays.map(({ id }) => ({ type: "overlay_removed", desktop_id, overlay_id: id }));
    case "suspended":
      return [{ type: "clear_overlays", desktop_id }];
    case "resumed":
      return event.overlays.map((overlay) => ({
        type: "overlay_created",
        desktop_id,
        overlay: overlayInfo(overlay),
      }));
    case "painted":
      return [];
  }
}

import type { WebSocket } from "ws";
import type { WebDesktop, WebDesktops } from "../http/ports.ts";

const GOING_AWAY = 1001;

/** Two seconds of sound: who is so far behind hears nothing of what comes until there is room. */
const MAX_WAITING_BYTES = 2 * 44_100 * 4;

/** `/ws/desktops/:id/sound`: what the desktop plays, as it comes. */
export function followSound(socket: WebSocket, desktop: WebDesktop, desktops: Pick<WebDesktops, "on">): void {
  const stops = [
    desktop.sound?.().listen((samples) => {
      if (socket.bufferedAmount <= MAX_WAITING_BYTES) socket.send(samples);
    }),
    desktops.on((event) => {
      if (event.type === "removed" && event.desktop.id === desktop.id) {
        socket.close(GOING_AWAY, "the desktop was removed");
      }
    }),
  ];
  socket.on("close", () => {
    for (const stop of stops) stop?.();
  });
}

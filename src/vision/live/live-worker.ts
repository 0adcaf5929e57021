import { parentPort } from "node:worker_threads";
import { LiveServer } from "./live-server.ts";

/** The entry of the thread that reads the picture of one desktop as it changes. */
if (parentPort !== null) {
  const port = parentPort;
  const timer = { after: (delayMs: number, call: () => void) => setTimeout(call, delayMs) };
  const server = new LiveServer((message) => port.postMessage(message), timer);
  port.on("message", (message) => server.take(message));
}

import { parentPort } from "node:worker_threads";
import { TextServer } from "./text-server.ts";

/** The entry of the thread that keeps one desktop's text. */
if (parentPort !== null) {
  const port = parentPort;
  const server = new TextServer((message) => port.postMessage(message));
  port.on("message", (message) => server.take(message));
}

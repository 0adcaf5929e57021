import { parentPort } from "node:worker_threads";
import { LinkThread } from "./link-worker-thread.ts";

/** The entry of a thread that holds one link. */
if (parentPort !== null) new LinkThread(parentPort).start();

import { parentPort } from "node:worker_threads";
import { ScribeThread } from "./encoder-thread.ts";

/** The entry of the thread that all recordings share. */
if (parentPort !== null) new ScribeThread(parentPort).start();

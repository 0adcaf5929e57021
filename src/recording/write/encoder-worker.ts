import { parentPort } from "node:worker_threads";
import { EncoderThread } from "./encoder-thread.ts";

/** The entry of the thread that all recordings share. */
if (parentPort !== null) new EncoderThread(parentPort).start();

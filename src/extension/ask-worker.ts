import type { BridgeState, Reply, Request } from "./state.ts";

/** Asks the worker to do something; resolves with the state after it. Rejects with words for a person. */
export async function askWorker(request: Request): Promise<BridgeState> {
  const reply: Reply | undefined = await chrome.runtime.sendMessage(request);
  if (reply === undefined)
    throw new Error("the extension did not answer: reload it on the browser's page of extensions");
  if ("error" in reply) throw new Error(reply.error);
  return reply.state;
}

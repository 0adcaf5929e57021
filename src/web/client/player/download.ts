import { get } from "./recording-address.ts";

/**
 * Lets the browser save what is at an address, once the server has begun to make it: a browser says of a download only
 * that it failed. Rejects with ApiError, in the server's words.
 */
export async function download(address: string): Promise<void> {
  const begun = new AbortController();
  await get(address, begun.signal);
  // Made anew for the browser, which writes it to the disk while it comes.
  begun.abort();
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

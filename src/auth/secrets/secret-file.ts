import { RefusedError } from "../../desktop/error.ts";

const MOST_FILE_BYTES = 4096;

/**
 * A secret that stands in a file or comes by a pipe, its last line end left out; `what`: its name, for the error. Throws
 * RefusedError invalid_parameters.
 */
export async function readSecretText(what: string, source: AsyncIterable<unknown>): Promise<string> {
  return (await readSecretBytes(what, source)).toString("utf8");
}

/** The same as UTF-8, in memory of its own, of which no other copy is left. */
export async function readSecretBytes(what: string, source: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      length += bytes.length;
      if (length > MOST_FILE_BYTES) break;
      chunks.push(bytes);
    }
  } catch (cause) {
    throw new RefusedError(
      "invalid_parameters",
      `${what} cannot be read: check that it exists and may be read`,
      {
        cause,
      },
    );
  }
  if (length > MOST_FILE_BYTES) {
    throw new RefusedError(
      "invalid_parameters",
      `${what} is longer than ${MOST_FILE_BYTES} bytes, expected one secret alone in it`,
    );
  }
  // Not of Node's pool, whose other parts others use.
  const all = Buffer.from(new Uint8Array(length).buffer);
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(all, at);
    chunk.fill(0);
  }
  let end = all.length;
  if (all[end - 1] === 0x0a) end -= all[end - 2] === 0x0d ? 2 : 1;
  return all.subarray(0, end);
}

import type { IncomingMessage } from "node:http";

/** The whole body of an answer. Rejects where it is longer, or ends early. */
export async function readAnswer(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

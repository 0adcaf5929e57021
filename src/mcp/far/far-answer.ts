import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import * as z from "zod";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import { readAnswer } from "../../platform/read-answer.ts";

/** Pictures come as base64, a dozen of them at most. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** A message that only says that something changed has less. */
const MOST_EVENT_CHARS = 64 * 1024;

const answered = z.object({ result: z.unknown() });
const refused = z.object({ error: z.object({ message: z.string() }) });
const message = z.looseObject({ method: z.string() });

/** The methods of what an event stream of MCP tells, one by one, until it ends. Rejects where it breaks off or tells what is no message. */
export async function* methodsOf(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of response) {
    const events = (rest + decoder.write(Buffer.from(chunk))).split("\n\n");
    rest = events.pop() ?? "";
    if (rest.length > MOST_EVENT_CHARS)
      throw new Error(`an event has more than ${MOST_EVENT_CHARS} characters`);
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data:"));
      // What has no data keeps the connection alive.
      if (data.length === 0) continue;
      const { data: told } = message.safeParse(JSON.parse(data.map((line) => line.slice(5)).join("\n")));
      if (told !== undefined) yield told.method;
    }
  }
}

/** Throws RefusedError where the node refuses it; rejects where it is no answer, or not whole. */
export async function resultOf(response: IncomingMessage, { name }: NodeRecord): Promise<unknown> {
  const body: unknown = JSON.parse((await readAnswer(response, MOST_ANSWER_BYTES)).toString("utf8"));
  const { data } = refused.safeParse(body);
  if (data !== undefined)
    throw new RefusedError("not_supported", `${name} refuses it: ${data.error.message}`);
  return answered.parse(body).result;
}

/** Throws RefusedError where another version of this server answers otherwise. */
export function understood<T>(schema: z.ZodType<T>, value: unknown, { name, address }: NodeRecord): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RefusedError(
    "node_unreachable",
    `${name} answered in a way that this version does not know: look what was done before you try again`,
    { cause: parsed.error, heldBy: { node: name, address } },
  );
}

import type { IncomingMessage } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { RefusedError } from "../../desktop/error.ts";
import { PictureScheduler } from "../../desktop/picture/picture-scheduler.ts";
import { loopTurns } from "../../platform/loop-turns.ts";
import { TOOLS } from "../tools/list.ts";
import { calledTool } from "./envelope.ts";
import { faultHttp, givenBody, MAX_BODY_BYTES, readBody, tooMany } from "./http.ts";
import { TRANSPORT_ERROR } from "./json-rpc.ts";

/** Calls for pictures of one principal that are served at a time, and that wait; several agents may share a token. */
const PICTURE_LIMITS = { mostAtOnce: 16, mostWaiting: 500 };

/** What a POST carried, or why it is refused. */
export type Arrival =
  | { readonly message: object; readonly refusal: null; readonly leave: () => void }
  | { readonly message: null; readonly refusal: Response };

/** Reads what is posted, whichever the transport, and has each principal wait for their turns. */
export class Arrivals {
  /** A call for a picture has its turn until its answer is written: who does not read holds a few of their own. */
  readonly #pictures = new PictureScheduler(PICTURE_LIMITS);
  /**
   * Reading a call and beginning it takes about a millisecond, and hundreds may arrive in one turn of the loop: of each
   * principal one waits for a turn of its own, the others behind it.
   */
  readonly #arrivals = new PictureScheduler({ mostAtOnce: 1, mostWaiting: Number.POSITIVE_INFINITY });

  /** `body` as `Mcp.handle` has it. Call `leave` when the answer is written: where it is a picture, that ends its turn. */
  async take(
    req: IncomingMessage,
    body: unknown,
    principalId: string,
    signal: AbortSignal,
  ): Promise<Arrival> {
    if (!isJsonContentType(req.headers["content-type"] ?? null)) {
      return refused(415, "Unsupported Media Type: Content-Type must be application/json");
    }
    const raw = body === undefined ? await readBody(req) : body;
    if (raw === null) {
      // What was not read of it would be taken for the next request.
      const headers = { connection: "close" };
      return refused(413, `Payload Too Large: expected at most ${MAX_BODY_BYTES} bytes`, headers);
    }
    try {
      await this.#arrivals.run(principalId, signal, async () => await loopTurns.claim());
    } catch (error) {
      if (!signal.aborted) throw error;
      return { message: null, refusal: tooMany("the caller went away") };
    }
    const { value: message, fault } = givenBody(raw);
    if (fault !== null) return { message: null, refusal: faultHttp(400, fault) };
    if (!asksForPicture(message)) return { message, refusal: null, leave: () => {} };
    try {
      return { message, refusal: null, leave: await this.#pictures.enter(principalId, signal) };
    } catch (error) {
      if (!(error instanceof RefusedError) && !signal.aborted) throw error;
      const refusal = tooMany(error instanceof Error ? error.message : "the caller went away");
      return { message: null, refusal };
    }
  }
}

function refused(status: number, text: string, headers?: Record<string, string>): Arrival {
  return {
    message: null,
    refusal: faultHttp(status, { code: TRANSPORT_ERROR, message: text, id: null }, headers),
  };
}

/** Whether a message calls a tool whose answer is a picture. */
function asksForPicture(message: object): boolean {
  const called = calledTool(message);
  return TOOLS.find(({ name }) => name === called)?.rate === "screenshot";
}

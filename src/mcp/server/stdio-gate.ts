import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../platform/clock.ts";
import { readToolsets, type Toolset } from "../tool/toolsets.ts";
import { faultResponse, INVALID_REQUEST, type MessageFault, readMessage } from "./json-rpc.ts";

/** A client that closed its end still gets the answers to what it asked, but not for ever: an approval takes 45 s. */
const LAST_ANSWERS_MS = 60_000;

/** One message; a request with 10,000 characters of text is far below. */
export const MAX_LINE_CHARS = 4 * 1024 * 1024;

/** The relay's first line where its client wants a part of the tools. A server that does not know it passes over it. */
const TOOLSETS_METHOD = "notifications/overlay_companion/toolsets";

/** That line, with its line feed. */
export function toolsetsLine(toolsets: readonly Toolset[]): string {
  const params = { toolsets: toolsets.join(",") };
  return `${JSON.stringify({ jsonrpc: "2.0", method: TOOLSETS_METHOD, params })}\n`;
}

/**
 * Lets only well-formed JSON-RPC lines through and answers the others: the SDK's own reader drops them silently,
 * which leaves a client waiting. Memory is bounded by MAX_LINE_CHARS. Its end is held back until the requests
 * that passed are answered, so that `printf … | overlay-companion --stdio` works.
 */
export class StdioGate extends Transform {
  readonly #answer: (line: string) => void;
  readonly #onToolsets: (toolsets: readonly Toolset[] | null) => void;
  readonly #decoder = new StringDecoder("utf8");
  #rest: string[] = [];
  #restLength = 0;
  #isSkipping = false;
  readonly #clock: Clock;
  readonly #pending = new Set<unknown>();
  #onIdle: () => void = () => {};

  /** `answer` writes a line, with its line feed, to the client. `onToolsets`: which tools the client wants. */
  constructor(
    clock: Clock,
    answer: (line: string) => void,
    onToolsets: (toolsets: readonly Toolset[] | null) => void = () => undefined,
  ) {
    super();
    this.#clock = clock;
    this.#answer = answer;
    this.#onToolsets = onToolsets;
  }

  /** Says that the request with this id got its answer. */
  answered(id: unknown): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#onIdle();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const lines = this.#decoder.write(chunk).split("\n");
    lines.forEach((part, i) => {
      this.#keep(part);
      if (i < lines.length - 1) this.#endLine();
    });
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#keep(this.#decoder.end());
    this.#endLine();
    if (this.#pending.size === 0) {
      done();
      return;
    }
    const cancel = this.#clock.after(LAST_ANSWERS_MS, () => this.#onIdle());
    this.#onIdle = () => {
      this.#onIdle = () => {};
      cancel();
      done();
    };
  }

  #keep(part: string): void {
    if (this.#isSkipping) return;
    this.#restLength += part.length;
    if (this.#restLength > MAX_LINE_CHARS) {
      this.#isSkipping = true;
      this.#rest = [];
      const message = `Invalid Request: got a line of more than ${MAX_LINE_CHARS} characters`;
      this.#refuse({ code: INVALID_REQUEST, message, id: null });
    } else this.#rest.push(part);
  }

  #endLine(): void {
    const line = this.#rest.join("").trim();
    const wasSkipped = this.#isSkipping;
    this.#rest = [];
    this.#restLength = 0;
    this.#isSkipping = false;
    if (wasSkipped || line === "") return;
    const { value, fault } = readMessage(line);
    if (fault !== null) {
      this.#refuse(fault);
      return;
    }
    const wanted = wantedToolsets(value);
    if (wanted !== null) {
      this.#onToolsets(wanted);
      return;
    }
    this.#note(value);
    this.push(`${line}\n`);
  }

  #note(message: object): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#pending.add(message.id);
    // A cancelled request gets no answer.
    if (message.method !== "notifications/cancelled" || !("params" in message)) return;
    const { params } = message;
    if (typeof params === "object" && params !== null && "requestId" in params)
      this.answered(params.requestId);
  }

  #refuse(fault: MessageFault): void {
    this.#answer(`${JSON.stringify(faultResponse(fault))}\n`);
  }
}

function wantedToolsets(message: object): readonly Toolset[] | null {
  if (!("method" in message) || message.method !== TOOLSETS_METHOD || !("params" in message)) return null;
  const named: unknown = Object(message.params).toolsets;
  return typeof named === "string" ? readToolsets(named).toolsets : null;
}

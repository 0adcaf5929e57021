import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { json } from "node:stream/consumers";
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import type { Owner } from "../support/program.ts";

/** What a provider was sent. */
export interface SentQuestion {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** null: it never answers. */
  readonly body: object | string | null;
}

/** A provider on this machine that gives one answer to all it is asked. */
export class FakeProvider {
  readonly url: string;
  readonly sent: SentQuestion[] = [];

  private constructor(url: string) {
    this.url = url;
  }

  static async open(owner: Owner, { status = 200, headers = {}, body }: FakeAnswer): Promise<FakeProvider> {
    let provider: FakeProvider | null = null;
    const server = createServer((request, response) => {
      json(request)
        .then((sent) => {
          provider?.sent.push({ path: request.url ?? "", headers: request.headers, body: sent });
          if (body === null) return;
          response.writeHead(status, { "content-type": "application/json", ...headers });
          response.end(typeof body === "string" ? body : JSON.stringify(body));
        })
        .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    owner.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a server without a port");
    provider = new FakeProvider(`http://127.0.0.1:${address.port}`);
    return provider;
  }
}

/** What each answers where all is well, as it publishes it. */
export const ANSWERS = {
  claude: {
    id: "msg_1",
    type: "message",
    container: null,
    diagnostics: null,
    stop_details: null,
    role: "assistant",
    model: "claude-test-1",
    content: [{ type: "text", text: "A form with a button.", citations: null }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 1200,
      output_tokens: 17,
      cache_creation: null,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: "standard",
      speed: null,
    },
  } satisfies Anthropic.Message,
  openai: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-test-1",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "A form with a button.", refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 900, completion_tokens: 12, total_tokens: 912 },
  } satisfies OpenAI.ChatCompletion,
  gemini: {
    candidates: [
      { content: { role: "model", parts: [{ text: "A form with a button." }] }, finishReason: "STOP" },
    ],
    usageMetadata: { promptTokenCount: 300, candidatesTokenCount: 9, totalTokenCount: 309 },
    modelVersion: "gemini-test-1",
  },
  ollama: {
    model: "llava:test",
    created_at: "2026-11-26T00:00:00Z",
    message: { role: "assistant", content: "A form with a button." },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 600,
    eval_count: 11,
  },
};

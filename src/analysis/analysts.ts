import { randomUUID } from "node:crypto";
import { nextTurn } from "../platform/loop-turns.ts";
import {
  type Analysis,
  PROVIDERS,
  type Provider,
  type ProviderSettings,
  type Question,
  type WireFormat,
} from "./analysis.ts";
import { CLAUDE } from "./claude.ts";
import { AnalysisError } from "./error.ts";
import { GEMINI } from "./gemini.ts";
import { OLLAMA } from "./ollama.ts";
import { OPENAI } from "./openai.ts";

const WIRES: Readonly<Record<Provider, WireFormat>> = {
  claude: CLAUDE,
  openai: OPENAI,
  gemini: GEMINI,
  ollama: OLLAMA,
};

/** An answer is a page of text; what is longer is none. */
const LONGEST_ANSWER = 2 ** 20;

export interface AnalystsOptions {
  /** Those that are configured. */
  readonly providers: Readonly<Partial<Record<Provider, ProviderSettings>>>;
  /** Who is asked where nobody is named; null: the first one that is configured. */
  readonly preferred: Provider | null;
  readonly timeoutMs: number;
}

/** Models that say what a picture shows. Each question is one POST to the provider that it is for. */
export class Analysts {
  readonly #options: AnalystsOptions;

  constructor(options: AnalystsOptions) {
    this.#options = options;
  }

  /** Those that are configured, in the order of PROVIDERS. */
  get providers(): readonly Provider[] {
    return PROVIDERS.filter((name) => this.#options.providers[name] !== undefined);
  }

  /** Who is asked where nobody is named; null where none is configured. */
  get preferred(): Provider | null {
    const { preferred } = this.#options;
    return preferred !== null && this.providers.includes(preferred) ? preferred : (this.providers[0] ?? null);
  }

  /** Throws AnalysisError, before a picture is made, where the provider cannot be asked at all. */
  check(provider: Provider): void {
    this.#settingsOf(provider);
  }

  /** What the provider's model says. Rejects with AnalysisError, or with the signal's reason. */
  async ask(
    provider: Provider,
    { prompt, file, mimeType, longestSide }: Question,
    signal: AbortSignal,
  ): Promise<Analysis> {
    const settings = this.#settingsOf(provider);
    const wire = WIRES[provider];
    const letters = lettersOf(file);
    if (letters > wire.mostLetters) {
      throw new AnalysisError(
        "picture_too_large",
        `the picture has ${letters} bytes in base64, ${provider} takes at most ${wire.mostLetters}`,
      );
    }
    if (wire.mostSide !== null && longestSide > wire.mostSide) {
      throw new AnalysisError(
        "picture_too_large",
        `the picture has ${longestSide} pixels on a side, ${provider} takes at most ${wire.mostSide}`,
      );
    }
    const body = await bodyOf((base64) => wire.body(settings, prompt, { base64, mimeType }), file);
    const answer = await this.#post(
      provider,
      wire.url(settings),
      wire.headers(settings.apiKey),
      body,
      signal,
    );
    try {
      return wire.read(JSON.parse(answer), settings);
    } catch (cause) {
      throw new AnalysisError("provider_failed", `${provider} answered what is no answer of its API`, {
        cause,
      });
    }
  }

  #settingsOf(provider: Provider): ProviderSettings {
    const settings = this.#options.providers[provider];
    if (settings === undefined) {
      const there = this.providers.join(", ") || "none";
      throw new AnalysisError(
        "provider_unknown",
        `got provider ${provider}, expected one that is configured: ${there}`,
      );
    }
    if (WIRES[provider].needsKey && settings.apiKey === null) {
      throw new AnalysisError("provider_key_missing", `${provider} wants an API key, and none is configured`);
    }
    return settings;
  }

  /** The text of an answer with status 200. */
  async #post(
    provider: Provider,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<string> {
    const { timeoutMs } = this.#options;
    const timeUp = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...headers },
        body,
        // A redirect would take the key and the picture to who knows where.
        redirect: "manual",
        signal: AbortSignal.any([signal, timeUp]),
      });
      if (response.status === 200) return await textOf(response);
      await response.body?.cancel();
      throw refusal(provider, response);
    } catch (cause) {
      if (cause instanceof AnalysisError) throw cause;
      signal.throwIfAborted();
      if (timeUp.aborted) {
        throw new AnalysisError(
          "provider_timeout",
          `${provider} did not answer within ${timeoutMs / 1000} s`,
          { cause },
        );
      }
      throw new AnalysisError("provider_failed", `${provider} cannot be reached`, { cause });
    }
  }
}

/** Bytes of a picture that are written in one turn of the loop; three make four letters. */
const SLICE = 3 * 2 ** 18;

/** A body as JSON with a picture in it, written in turns of the event loop: at once it would hold it for 20 ms. */
async function bodyOf(
  withPicture: (base64: string) => object,
  file: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const place = randomUUID();
  const [before = "", after = ""] = JSON.stringify(withPicture(place)).split(place);
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  const body = Buffer.alloc(head.length + lettersOf(file) + tail.length);
  head.copy(body);
  let at = head.length;
  for (let from = 0; from < file.length; from += SLICE) {
    const part = file.subarray(from, from + SLICE);
    const letters = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("base64");
    at += body.write(letters, at, "latin1");
    await nextTurn();
  }
  tail.copy(body, at);
  return body;
}

/** How long a file is in base64. */
const lettersOf = (file: Uint8Array): number => 4 * Math.ceil(file.length / 3);

/** Its status alone: what it says may repeat what it was sent. */
function refusal(provider: Provider, { status, headers }: Response): AnalysisError {
  if (status === 401 || status === 403) {
    return new AnalysisError("provider_key_refused", `${provider} refused the API key (status ${status})`);
  }
  if (status === 413) {
    return new AnalysisError(
      "picture_too_large",
      `the picture is larger than ${provider} takes (status 413)`,
    );
  }
  if (status === 429 || status === 503 || status === 529) {
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    return new AnalysisError("provider_busy", `${provider} takes no more calls now (status ${status})`, {
      retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : null,
    });
  }
  return new AnalysisError("provider_failed", `${provider} answered with status ${status}, expected 200`);
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

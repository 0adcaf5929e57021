/** Who can be asked about a picture. */
export const PROVIDERS = ["claude", "openai", "gemini", "ollama"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A picture as a file, and what is asked about it. */
export interface Question {
  readonly prompt: string;
  readonly file: Uint8Array;
  readonly mimeType: string;
  /** Pixels of its longer side. */
  readonly longestSide: number;
}

/** What a model said. */
export interface Analysis {
  readonly text: string;
  /** As the provider names the one that answered. */
  readonly model: string;
  /** Tokens, as the provider counts them; null where it does not say. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** How a provider is asked. */
export interface ProviderSettings {
  readonly model: string;
  /** null: none is configured. */
  readonly apiKey: string | null;
  /** Where its API begins, without a slash at the end. */
  readonly endpoint: string;
}

/** A provider's own way to be asked over HTTP, as it publishes it. */
export interface WireFormat {
  readonly needsKey: boolean;
  /** Letters of base64 that it takes as one picture. */
  readonly mostLetters: number;
  /** Pixels of a side; null: it says nothing of it. */
  readonly mostSide: number | null;
  url(settings: ProviderSettings): string;
  headers(apiKey: string | null): Readonly<Record<string, string>>;
  /** The body of the POST. */
  body(settings: ProviderSettings, prompt: string, picture: EncodedPicture): object;
  /** What it answered with status 200; throws where that is no answer. */
  read(answer: unknown, settings: ProviderSettings): Analysis;
}

export interface EncodedPicture {
  readonly base64: string;
  readonly mimeType: string;
}

/** Tokens that an answer may have: a page of text. */
export const MOST_ANSWER_TOKENS = 4096;

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import t, { type Test } from "tap";
import { MOST_ANSWER_TOKENS, type Provider } from "../../src/analysis/analysis.ts";
import { Analysts } from "../../src/analysis/analysts.ts";
import { AnalysisError } from "../../src/analysis/error.ts";
import { ANSWERS, type FakeAnswer, FakeProvider } from "./providers.ts";

const FILE = Uint8Array.from({ length: 1000 }, (_, at) => (at * 7) % 256);
const BASE64 = Buffer.from(FILE).toString("base64");
const KEY = "key-of-a-test";
const PROMPT = 'What is on the "screen"?';
const QUESTION = { prompt: PROMPT, file: FILE, mimeType: "image/png", longestSide: 640 };
const MODEL = "model-1";
const never = new AbortController().signal;

const analysts = (provider: Provider, endpoint: string, apiKey: string | null = KEY, timeoutMs = 30_000) =>
  new Analysts({ providers: { [provider]: { model: MODEL, apiKey, endpoint } }, preferred: null, timeoutMs });

/** What ours asked and got of a provider on this machine. */
async function asked(t: Test, provider: Provider, answer: FakeAnswer) {
  const fake = await FakeProvider.open(t, answer);
  const analysis = await analysts(provider, fake.url).ask(provider, QUESTION, never);
  const [sent] = fake.sent;
  if (sent === undefined) throw new Error("nothing was sent");
  return { fake, analysis, sent };
}

t.test("Claude is asked as Anthropic's own client asks, and its answer means the same", async (t) => {
  const { fake, analysis, sent } = await asked(t, "claude", { body: ANSWERS.claude });
  const client = new Anthropic({ apiKey: KEY, baseURL: fake.url, maxRetries: 0 });
  const message = await client.messages.create({
    model: MODEL,
    max_tokens: MOST_ANSWER_TOKENS,
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
          { type: "text", text: PROMPT },
        ],
      },
    ],
  });
  const theirs = fake.sent[1];
  t.same(sent.body, theirs?.body);
  t.equal(sent.path, theirs?.path);
  for (const name of ["authorization", "anthropic-version"])
    t.equal(sent.headers[name], theirs?.headers[name]);
  const [block] = message.content;
  t.same(analysis, {
    text: block?.type === "text" ? block.text : null,
    model: message.model,
    inputTokens: message.usage.input_tokens,
    outputTokens: message.usage.output_tokens,
  });
});

t.test("OpenAI is asked as its own client asks, and its answer means the same", async (t) => {
  const { fake, analysis, sent } = await asked(t, "openai", { body: ANSWERS.openai });
  const client = new OpenAI({ apiKey: KEY, baseURL: `${fake.url}/v1`, maxRetries: 0 });
  const completion = await client.chat.completions.create({
    model: MODEL,
    max_completion_tokens: MOST_ANSWER_TOKENS,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: PROMPT },
          { type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } },
        ],
      },
    ],
  });
  const theirs = fake.sent[1];
  t.same(sent.body, theirs?.body);
  t.equal(sent.path, theirs?.path);
  t.equal(sent.headers.authorization, theirs?.headers.authorization);
  t.same(analysis, {
    text: completion.choices[0]?.message.content,
    model: completion.model,
    inputTokens: completion.usage?.prompt_tokens,
    outputTokens: completion.usage?.completion_tokens,
  });
});

t.test("Gemini is asked as Google's own client asks, and its answer means the same", async (t) => {
  const { fake, analysis, sent } = await asked(t, "gemini", { body: ANSWERS.gemini });
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: fake.url } });
  const response = await client.models.generateContent({
    model: MODEL,
    contents: [
      { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: BASE64 } }, { text: PROMPT }] },
    ],
    config: { maxOutputTokens: MOST_ANSWER_TOKENS },
  });
  const theirs = fake.sent[1];
  t.same(sent.body, theirs?.body);
  t.equal(sent.path, theirs?.path);
  t.equal(sent.headers["x-goog-api-key"], theirs?.headers["x-goog-api-key"]);
  t.same(analysis, {
    text: response.text,
    model: response.modelVersion,
    inputTokens: response.usageMetadata?.promptTokenCount,
    outputTokens: response.usageMetadata?.candidatesTokenCount,
  });
});

t.test("Ollama is asked by its chat, without a key", async (t) => {
  const fake = await FakeProvider.open(t, { body: ANSWERS.ollama });
  const analysis = await analysts("ollama", fake.url, null).ask("ollama", QUESTION, never);
  t.match(fake.sent, [
    {
      path: "/api/chat",
      body: {
        model: MODEL,
        stream: false,
        messages: [{ role: "user", content: PROMPT, images: [BASE64] }],
        options: { num_predict: MOST_ANSWER_TOKENS },
      },
    },
  ]);
  t.equal(fake.sent[0]?.headers.authorization, undefined);
  const expected = { text: "A form with a button.", model: "llava:test", inputTokens: 600, outputTokens: 11 };
  t.same(analysis, expected);
});

t.test("a picture of several turns of the loop arrives whole", async (t) => {
  const fake = await FakeProvider.open(t, { body: ANSWERS.ollama });
  const file = Uint8Array.from({ length: 2_000_001 }, (_, at) => (at * 31) % 251);
  await analysts("ollama", fake.url, null).ask("ollama", { ...QUESTION, file }, never);
  t.match(fake.sent, [{ body: { messages: [{ images: [Buffer.from(file).toString("base64")] }] } }]);
});

/** How a question fails, and that neither key nor question are told with it. */
async function fails(t: Test, asked: Promise<unknown>, code: AnalysisError["code"], message: RegExp) {
  const error = await asked.then(
    () => null,
    (cause: unknown) => cause,
  );
  t.ok(error instanceof AnalysisError, String(error));
  t.match(error, { code, message });
  t.notMatch(String(error), /key-of-a-test|on the "screen"/);
  return error;
}

t.test("what a provider refuses is told by its kind", async (t) => {
  const answers: readonly [FakeAnswer, AnalysisError["code"], RegExp][] = [
    [
      { status: 401, body: { error: { message: `bad ${KEY}` } } },
      "provider_key_refused",
      /claude refused the API key/,
    ],
    [{ status: 403, body: {} }, "provider_key_refused", /status 403/],
    [{ status: 413, body: {} }, "picture_too_large", /larger than claude takes/],
    [{ status: 500, body: {} }, "provider_failed", /status 500, expected 200/],
    [
      { status: 302, headers: { location: "http://127.0.0.1:9/" }, body: {} },
      "provider_failed",
      /status 302/,
    ],
    [{ body: "<html>" }, "provider_failed", /no answer of its API/],
    [{ body: { content: "?" } }, "provider_failed", /no answer of its API/],
    [{ body: "x".repeat(2 ** 20 + 1) }, "provider_failed", /cannot be reached/],
  ];
  for (const [answer, code, message] of answers) {
    const fake = await FakeProvider.open(t, answer);
    await fails(t, analysts("claude", fake.url).ask("claude", QUESTION, never), code, message);
    t.equal(fake.sent.length, 1, "it is asked once");
  }
  const busy = await FakeProvider.open(t, { status: 429, headers: { "retry-after": "7" }, body: {} });
  const error = await fails(
    t,
    analysts("claude", busy.url).ask("claude", QUESTION, never),
    "provider_busy",
    /no more calls/,
  );
  t.match(error, { retryAfterMs: 7000 });
});

t.test("who cannot be asked is not sent anything", async (t) => {
  const fake = await FakeProvider.open(t, { body: ANSWERS.claude });
  const none = analysts("claude", fake.url, null);
  t.throws(() => none.check("claude"), { code: "provider_key_missing" });
  await fails(t, none.ask("claude", QUESTION, never), "provider_key_missing", /claude wants an API key/);
  await fails(
    t,
    none.ask("openai", QUESTION, never),
    "provider_unknown",
    /expected one that is configured: claude/,
  );
  const keyed = analysts("claude", fake.url);
  const large = { ...QUESTION, file: new Uint8Array(4 * 2 ** 20) };
  await fails(t, keyed.ask("claude", large, never), "picture_too_large", /5592408 bytes.*at most 5242880/);
  const wide = { ...QUESTION, longestSide: 8001 };
  await fails(t, keyed.ask("claude", wide, never), "picture_too_large", /8001 pixels.*at most 8000/);
  t.same(fake.sent, []);
  await fails(
    t,
    analysts("claude", "http://127.0.0.1:9").ask("claude", QUESTION, never),
    "provider_failed",
    /reached/,
  );
});

t.test("who does not answer is given up, as is a question whose caller is gone", async (t) => {
  const fake = await FakeProvider.open(t, { body: null });
  await fails(
    t,
    analysts("claude", fake.url, KEY, 20).ask("claude", QUESTION, never),
    "provider_timeout",
    /within 0.02 s/,
  );
  const gone = new AbortController();
  const asked = analysts("claude", fake.url).ask("claude", QUESTION, gone.signal);
  gone.abort(new Error("the caller went away"));
  await t.rejects(asked, /the caller went away/);
});

t.test("who is asked where nobody is named", (t) => {
  const settings = { model: MODEL, apiKey: null, endpoint: "http://127.0.0.1:9" };
  const providers = { ollama: settings, gemini: settings };
  t.same(new Analysts({ providers, preferred: null, timeoutMs: 1 }).providers, ["gemini", "ollama"]);
  t.equal(new Analysts({ providers, preferred: null, timeoutMs: 1 }).preferred, "gemini");
  t.equal(new Analysts({ providers, preferred: "ollama", timeoutMs: 1 }).preferred, "ollama");
  t.equal(new Analysts({ providers, preferred: "claude", timeoutMs: 1 }).preferred, "gemini");
  t.equal(new Analysts({ providers: {}, preferred: null, timeoutMs: 1 }).preferred, null);
  t.end();
});

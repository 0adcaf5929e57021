import * as z from "zod";
import { MOST_ANSWER_TOKENS, type WireFormat } from "./analysis.ts";

const answer = z.object({
  modelVersion: z.string().optional(),
  candidates: z
    .array(z.object({ content: z.object({ parts: z.array(z.object({ text: z.string().optional() })) }) }))
    .min(1),
  usageMetadata: z
    .object({ promptTokenCount: z.int().optional(), candidatesTokenCount: z.int().optional() })
    .optional(),
});

/** Gemini's generateContent: a request of at most 20 MB, the question included. */
export const GEMINI: WireFormat = {
  needsKey: true,
  mostLetters: 19_000_000,
  mostSide: null,
  url: ({ endpoint, model }) => `${endpoint}/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  headers: (apiKey) => ({ "x-goog-api-key": apiKey ?? "" }),
  body: (_, prompt, { base64, mimeType }) => ({
    contents: [{ role: "user", parts: [{ inlineData: { mimeType, data: base64 } }, { text: prompt }] }],
    generationConfig: { maxOutputTokens: MOST_ANSWER_TOKENS },
  }),
  read(got, { model }) {
    const { modelVersion, candidates, usageMetadata } = answer.parse(got);
    return {
      text: (candidates[0]?.content.parts ?? []).flatMap(({ text }) => text ?? []).join(""),
      model: modelVersion ?? model,
      inputTokens: usageMetadata?.promptTokenCount ?? null,
      outputTokens: usageMetadata?.candidatesTokenCount ?? null,
    };
  },
};

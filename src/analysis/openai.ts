import * as z from "zod";
import { MOST_ANSWER_TOKENS, type WireFormat } from "./analysis.ts";

const answer = z.object({
  model: z.string(),
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
});

/** OpenAI's chat completions, which other servers speak as well: a picture of at most 20 MB. */
export const OPENAI: WireFormat = {
  needsKey: true,
  mostLetters: 20_000_000,
  mostSide: null,
  url: ({ endpoint }) => `${endpoint}/v1/chat/completions`,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey ?? ""}` }),
  body: ({ model }, prompt, { base64, mimeType }) => ({
    model,
    max_completion_tokens: MOST_ANSWER_TOKENS,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: prompt },
          { type: "image_url", image_url: { url: `data:${mimeType};base64,${base64}` } },
        ],
      },
    ],
  }),
  read(got) {
    const { model, choices, usage } = answer.parse(got);
    return {
      text: choices[0]?.message.content ?? "",
      model,
      inputTokens: usage?.prompt_tokens ?? null,
      outputTokens: usage?.completion_tokens ?? null,
    };
  },
};

import * as z from "zod";
import { MOST_ANSWER_TOKENS, type WireFormat } from "./analysis.ts";

const answer = z.object({
  model: z.string(),
  message: z.object({ content: z.string() }),
  prompt_eval_count: z.int().optional(),
  eval_count: z.int().optional(),
});

/** Ollama's chat: a model on a host of one's own, which wants no key. */
export const OLLAMA: WireFormat = {
  needsKey: false,
  mostLetters: 20_000_000,
  mostSide: null,
  url: ({ endpoint }) => `${endpoint}/api/chat`,
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  body: ({ model }, prompt, { base64 }) => ({
    model,
    stream: false,
    messages: [{ role: "user", content: prompt, images: [base64] }],
    options: { num_predict: MOST_ANSWER_TOKENS },
  }),
  read(got) {
    const { model, message, ...counts } = answer.parse(got);
    return {
      text: message.content,
      model,
      inputTokens: counts.prompt_eval_count ?? null,
      outputTokens: counts.eval_count ?? null,
    };
  },
};

import * as z from "zod";
import { MOST_ANSWER_TOKENS, type WireFormat } from "./analysis.ts";

/** Of the API; its own client 1.x asks for this one. */
const VERSION = "2026-10-21";

const answer = z.object({
  model: z.string(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
});

/** Anthropic's Messages API: a picture of at most 5 MiB in base64, and 8,000 pixels a side. */
export const CLAUDE: WireFormat = {
  needsKey: true,
  mostLetters: 5 * 2 ** 20,
  mostSide: 8000,
  url: ({ endpoint }) => `${endpoint}/v1/messages`,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey ?? ""}`, "anthropic-version": VERSION }),
  body: ({ model }, prompt, { base64, mimeType }) => ({
    model,
    max_tokens: MOST_ANSWER_TOKENS,
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: mimeType, data: base64 } },
          { type: "text", text: prompt },
        ],
      },
    ],
  }),
  read(got) {
    const { model, content, usage } = answer.parse(got);
    const text = content.flatMap((block) => (block.type === "text" ? (block.text ?? "") : [])).join("\n");
    return { text, model, inputTokens: usage.input_tokens, outputTokens: usage.output_tokens };
  },
};

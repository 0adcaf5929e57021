import * as z from "zod";
import { PROVIDERS } from "../analysis/analysis.ts";

/** A provider with the address at which its API begins unless another is named. */
function provider(name: string, endpoint: string, key: string) {
  return z
    .strictObject({
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(`Model of ${name} that agents may ask about a picture; it is not asked without one.`),
      api_key: z.string().min(1).max(4096).optional().describe(key),
      endpoint: z
        .url({ protocol: /^https?$/, error: "expected a URL such as https://api.example.com" })
        .transform((url) => url.replace(/\/+$/, ""))
        .default(endpoint)
        .describe(`Where its API begins. Pictures go there; a key never goes over http beyond this machine.`),
    })
    .prefault({});
}

/** Models that agents may ask what a picture shows. */
export const analysisSchema = z
  .strictObject({
    provider: z
      .enum(PROVIDERS)
      .optional()
      .describe("Who analyze_screenshot asks where the agent names nobody; else the first that has a model."),
    timeout_s: z.coerce
      .number()
      .min(1)
      .max(600)
      .default(60)
      .describe("A provider that did not answer by then is given up."),
    claude: provider("Anthropic", "https://api.anthropic.com", "Key of Anthropic's API."),
    openai: provider(
      "OpenAI, or of a server that speaks its chat completions",
      "https://api.openai.com",
      "Its key.",
    ),
    gemini: provider("Gemini", "https://generativelanguage.googleapis.com", "Key of Google's Gemini API."),
    ollama: provider("Ollama", "http://127.0.0.1:11434", "Key, where a proxy before it wants one."),
  })
  .prefault({});

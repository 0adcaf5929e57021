import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import * as z from "zod";

/** One red pixel as PNG, base64. */
const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without a sample, base64. */
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export type Content = CallToolResult["content"][number];

/** What the suite's plain tools answer, whatever the era. */
export const CONTENT_TOOLS: Readonly<Record<string, readonly Content[]>> = {
  test_simple_text: [{ type: "text", text: "This is a simple text response for testing." }],
  test_image_content: [{ type: "image", data: RED_PIXEL, mimeType: "image/png" }],
  test_audio_content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  test_embedded_resource: [
    {
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    },
  ],
  test_multiple_content_types: [
    { type: "text", text: "Multiple content types test:" },
    { type: "image", data: RED_PIXEL, mimeType: "image/png" },
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: '{"test":"data","value":123}',
      },
    },
  ],
};

/** The suite's resources, as resources/list names them. */
export const RESOURCES = [
  { uri: "test://static-text", name: "static-text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched-resource", mimeType: "text/plain" },
];

export const RESOURCE_TEMPLATES = [
  { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
];

/** What an address of the suite holds; null for any other address. */
export function readFixture(uri: string): ReadResourceResult | null {
  const text = (mimeType: string, words: string): ReadResourceResult => ({
    contents: [{ uri, mimeType, text: words }],
  });
  switch (uri) {
    case "test://static-text":
      return text("text/plain", "This is the content of the static text resource.");
    case "test://static-binary":
      return { contents: [{ uri, mimeType: "image/png", blob: RED_PIXEL }] };
    case "test://watched-resource":
      return text("text/plain", "Watched resource content");
    default: {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      if (id === undefined) return null;
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return text("application/json", JSON.stringify(data));
    }
  }
}

/** The suite's prompts, as prompts/list names them. */
export const PROMPTS = [
  { name: "test_simple_prompt", description: "A simple prompt without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with required arguments",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that includes an embedded resource",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
  },
  { name: "test_prompt_with_image", description: "A prompt that includes image content" },
];

const twoArguments = z.object({ arg1: z.string(), arg2: z.string() });
const resourceArgument = z.object({ resourceUri: z.string() });

/** A prompt of the suite; null for any other name. */
export function fixturePrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult | null {
  const say = (...contents: readonly Content[]): GetPromptResult => ({
    messages: contents.map((content) => ({ role: "user", content })),
  });
  switch (name) {
    case "test_simple_prompt":
      return say({ type: "text", text: "This is a simple prompt for testing." });
    case "test_prompt_with_arguments": {
      const { arg1, arg2 } = twoArguments.parse(given);
      return say({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` });
    }
    case "test_prompt_with_embedded_resource": {
      const uri = resourceArgument.parse(given).resourceUri;
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return say(
        { type: "resource", resource },
        { type: "text", text: "Please process the embedded resource above." },
      );
    }
    case "test_prompt_with_image":
      return say(
        { type: "image", data: RED_PIXEL, mimeType: "image/png" },
        { type: "text", text: "Please analyze the image above." },
      );
    default:
      return null;
  }
}

import { rect } from "../../src/framebuffer/rect.ts";
import type { McpPorts } from "../../src/mcp/tool/ports.ts";
import type { ScreenElement } from "../../src/vision/elements/element.ts";
import { findText } from "../../src/vision/text/find-text.ts";
import type { TextLine } from "../../src/vision/text/text-line.ts";

const LINE: TextLine = {
  ...{ text: "Save", rect: rect(1, 1, 9, 9), confidence: 90 },
  words: [{ text: "Save", rect: rect(1, 1, 9, 9), confidence: 90 }],
};

const SAVE: ScreenElement = {
  ...{ id: "1", kind: "button", label: "Save", rect: rect(0, 0, 20, 12), score: 0.9 },
};

/** "Save" stands on every desktop, for ever; found by the product's own search. */
export const SAVED_TEXT: NonNullable<McpPorts["texts"]> = {
  now: async ({ generation }) => ({ generation, lines: [LINE] }),
  since: async ({ generation }) => ({ generation, changes: null }),
  find: async ({ generation }, query) => ({ generation, matches: findText([LINE], query) }),
  elements: async ({ generation }) => ({ generation, elements: [SAVE] }),
  element: async ({ generation }) => ({ generation, element: SAVE, isMoved: false }),
};

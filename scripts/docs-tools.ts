import { listPrompts } from "../src/mcp/prompts/prompts.ts";
import { FIXED_RESOURCES, RESOURCE_TEMPLATES } from "../src/mcp/resources/resources.ts";
import { HINTS } from "../src/mcp/tool/error.ts";
import type { Tool } from "../src/mcp/tool/tool.ts";
import { EFFECTS, selectTools } from "../src/mcp/tool/toolsets.ts";
import { BATCH_STEPS } from "../src/mcp/tools/batch-actions.ts";
import { BROWSER_TOOLS } from "../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { fieldTable } from "./docs-fields.ts";
import { GENERATED, table } from "./markdown.ts";

const CORE_NAMES = selectTools(TOOLS, ["core"]).map(({ name }) => name);

/** docs/tools.md: every tool with its parameters and results, from the schemas that clients get. */
export function renderToolsDoc(): string {
  return [
    "# Tools",
    GENERATED,
    "Every tool answers with `structuredContent` of the fields below and a line of text that says the same in short; a",
    "screenshot is an image block beside them. Coordinates are desktop pixels; with `monitor_index` those that a caller",
    "gives are relative to that monitor, while those in answers stay desktop pixels. Unknown fields are refused by name.",
    "`a.b` is the field `b` of the object `a`, `a[].b` of each object in the list `a`; `?` marks what may be left out.",
    "",
    "A refused call has `isError: true`, the text `code: what happened. what to do next`, and the structured content",
    "`{error: {code, message, hint, retry_after_ms}}`; the codes are in [errors.md](errors.md). A fault of the server itself",
    `is \`internal_error\` (${HINTS.internal_error}).`,
    "",
    "`tools/list` gives all of this in short: what it leaves out of a schema is still taken and checked, and parameters of many tools are explained",
    "once, in the server's instructions. A part of the tools does for most work, and costs a model less to read: `/mcp?toolsets=core`,",
    "`--toolsets core` beside `--stdio`, a token made with `token create agent --toolsets core`, or `mcp.toolsets` in the",
    `configuration. Names: core (${CORE_NAMES.join(", ")}), and the effects ${EFFECTS.join(", ")}, separated by commas.`,
    "",
    table(
      ["tool", "effect", "in short"],
      TOOLS.map(({ name, effect, title }) => [`[${name}](#${name})`, effect, title]),
    ),
    ...TOOLS.map(section),
    "",
    "## Browser tools",
    "",
    "Listed to agents for whom a browser is paired ([browsers.md](guides/browsers.md)), and to nobody else; a client that listens is told when",
    "that changes (`notifications/tools/list_changed`).",
    "",
    table(
      ["tool", "effect", "in short"],
      BROWSER_TOOLS.map(({ name, effect, title }) => [`[${name}](#${name})`, effect, title]),
    ),
    ...BROWSER_TOOLS.map(section),
    batchSteps(),
    resources(),
    prompts(),
  ].join("\n");
}

function batchSteps(): string {
  const intro = "Actions of `batch_actions` beside tools, which look at the text on the screen:";
  const steps = BATCH_STEPS.flatMap(({ name, description, inputSchema, outputSchema }) => [
    ...["", `### ${name}`, "", description, "", "Arguments:", "", fieldTable(inputSchema, true)],
    ...["", "Results:", "", fieldTable(outputSchema, false)],
  ]);
  return ["", "## Steps of a batch", "", intro, ...steps].join("\n");
}

function resources(): string {
  const rows = [
    ...FIXED_RESOURCES.map(({ uri, mimeType, description }) => [
      `\`${uri}\``,
      mimeType ?? "",
      description ?? "",
    ]),
    ...RESOURCE_TEMPLATES.map(({ uriTemplate, mimeType, description }) => [
      `\`${uriTemplate}\``,
      mimeType ?? "image/png, image/jpeg or image/webp",
      description,
    ]),
  ];
  const intro =
    "`resources/list` names those that there are for who asks; ids are completed (`completion/complete`).";
  return ["", "## Resources", "", intro, "", table(["address", "type", "content"], rows)].join("\n");
}

function prompts(): string {
  const rows = listPrompts().map(({ name, description, arguments: taken }) => [
    `\`${name}\``,
    description,
    taken.map((one) => `\`${one.name}\`${one.required ? "" : "?"}: ${one.description}`).join(" "),
  ]);
  const intro = "Each gives the image first and then its words.";
  return ["", "## Prompts", "", intro, "", table(["prompt", "what it is for", "arguments"], rows)].join("\n");
}

function section(tool: Tool): string {
  const hints = Object.entries(tool.hints)
    .filter(([, isSo]) => isSo)
    .map(([hint]) => `\`${hint}\``);
  return [
    "",
    `## ${tool.name}`,
    "",
    tool.description,
    "",
    `Effect: ${tool.effect}. Hints: ${hints.length === 0 ? "none" : hints.join(", ")}.`,
    "",
    "Parameters:",
    "",
    fieldTable(tool.inputSchema, true),
    "",
    "Results:",
    "",
    fieldTable(tool.outputSchema, false),
  ].join("\n");
}

import t from "tap";
import * as z from "zod";
import { REVISIONS, runRequirements } from "../../../scripts/conformance.ts";
import { servedTools } from "../../../src/mcp/tool/tool.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { inspect } from "../harness/inspector.ts";
import { EXPECTED_FAILURES } from "./conformance/expected.ts";
import { openFixtureHouse } from "./conformance/fixture-house.ts";

/** Fewer of a revision's scenarios than this were not run at all. */
const LEAST_SCENARIOS = { "2025-11-25": 30, "2026-07-28": 37 } as const;

for (const revision of REVISIONS) {
  t.test(`the conformance suite of ${revision} finds nothing unexpected`, { timeout: 300_000 }, async (t) => {
    const found = await runRequirements(revision, await openFixtureHouse(t));
    t.ok(found.size >= LEAST_SCENARIOS[revision], `${found.size} scenarios ran`);
    const expected = EXPECTED_FAILURES[revision];
    for (const [scenario, checks] of found) {
      const failed = checks.filter(({ status }) => status === "FAILURE");
      const told = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ""}`);
      if (expected[scenario] === undefined) t.same(told, [], scenario);
      else t.ok(failed.length > 0, `${scenario} fails as expected: ${expected[scenario]}`);
    }
    const unknown = Object.keys(expected).filter((scenario) => !found.has(scenario));
    t.same(unknown, [], "every expected failure is a scenario of the suite");
  });
}

t.test("the Inspector's command line lists and calls tools, and reads resources and prompts", async (t) => {
  const url = await openFixtureHouse(t);
  const { tools } = z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(await inspect(url, "tools/list"));
  const names = tools.map(({ name }) => name);
  t.same(
    servedTools(TOOLS, {})
      .filter(({ name }) => !names.includes(name))
      .map(({ name }) => name),
    [],
    "every tool of the house is listed",
  );
  const shot = await inspect(url, "tools/call", "--tool-name", "take_screenshot", "--tool-arg", "scale=0.25");
  t.match(shot, { content: [{ type: "text" }, { type: "image", mimeType: "image/png" }] });
  const drawn = ["x=10", "y=10", "width=20", "height=20", "label=seen"];
  const overlay = await inspect(url, "tools/call", "--tool-name", "draw_overlay", "--tool-arg", ...drawn);
  t.match(overlay, { structuredContent: { bounds: { x: 10, y: 10, width: 20, height: 20 } } });
  const refused = await inspect(url, "tools/call", "--tool-name", "click_at", "--tool-arg", "x=-1", "y=1");
  t.match(refused, { isError: true, structuredContent: { error: { code: "invalid_parameters" } } });
  const { resources } = z
    .object({ resources: z.array(z.object({ uri: z.string() })) })
    .parse(await inspect(url, "resources/list"));
  t.ok(resources.some(({ uri }) => uri === "settings://current"));
  const settings = await inspect(url, "resources/read", "--uri", "settings://current");
  t.match(settings, { contents: [{ uri: "settings://current", mimeType: "application/json" }] });
  t.match(await inspect(url, "resources/templates/list"), { resourceTemplates: [{ uriTemplate: /:\/\// }] });
  const prompts = z
    .object({ prompts: z.array(z.object({ name: z.string() })) })
    .parse(await inspect(url, "prompts/list"));
  t.ok(prompts.prompts.some(({ name }) => name === "describe_ui"));
  const prompt = await inspect(url, "prompts/get", "--prompt-name", "describe_ui");
  t.match(prompt, { messages: [{ role: "user" }] });
});

import t from "tap";
import {
  installConformance,
  isConformanceInstalled,
  runScenario,
  type SpecVersion,
} from "../../scripts/conformance.ts";
import { serveHouse } from "../mcp/fake-house.ts";

/**
 * The scenarios of the MCP conformance suite that need no fixture: most others call tools, prompts and resources of
 * the suite's own example server (`test_simple_text`, `test://static-text`), which a product does not have.
 * dns-rebinding-protection is proved on the whole web app, whose Host and Origin checks it is about.
 */
const SCENARIOS: Readonly<Record<SpecVersion, Readonly<Record<string, readonly string[]>>>> = {
  "2025-11-25": {
    // The handshake, its versions and capabilities.
    "server-initialize": [],
    // Session ids: given, required, unknown, ended by DELETE.
    "server-session-lifecycle": [],
    ping: [],
    // Every tool's name, schema and wire form.
    "tools-list": [],
    // Several streams of one session at once.
    "server-sse-multiple-streams": [],
  },
  "2026-07-28": {
    // Everything that took the place of sessions: envelope, discover, versions, headers, streams, removed methods.
    "server-stateless": [
      // These four call the fixtures test_missing_capability, test_streaming_elicitation and test_logging_tool.
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-no-independent-requests-on-stream",
      "sep-2575-server-no-log-without-loglevel",
    ],
    "tools-list": [],
    "server-sse-multiple-streams": [],
    // Headers that must agree with the body, in any case and with any white space.
    "http-header-validation": [],
    // Lists say how long they may be kept. There are no prompts and no resources yet, so no lists of them.
    caching: [
      "sep-2549-prompts-list-caching-hints",
      "sep-2549-resources-list-caching-hints",
      "sep-2549-resources-templates-list-caching-hints",
    ],
    // The code for resources that are not there.
    "sep-2164-resource-not-found": [],
    // Answers to questions nobody asked, extra parameters, wrong kinds of answers: no fixture is needed to refuse.
    "input-required-result-unsupported-methods": [],
    "input-required-result-missing-input-response": [],
    "input-required-result-ignore-extra-params": [],
    "input-required-result-validate-input": [],
  },
};

async function main(): Promise<void> {
  if (!isConformanceInstalled()) {
    if (process.env["CI"]) await installConformance();
    else {
      process.stderr.write("SKIPPED: needs the MCP conformance suite (npx tsx scripts/conformance.ts)\n");
      t.pass("the conformance suite is not installed");
      return;
    }
  }
  for (const version of ["2025-11-25", "2026-07-28"] as const) {
    for (const [scenario, withoutFixture] of Object.entries(SCENARIOS[version])) {
      await t.test(`${version} ${scenario} passes`, async (t) => {
        const house = await serveHouse();
        t.teardown(() => house.close());
        const checks = await runScenario(scenario, version, house.url.href);
        const failed = checks.filter(
          ({ id, status }) => status === "FAILURE" && !withoutFixture.includes(id),
        );
        t.ok(
          checks.some(({ status }) => status === "SUCCESS"),
          "it checked something",
        );
        t.same(failed, []);
      });
    }
  }
}

await main();

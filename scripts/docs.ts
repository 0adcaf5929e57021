// Writes the generated pages of docs/ (--write), or says which are not what the code says now.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderAgentPages } from "./docs-agents.ts";
import { renderAuditEventsDoc } from "./docs-audit-events.ts";
import { renderCompatibilityDoc } from "./docs-compatibility.ts";
import { renderConfigDoc } from "./docs-config.ts";
import { renderErrorsDoc } from "./docs-errors.ts";
import { renderPolicyDoc } from "./docs-policy.ts";
import { renderRestDoc } from "./docs-rest.ts";
import { renderRolesDoc } from "./docs-roles.ts";
import { renderToolsDoc } from "./docs-tools.ts";
import { renderWaysOutDoc } from "./docs-ways-out.ts";
import { renderKubernetes } from "./kubernetes.ts";
import { renderKubernetesFleet } from "./kubernetes-fleet.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const PAGES: Readonly<Record<string, () => string>> = {
  "docs/tools.md": renderToolsDoc,
  "docs/config.md": renderConfigDoc,
  "docs/errors.md": renderErrorsDoc,
  "docs/policy.md": renderPolicyDoc,
  "docs/roles.md": renderRolesDoc,
  "docs/audit-events.md": renderAuditEventsDoc,
  "docs/reference/rest.md": renderRestDoc,
  "docs/compatibility.md": renderCompatibilityDoc,
  "docs/ways-out.md": renderWaysOutDoc,
  ...renderAgentPages(),
  "deploy/kubernetes/overlay-companion.yaml": renderKubernetes,
  "deploy/kubernetes/fleet.yaml": renderKubernetesFleet,
};

const isWriting = process.argv.includes("--write");

for (const [page, render] of Object.entries(PAGES)) {
  const path = join(ROOT, page);
  const text = `${render().trimEnd()}\n`;
  if (isWriting) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (readPage(path) !== text) {
    process.stderr.write(`${page} is not what the code says now: run npm run docs and commit it\n`);
    process.exitCode = 1;
  }
}

function readPage(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

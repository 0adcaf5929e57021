// Looks for secrets in what git keeps: keys, tokens, passwords in addresses. Names the place, never the secret.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LARGEST_BYTES = 2 ** 20;

export interface SecretKind {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Shapes that mean a secret wherever they stand. Each needs its own beginning, so that prose is not one. */
export const KINDS: readonly SecretKind[] = [
  { name: "a private key", pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64,}/g },
  { name: "a token of this program", pattern: /\bocp_[0-9a-f]{8,}_[A-Za-z0-9_-]{32,}/g },
  { name: "an AWS access key", pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  { name: "a GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/g },
  { name: "a GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { name: "an npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*[^\s$]{8,}/g },
  { name: "a Slack token", pattern: /\bxox[abprs]-[A-Za-z0-9-]{20,}/g },
  { name: "a key of Anthropic", pattern: /\bsk-ant-[A-Za-z0-9_-]{32,}/g },
  { name: "a key of OpenAI", pattern: /\bsk-(?:proj-)?[A-Za-z0-9]{40,}/g },
  { name: "a key of Google", pattern: /\bAIza[A-Za-z0-9_-]{35}\b/g },
  { name: "a key of Stripe", pattern: /\b[rs]k_live_[A-Za-z0-9]{20,}/g },
  {
    name: "a signed token (JWT)",
    pattern: /\beyJ[A-Za-z0-9_-]{16,}\.eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}/g,
  },
];

export interface FoundSecret {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
}

export function secretsIn(file: string, text: string): readonly FoundSecret[] {
  return KINDS.flatMap(({ name, pattern }) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
      kind: name,
    })),
  );
}

/**
 * Made for tests, and known to be worth nothing: by file and kind, so that another secret in the same file is found. Those who add
 * one say what it is.
 */
const HARMLESS: readonly (readonly [file: string, kind: string])[] = [
  // AWS' own example, and a made-up one of Slack's form: what `auto_redact_pii` is to find.
  ["test/e2e/agents/auto-redact-pii.test.ts", "an AWS access key"],
  ["test/vision/private/find-private.test.ts", "an AWS access key"],
  ["test/vision/private/find-private.test.ts", "a Slack token"],
];

/** What git keeps, or would keep. */
function files(): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 << 20 })
    .split("\0")
    .filter((file) => file !== "");
}

function textOf(file: string): string {
  const path = join(ROOT, file);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > LARGEST_BYTES) return "";
  const bytes = readFileSync(path);
  return bytes.includes(0) ? "" : bytes.toString("utf8");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = files().flatMap((file) => secretsIn(file, textOf(file)));
  const isHarmless = (one: FoundSecret): boolean =>
    HARMLESS.some(([file, kind]) => file === one.file && kind === one.kind);
  for (const one of found.filter((one) => !isHarmless(one))) {
    process.stderr.write(`${one.file}:${one.line} holds ${one.kind}: take it out, and have it revoked\n`);
    process.exitCode = 1;
  }
  for (const [file, kind] of HARMLESS) {
    if (found.some((one) => one.file === file && one.kind === kind)) continue;
    process.stderr.write(`${file} holds ${kind} no more: take it out of HARMLESS in scripts/secrets.ts\n`);
    process.exitCode = 1;
  }
}

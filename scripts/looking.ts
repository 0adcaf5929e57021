// `npx tsx scripts/looking.ts [--write]`: does the same tasks on a real desktop by screenshots and by text, and prints, or
// writes into docs/guides/agents.md, what each costs a model.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Looked, type LookedTask, lookBothWays, sumOf } from "../bench/looking.ts";

const GUIDE = fileURLToPath(new URL("../docs/guides/agents.md", import.meta.url));
const BEGIN = "<!-- looking: written by scripts/looking.ts -->";
const END = "<!-- end of looking -->";

const thousands = (amount: number): string => amount.toLocaleString("en-US");
const cells = ({ calls, imageBytes, claude, openai }: Looked): string =>
  [`${calls}`, thousands(Math.round(imageBytes / 1024)), thousands(claude), thousands(openai)].join(" | ");

function tableOf(tasks: readonly LookedTask[]): string {
  const all = {
    name: "**all**",
    bySight: sumOf(tasks.map(({ bySight }) => bySight)),
    byText: sumOf(tasks.map(({ byText }) => byText)),
  };
  return [
    "| task | calls | KiB of images | Claude | OpenAI | calls | KiB of images | Claude | OpenAI |",
    "|---|---|---|---|---|---|---|---|---|",
    "| | *by a screenshot after each step* | | | | *by answers and `read_text since`* | | | |",
    ...[...tasks, all].map(
      ({ name, bySight, byText }) => `| ${name} | ${cells(bySight)} | ${cells(byText)} |`,
    ),
  ].join("\n");
}

const folder = mkdtempSync(join(tmpdir(), "oc-looking-"));
const teardowns: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
try {
  const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
  const table = tableOf(await lookBothWays(owner, folder, false));
  process.stdout.write(`${table}\n`);
  if (process.argv.includes("--write")) {
    const guide = readFileSync(GUIDE, "utf8");
    const [from, to] = [guide.indexOf(BEGIN), guide.indexOf(END)];
    if (from < 0 || to < from) throw new Error("the guide has no place for the table");
    writeFileSync(GUIDE, `${guide.slice(0, from + BEGIN.length)}\n${table}\n${guide.slice(to)}`);
  }
} finally {
  for (const teardown of teardowns.reverse()) await teardown();
}

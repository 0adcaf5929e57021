// `npm run fuzz -- [--target NAME] [--part I/N] [--seconds N] [--seed N] [--grow]`: attacks the parsers of the wire,
// guided by which of their code runs, each for so many seconds; --part takes every Nth of them. --grow writes what was
// found to reach new code to test/fuzz/corpus/. Ends with exit code 1 and the input where a rule was broken.
import { parseArgs } from "node:util";
import { readCorpus, writeCorpus } from "../test/fuzz/corpus.ts";
import { Coverage } from "../test/fuzz/coverage.ts";
import { hunt } from "../test/fuzz/hunt.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    part: { type: "string", default: "1/1" },
    seconds: { type: "string", default: "30" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    grow: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  // Before the parsers are loaded: V8 counts blocks only in what it compiles from here on.
  const coverage = Coverage.start();
  const { TARGETS } = await import("../test/fuzz/targets/list.ts");
  const [part = 1, parts = 1] = values.part.split("/").map(Number);
  const named = TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
  const chosen = named.filter((_, i) => i % parts === part - 1);
  if (chosen.length === 0) {
    process.stderr.write(
      `no target ${values.target ?? values.part}: there are ${TARGETS.map(({ name }) => name).join(", ")}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const shareMs = Number(values.seconds) * 1000;
  const seed = Number(values.seed);
  for (const target of chosen) {
    const inputs = [...target.seeds(), ...readCorpus(target.name)];
    const endMs = performance.now() + shareMs;
    const { runs, corpus, blocks, finding } = hunt(
      target,
      inputs,
      coverage,
      seed,
      () => performance.now() > endMs,
    );
    const name = target.name.padEnd(26);
    process.stdout.write(
      `${name} ${runs} inputs, ${blocks} blocks, corpus of ${corpus.length}, seed ${seed}\n`,
    );
    if (values.grow && finding === null) writeCorpus(target.name, corpus);
    if (finding !== null) {
      process.stderr.write(`${finding.message}\n`);
      if (finding.cause instanceof Error) process.stderr.write(`${finding.cause.stack}\n`);
      const line = Buffer.from(finding.input).toString("base64");
      process.stderr.write(
        `add this line to test/fuzz/corpus/${target.name}.txt once it is mended:\n${line}\n`,
      );
      process.exitCode = 1;
    }
  }
  coverage.close();
}

await main();

// `npm run test:redaction`: what the check proves with some hundred frames, here with 10,000: private text on a live
// desktop is in no frame that an agent, a viewer or a recording gets, on Xtigervnc and on xrdp. Fails where one leaks.
// OC_PROOF_FRAMES, OC_PROOF_TARGETS and OC_PROOF_SCENES (names, with commas between them) say less; OC_PROOF_KEEP names a
// folder for the frames that leak. Needs the built appliance.
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ProofOptions, proveRedaction } from "../test/e2e/privacy/redaction-proof.ts";

const { values } = parseArgs({ options: { short: { type: "boolean", default: false } } });
const FRAMES = Number(process.env["OC_PROOF_FRAMES"] ?? (values.short ? 300 : 10_000));
const SCENES = process.env["OC_PROOF_SCENES"]?.split(",");
const KEEP = process.env["OC_PROOF_KEEP"];
const TARGETS = ["Xtigervnc", "xrdp"] as const satisfies readonly ProofOptions["target"][];
const wanted = process.env["OC_PROOF_TARGETS"]?.split(",") ?? TARGETS;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (KEEP !== undefined) mkdirSync(KEEP, { recursive: true });
for (const target of TARGETS.filter((one) => wanted.includes(one))) {
  const teardowns: (() => unknown)[] = [];
  const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
  try {
    const seed = Date.now() % 1_000_000;
    say(`${target}, seed ${seed}`);
    const report = await proveRedaction(owner, {
      ...{ target, seed, say, frames: FRAMES / TARGETS.length },
      ...{ sceneMs: values.short ? 4000 : 20_000, readOneOf: values.short ? 50 : 100 },
      ...(SCENES === undefined ? {} : { scenes: SCENES }),
      ...(KEEP === undefined ? {} : { keep: KEEP }),
    });
    const { leaks, ...rest } = report;
    say(JSON.stringify({ target, leaks: leaks.length, ...rest }, null, 2));
    if (leaks.length > 0 || report.read.leaks.length > 0) process.exitCode = 1;
  } finally {
    for (const teardown of teardowns.reverse()) await teardown();
  }
}

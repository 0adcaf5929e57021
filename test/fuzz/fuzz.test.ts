import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { RfbError } from "../../src/protocols/rfb/error.ts";
import { readCorpus } from "./corpus.ts";
import { mutate, randomFrom } from "./mutate.ts";
import { check, type FuzzTarget, piecesOf } from "./target.ts";
import { TARGETS } from "./targets/list.ts";

/** Mutated inputs of each target in the local check; CI goes on for longer, `npm run fuzz` for as long as it is told. */
const RUNS = 150;

for (const target of TARGETS) {
  t.test(`${target.name} takes its corpus and mutations of it in every chunking`, async (t) => {
    const inputs = [...target.seeds(), ...readCorpus(target.name)];
    for (const input of inputs) check(target, input);
    const random = randomFrom(20_260_821);
    const pick = (): Uint8Array => inputs[random(inputs.length)] ?? new Uint8Array(1);
    for (let run = 0; run < RUNS; run++) {
      const input = mutate(pick(), pick(), random);
      try {
        check(target, input, [1 + random(30), 1 + random(200)]);
      } catch (error) {
        t.comment(`the input: ${Buffer.from(input).toString("base64")}`);
        throw error;
      }
    }
    t.pass(`${inputs.length} inputs and ${RUNS} mutations`);
  });
}

/**
 * A minute and a half in all, in two processes: a machine that runs this has two processors at least. Every seed and all
 * of the corpus are run whatever that leaves for mutations; `npm run fuzz` hunts at length.
 */
const CI_SECONDS = 90;
const PROCESSES = 2;
/** The time of a target counts from when its seeds begin, which a busy machine takes longer for. */
const CI_LIMIT_MS = 600_000;
/** The same each time, so that a check says what the change did, not what chance found; `npm run fuzz` draws one. */
const CI_SEED = "20260821";

if (process.env["CI"]) {
  t.setTimeout(CI_LIMIT_MS);
  t.test("a hunt through each target's code finds nothing", { timeout: CI_LIMIT_MS }, async (t) => {
    const seconds = `${Math.max(1, Math.floor(CI_SECONDS / TARGETS.length))}`;
    const script = fileURLToPath(new URL("../../scripts/fuzz.ts", import.meta.url));
    const hunts = Array.from({ length: PROCESSES }, (_, i) =>
      promisify(execFile)(
        process.execPath,
        ["--import=tsx", script, "--seconds", seconds, "--seed", CI_SEED, "--part", `${i + 1}/${PROCESSES}`],
        { env: { ...process.env, NODE_OPTIONS: "" } },
      ),
    );
    for (const hunt of hunts) t.match(await hunt, { stdout: /inputs, \d+ blocks/, stderr: "" });
  });
}

function target(run: FuzzTarget["run"]): FuzzTarget {
  return { name: "toy", seeds: () => [], run };
}

t.test("the rules are looked after", async (t) => {
  const input = Uint8Array.of(1, 2, 3);
  const bug = target((bytes) => String(bytes.at(9)?.toFixed() ?? JSON.parse("{")));
  t.throws(() => check(bug, input), { message: /^toy threw SyntaxError/, input });
  const chunky = target((bytes, sizes) => `${[...piecesOf(bytes, sizes)].length}`);
  t.throws(() => check(chunky, input), { message: /^toy depends on chunking/ });
  const honest = target(() => {
    throw new RfbError("bad_data", "rectangle", "got 1, expected 2");
  });
  t.equal(check(honest, input), "rectangle: bad_data");
  const wordless = target(() => {
    throw new RfbError("bad_data", "rectangle", "");
  });
  t.throws(() => check(wordless, input), { message: /error of 0 characters/ });
  t.equal(
    check(
      target((bytes) => `${bytes.length}`),
      input,
    ),
    "3",
  );
});

t.test("mutations are the same for the same seed", async (t) => {
  const once = () => {
    const random = randomFrom(5);
    return Array.from({ length: 50 }, () => mutate(Uint8Array.of(1, 2, 3, 4), Uint8Array.of(9, 9), random));
  };
  t.same(once(), once());
  t.ok(new Set(once().map((bytes) => bytes.join())).size > 30, "and many");
});

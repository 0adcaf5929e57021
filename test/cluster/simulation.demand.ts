// `npm run test:fleet [-- COUNT [FIRST]]`: fleets through random partitions, pauses, sleeps and deaths, by their seeds; 10,000
// without a word. Ends with the line "N passed, N failed".
import { simulateFleet } from "./simulation/fleet.ts";

const SAY_EVERY = 250;
const [count, first] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 0)];
// Refusals are many, and where they come from is known.
Error.stackTraceLimit = 0;
let failed = 0;
let inputs = 0;
let moves = 0;
const faults: Record<string, number> = {};
for (let seed = first; seed < first + count; seed++) {
  const result = await simulateFleet(seed);
  inputs += result.inputs;
  moves += result.moves;
  for (const [name, times] of Object.entries(result.faults)) faults[name] = (faults[name] ?? 0) + times;
  if (result.violations.length > 0) {
    failed++;
    process.stdout.write(`seed ${seed}: ${result.violations.slice(0, 3).join("; ")}\n`);
  }
  const done = seed - first + 1;
  if (done % SAY_EVERY === 0) process.stdout.write(`${done} of ${count}: ${inputs} inputs, ${moves} moves\n`);
}
process.stdout.write(`${inputs} inputs, ${moves} moves; ${JSON.stringify(faults)}\n`);
process.stdout.write(`${count - failed} passed, ${failed} failed\n`);
// What waits in fleets that are over would keep the process.
process.exit(failed === 0 ? 0 : 1);

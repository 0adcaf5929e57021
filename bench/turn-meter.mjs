// Loaded into a server before it starts (node --import): how much CPU the loop's own thread takes for one turn of the
// loop. What other programs take of the core does not count. SIGUSR2 writes what was seen since the last one.
import { openSync, readSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["OC_TURN_FILE"];
if (isMainThread && file !== undefined) measure(file);

function measure(into) {
  // Linux counts a running thread's time at each tick: exact to a few milliseconds.
  const stat = openSync("/proc/thread-self/schedstat", "r");
  const bytes = Buffer.alloc(64);
  const cpuMs = () =>
    Number(bytes.toString("latin1", 0, readSync(stat, bytes, 0, 64, 0)).split(" ", 1)[0]) / 1e6;
  let before = cpuMs();
  let longestMs = 0;
  let turns = 0;
  const turn = () => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
    turns++;
    setImmediate(turn);
  };
  turn();
  process.on("SIGUSR2", () => {
    writeFileSync(into, JSON.stringify({ longestMs, turns }));
    longestMs = 0;
    turns = 0;
  });
}

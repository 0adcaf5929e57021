// Loaded into a server before it starts (node --import): how much CPU the loop's own thread takes for one turn of the
// loop, and how much of that the garbage collector has. What other programs and the hypervisor take of the core does not
// count. SIGUSR2 writes what was seen since the last one.
import { openSync, readSync, writeFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env["OC_TURN_FILE"];
if (isMainThread && file !== undefined) measure(file);

/** Of the turns since the last signal so many of the longest are told. */
function measure(into, most = 12) {
  const stat = openSync("/proc/thread-self/schedstat", "r");
  const bytes = Buffer.alloc(64);
  const cpuMs = () => {
    // Linux adds up a running thread's time at each tick, every 4 ms, and whenever it asks for the time of its own process
    // (getrusage): exact to a microsecond after that. What the hypervisor took is left out (PARAVIRT_TIME_ACCOUNTING).
    process.cpuUsage();
    return Number(bytes.toString("latin1", 0, readSync(stat, bytes, 0, 64, 0)).split(" ", 1)[0]) / 1e6;
  };
  let longest = [];
  let turns = 0;
  let workedMs = 0;
  let collectedMs = 0;
  let collecting = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collecting.push({ atMs: startTime, ms: duration });
      collectedMs += duration;
    }
    // Told in a later turn than the one that it was in; those of turns that are not among the longest are let go.
    const [oldest = { beganMs: 0 }] = longest.toSorted((a, b) => a.beganMs - b.beganMs);
    if (collecting.length > 2000) collecting = collecting.filter(({ atMs }) => atMs >= oldest.beganMs);
  });
  observer.observe({ entryTypes: ["gc"] });
  let beforeMs = cpuMs();
  let beganMs = performance.now();
  const turn = () => {
    const nowMs = cpuMs();
    const atMs = performance.now();
    const ms = nowMs - beforeMs;
    workedMs += ms;
    turns++;
    if (longest.length < most || ms > longest[longest.length - 1].ms) {
      longest.push({ ms, beganMs, endedMs: atMs });
      longest.sort((a, b) => b.ms - a.ms);
      longest.length = Math.min(longest.length, most);
    }
    beforeMs = nowMs;
    beganMs = atMs;
    // Not referenced, it runs in each turn and does not keep the loop from sleeping.
    setImmediate(turn).unref();
  };
  setImmediate(turn).unref();
  process.on("SIGUSR2", () => {
    // In the turn after the next one all entries have been told.
    setTimeout(() => {
      const told = longest.map((one) => ({
        ms: one.ms,
        // The collector's time is of the clock: no more of it than the thread worked.
        collectorMs: Math.min(
          one.ms,
          collecting.reduce(
            (sum, { atMs, ms }) => (atMs >= one.beganMs && atMs < one.endedMs ? sum + ms : sum),
            0,
          ),
        ),
      }));
      writeFileSync(into, `${JSON.stringify({ longest: told, turns, workedMs, collectedMs })}\n`);
      longest = [];
      collecting = [];
      turns = 0;
      workedMs = 0;
      collectedMs = 0;
    }, 20);
  });
}

// A target that behaves, as a process of its own, so that what happens in a test's own process cannot slow it.
// Writes its port, then draws a square of another colour for each update that it is asked for.
import { healthyScript, startFakeTarget } from "./fake-target.ts";

const port = await startFakeTarget({ teardown: () => undefined }, healthyScript);
process.stdout.write(`port ${port}\n`);

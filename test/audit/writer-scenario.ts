import { systemClock } from "../../src/platform/clock.ts";
import { eventOf, fileSink } from "./file-sink.ts";

/** Writes events to the audit log of a folder until it is ended, and tells the id of each that is written. */
const sink = await fileSink(process.argv[2] ?? "", { clock: systemClock });
for (;;) {
  const events = [eventOf({ type: "mcp.tool_call" }), eventOf({ type: "mcp.tool_result" })];
  await sink.write(events);
  process.stdout.write(events.map(({ event_id }) => `${event_id}\n`).join(""));
}

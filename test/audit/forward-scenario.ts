// Writes events and sends them on until it is ended: arguments are the folder of the log and the URL of the receiver.
import { Audit } from "../../src/audit/audit.ts";
import { Forwarder } from "../../src/audit/forward/forwarder.ts";
import { HttpReceiver } from "../../src/audit/forward/http-receiver.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { fileSink } from "./file-sink.ts";
import { sendAnywhere } from "./forward-house.ts";

const [, , dir = "", endpoint = ""] = process.argv;
const audit = new Audit({
  sink: await fileSink(dir, { clock }),
  clock,
  version: "1",
  onWritten: () => forwarder.written(),
});
const forwarder = new Forwarder({
  ...{ dir, clock, delivery: "enforced", spoolBytes: 2 ** 30 },
  receiver: new HttpReceiver({ endpoint, apiKey: null, send: sendAnywhere }),
  record: (entry) => audit.record(entry),
});
forwarder.open();
const timer = setInterval(() => {
  for (let n = 0; n < 5; n++) audit.record({ type: "connection.added" });
}, 5);
process.once("SIGTERM", () => {
  clearInterval(timer);
  void audit
    .close()
    .then(() => forwarder.close())
    .then(() => process.exit(0));
});

import { Duplex } from "node:stream";
import t from "tap";
import { TargetConnection } from "../../../src/desktop/links/target-connection.ts";
import { FakeClock } from "../../fake-clock.ts";

t.test("what answers an update leaves in one write, after the viewers that the same turn woke", async (t) => {
  const order: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      order.push(`target ${bytes.toString()}`);
      done();
    },
  });
  const ports = {
    up: () => undefined,
    data: () => undefined,
    errorOf: (error: unknown) => {
      throw error;
    },
    closedByTarget: () => {
      throw new Error("the target did not close");
    },
    handshakeMessage: () => "",
    failed: (error: Error) => t.fail(error.message),
  };
  const connection = new TargetConnection(ports, new FakeClock());
  connection.open(() => stream, { emitsConnect: false, hasConnectLimit: false });
  connection.established();

  connection.write(Buffer.from("fence "));
  queueMicrotask(() => order.push("viewers"));
  connection.write(Buffer.from("request"));
  t.same(order, [], "nothing leaves while the parser runs");
  t.ok(connection.hasUnflushed);
  await new Promise(setImmediate);
  t.same(order, ["viewers", "target fence request"]);
  t.notOk(connection.hasUnflushed);
  connection.release(false);
});

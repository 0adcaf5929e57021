import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Connection, makeConnection } from "../../src/desktop/connection.ts";
import { FileConnectionStore } from "../../src/desktop/connection-store.ts";

/** Marks what was sealed, so that the test sees it. */
const sealer = {
  seal: (secret: string, purpose: string): string => `${purpose}#${secret.length}`,
  open: (sealed: string): string => "x".repeat(Number(sealed.split("#")[1])),
};

t.test("connections come back as they were saved, and passwords are sealed", async (t) => {
  const file = join(t.testdir(), "connections.json");
  const now = new Date(0);
  const connections: Connection[] = [
    makeConnection({ id: "a", protocol: "vnc", host: "desk", password: "xxxx" }, now),
    makeConnection(
      { id: "b", protocol: "vnc", host: "desk", security: ["X509Vnc"], fingerprint: "ab".repeat(32) },
      now,
    ),
  ];
  await new FileConnectionStore(file, sealer).save(connections);
  t.notOk(readFileSync(file, "utf8").includes("xxxx"));
  t.same(await new FileConnectionStore(file, sealer).load(), connections);
});

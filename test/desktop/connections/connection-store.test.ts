import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Connection, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { FileConnectionStore } from "../../../src/desktop/connections/connection-store.ts";

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

t.test("the path of a WebSocket is sealed, since it may hold a token; one kept open is read", async (t) => {
  const file = join(t.testdir(), "connections.json");
  const path = "/websockify?token=hunter2";
  const connection = makeConnection(
    { id: "a", protocol: "vnc", host: "desk", transport: "wss", path },
    new Date(0),
  );
  const exact = {
    seal: (text: string, purpose: string): string => Buffer.from(`${purpose} ${text}`).toString("hex"),
    open: (sealed: string, purpose: string): string =>
      Buffer.from(sealed, "hex")
        .toString()
        .slice(purpose.length + 1),
  };
  await new FileConnectionStore(file, exact).save([connection]);
  t.notMatch(readFileSync(file, "utf8"), "hunter2");
  t.same(await new FileConnectionStore(file, exact).load(), [connection]);
  const open = JSON.parse(readFileSync(file, "utf8"));
  delete open.connections[0].path_sealed;
  open.connections[0].path = path;
  writeFileSync(file, JSON.stringify(open));
  t.same(await new FileConnectionStore(file, exact).load(), [connection]);
});

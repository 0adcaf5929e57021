import t from "tap";
import { SharedConnections } from "../../src/appliance/shared-connections.ts";
import { type Connection, makeConnection } from "../../src/desktop/connections/connection.ts";
import type { ConnectionStore } from "../../src/desktop/connections/connection-store.ts";

/** What lies on the disk. */
class FakeStore implements ConnectionStore {
  connections: readonly Connection[] = [];
  isBroken = false;

  async load(): Promise<Connection[]> {
    return [...this.connections];
  }

  async save(connections: readonly Connection[]): Promise<void> {
    if (this.isBroken) throw new Error("no space left on device");
    this.connections = connections;
  }

  get ids(): string {
    return this.connections.map(({ id }) => id).join(" ");
  }
}

function connection(id: string): Connection {
  return makeConnection({ id, protocol: "vnc", host: "box" }, new Date(0));
}

t.test("what another process adds stays, what it removes stays away", async (t) => {
  const disk = new FakeStore();
  const [a, b, c, d] = ["a", "b", "c", "d"].map(connection);
  if (!a || !b || !c || !d) throw new Error("four connections");
  await disk.save([a, b]);
  const server = new SharedConnections(disk);
  t.same(await server.load(), [a, b]);
  const command = new SharedConnections(disk);
  await command.save([...(await command.load()), c]);
  await server.save([a, b, d]);
  t.equal(disk.ids, "a b c d", "added on both sides");
  await command.load();
  await command.save([b, c, d]);
  await server.save([a, b, d]);
  t.equal(disk.ids, "b c d", "not brought back by a server that still shows it");
  await server.save([a, d]);
  t.equal(disk.ids, "c d", "removed by the server itself");
});

t.test("what could not be written is written by the next save", async (t) => {
  const disk = new FakeStore();
  const store = new SharedConnections(disk);
  await store.load();
  disk.isBroken = true;
  await t.rejects(store.save([connection("a")]), { message: /no space/ });
  disk.isBroken = false;
  await store.save([connection("a"), connection("b")]);
  t.equal(disk.ids, "a b");
});

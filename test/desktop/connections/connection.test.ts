import { mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { FileConnectionStore } from "../../../src/desktop/connections/connection-store.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));

t.test("connection URLs: host, port, user and password, percent-encoded", async (t) => {
  t.match(connectionFromUrl("vnc://:p%40ss@10.0.0.7:5901"), {
    protocol: "vnc",
    host: "10.0.0.7",
    port: 5901,
    password: "p@ss",
  });
  t.notOk("username" in connectionFromUrl("vnc://:x@host"), "what was not said is absent");
  t.match(connectionFromUrl("vnc://ann:x@[::1]"), { host: "::1", username: "ann", password: "x" });
  t.match(makeConnection(connectionFromUrl("vnc://host"), NOW), { port: 5900, name: "host:5900" });
  t.match(makeConnection(connectionFromUrl("vnc+ws://host:81/socket?token=secret"), NOW), {
    name: "host:81",
  });
  t.match(connectionFromUrl("demo:"), { protocol: "demo" });
});

t.test("what is no connection URL is refused without showing its password", async (t) => {
  for (const url of [
    "http://x",
    "vnc://",
    "vnc://:secret@",
    "rdp://:secret@h",
    "vnc://:secret@h:99999",
    "x://:p@secret@h",
    "secret",
  ]) {
    try {
      connectionFromUrl(url);
      t.fail(`${url} was accepted`);
    } catch (error) {
      t.match(error, { code: "invalid_parameters" }, url);
      if (url !== "secret") t.notMatch(String(error), /secret/, url);
    }
  }
});

t.test("stored connections come back, sealed on disk, 0600", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const path = join(dir, "deep", "connections.json");
  const store = new FileConnectionStore(path, await SecretBox.open(dir));
  t.same(await store.load(), []);
  const connection = makeConnection({ protocol: "vnc", host: "h", password: "hunter2hunter2" }, NOW);
  await Promise.all([store.save([]), store.save([connection])]);
  t.same(await store.load(), [connection]);
  t.notMatch(await readFile(path, "utf8"), /hunter2/);
  t.equal((await stat(path)).mode & 0o777, 0o600);
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
  type Connection,
  connectionFromUrl,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import { SECRET_FIELDS, type SecretField } from "../../../src/desktop/connections/connection-fields.ts";
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

t.test("no field that is a secret stands in the file in clear", async (t) => {
  const secrets: Record<SecretField, { readonly said: string; readonly field: object }> = {
    password: { said: "hunter1", field: { password: "hunter1" } },
    path: { said: "hunter2", field: { path: "/websockify?token=hunter2" } },
    http_password: { said: "hunter3", field: { http_username: "ada", http_password: "hunter3" } },
    http_headers: { said: "hunter4", field: { http_headers: { "X-Token": "hunter4" } } },
  };
  for (const name of SECRET_FIELDS) {
    const file = join(t.testdir(), "connections.json");
    const { said, field } = secrets[name];
    const input = { id: "a", protocol: "vnc", host: "desk", transport: "wss", ...field } as const;
    await new FileConnectionStore(file, sealer).save([makeConnection(input, new Date(0))]);
    t.notMatch(readFileSync(file, "utf8"), said, name);
  }
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

t.test("the defaults that older versions kept where they were said are none", async (t) => {
  const file = join(t.testdir(), "connections.json");
  const store = new FileConnectionStore(file, sealer);
  const connection = makeConnection(
    { id: "a", protocol: "vnc", host: "desk", transport: "tcp" },
    new Date(0),
  );
  t.notOk("transport" in connection);
  await store.save([{ ...connection, transport: "tcp", rdp: {} }]);
  t.match(readFileSync(file, "utf8"), /"tcp"/);
  t.strictSame(await store.load(), [connection]);
});

t.test("a file as the versions before wrote it is read, and written the same again", async (t) => {
  const file = join(t.testdir(), "connections.json");
  const old = readFileSync(new URL("./stored-connections.json", import.meta.url), "utf8");
  writeFileSync(file, old);
  const store = new FileConnectionStore(file, {
    seal: (secret, purpose) => `${purpose} ${secret}`,
    open: (sealed, purpose) => sealed.slice(purpose.length + 1),
  });
  const connections = await store.load();
  const now = new Date(Date.UTC(2026, 10, 21));
  const made = (id: string, url: string, name?: string) =>
    makeConnection({ ...connectionFromUrl(url), id, ...(name === undefined ? {} : { name }) }, now);
  t.same(connections, [
    made(
      "plain",
      `vnc://ada:pw@desk:5901?security=X509Vnc,VncAuth&fingerprint=${"ab".repeat(32)}&encodings=zrle,raw&decoding=worker`,
      "Desk",
    ),
    made("web", "vnc+wss://:pw@box/desk?token=t&http_username=ada&http_password=x"),
    makeConnection(
      { id: "headers", protocol: "vnc", host: "box", transport: "ws", http_headers: { "X-Key": "k" } },
      now,
    ),
    made("socket", "vnc+unix:///run/desk.sock"),
    made("comes", "vnc+reverse://"),
    made("hub", "vnc+repeater://hub/77"),
    made("kasm", "kasmvnc+ws://ada:x@localhost"),
    made(
      "rdp",
      "rdp://DOM%5Cada:x@host?size=1920x1080&depth=24&graphics=pipeline&require_nla=on&keyboard_layout=0x407",
    ),
    made("screens", "rdp://a:b@host?monitors=800x600+640+0,640x480+0+0&require_nla=off"),
    made("demo", "demo:"),
  ]);
  await store.save(connections);
  t.same(JSON.parse(readFileSync(file, "utf8")), JSON.parse(old));
});

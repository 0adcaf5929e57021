import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import {
  type ConnectionInput,
  connectionFromUrl,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import { FileConnectionStore } from "../../../src/desktop/connections/connection-store.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const made = (url: string) => makeConnection(connectionFromUrl(url), NOW);

t.test("URLs name every way to get there", async (t) => {
  t.match(made("vnc+unix:///run/user/0/my%20desk.sock"), {
    ...{ transport: "unix", path: "/run/user/0/my desk.sock", host: "localhost", port: 0 },
    name: "/run/user/0/my desk.sock",
  });
  t.match(made("vnc+ws://:pw@box/desk?token=ab%2Fc&security=VncAuth&http_username=ada&http_password=x"), {
    ...{ transport: "ws", host: "box", port: 6080, path: "/desk?token=ab%2Fc", password: "pw" },
    security: ["VncAuth"],
    ...{ http_username: "ada", http_password: "x" },
  });
  t.match(made("vnc+wss://box:443"), { transport: "wss", port: 443, path: "/websockify" });
  t.match(made("vnc+reverse://"), { transport: "reverse", host: "127.0.0.1", port: 5500 });
  t.match(made("vnc+reverse://10.0.0.1:5501"), { host: "10.0.0.1", port: 5501 });
  t.match(made("vnc+repeater://hub/1234"), { repeater_id: "ID:1234", host: "hub", port: 5901 });
  t.match(made("vnc+repeater://hub:5999/inner:5900"), { repeater_id: "inner:5900", port: 5999 });
  t.match(made("kasmvnc+ws://ada:x@box"), { protocol: "kasmvnc", transport: "ws", port: 6901 });
  t.equal(made("vnc+tcp://box").port, 5900);
  t.same(made("vnc://box?encodings=ZRLE,raw").encodings, ["zrle", "raw"]);
  t.throws(() => made("vnc://box?encodings=magic"), { message: /"magic", expected one of copyrect, tight/ });
  t.notOk("transport" in made("vnc://box"), "what is not said is not kept");
});

t.test("ways that lead nowhere are refused by name", async (t) => {
  const bad: readonly [string, RegExp][] = [
    ["vnc+unix://", /socket path/],
    ["vnc+smoke://box", /scheme vnc\+smoke/],
    ["kasmvnc+unix:///x", /transport unix for kasmvnc/],
    ["vnc+repeater://hub", /repeater's id/],
    ["vnc+ws://", /names no host/],
  ];
  for (const [url, message] of bad) t.throws(() => made(url), { code: "invalid_parameters", message }, url);
  const inputs: readonly [Partial<ConnectionInput>, RegExp][] = [
    [{ transport: "unix", path: "relative" }, /absolute/],
    [{ transport: "unix", path: `/${"x".repeat(200)}` }, /201 bytes/],
    [{ transport: "ws", host: "box", path: "no-slash" }, /begins with/],
    [{ transport: "ws", host: "box", path: "/a\r\nb" }, /no spaces/],
    [{ transport: "tcp", host: "box", path: "/x" }, /got a path/],
    [{ host: "box", repeater_id: "1" }, /repeater's id/],
    [{ transport: "repeater", host: "box", repeater_id: "9".repeat(241) }, /241 characters/],
    [{}, /got no host/],
    [{ host: "box", http_username: "a", http_password: "b" }, /only with the transport ws/],
  ];
  for (const [input, message] of inputs) {
    t.throws(() => makeConnection({ protocol: "vnc", ...input }, NOW), { message }, JSON.stringify(input));
  }
  for (const [name, value] of [
    ["X\r\nEvil", "1"],
    ["X-Fine", "a\r\nEvil: 1"],
    ["Host", "other"],
    ["Sec-WebSocket-Protocol", "x"],
    ["", "x"],
  ] as const) {
    const web = { transport: "ws", host: "box", http_headers: { [name]: value } } as const;
    t.throws(() => makeConnection({ protocol: "vnc", ...web }, NOW), {
      message: /header that cannot be sent/,
    });
  }
});

t.test("an unreadable URL does not show the web server's password", async (t) => {
  try {
    connectionFromUrl("vnc+ws://bo x/?http_password=hunter2");
    t.fail("it was read");
  } catch (error) {
    t.match(error, { code: "invalid_parameters" });
    t.notMatch(String(error), /hunter2/);
  }
});

t.test("ways are stored and come back, their secrets sealed", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const path = join(dir, "connections.json");
  const store = new FileConnectionStore(path, await SecretBox.open(dir));
  const fields = {
    transport: "wss",
    ...{ path: "/desk", http_username: "ada", http_password: "hunter2" },
    http_headers: { "X-Key": "hunter3" },
  } as const;
  const connections = [
    makeConnection({ protocol: "vnc", host: "box", ...fields }, NOW),
    made("vnc+unix:///run/desk.sock"),
    made("vnc+repeater://hub/77?encodings=zlib"),
    made("vnc://box"),
  ];
  await store.save(connections);
  t.same(await store.load(), connections);
  t.notMatch(await readFile(path, "utf8"), /hunter/);
});

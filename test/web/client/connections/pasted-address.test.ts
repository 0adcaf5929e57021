import t from "tap";
import { fieldsOfAddress } from "../../../../src/web/client/connections/connection-form.ts";

t.test("an address fills the fields that it names", async (t) => {
  const cases = [
    ["vnc://box:5901", { protocol: "vnc", host: "box", port: "5901" }],
    [" VNC://10.0.0.7\n", { protocol: "vnc", host: "10.0.0.7" }],
    ["vnc://:s%40cret@box", { protocol: "vnc", host: "box", password: "s@cret" }],
    [
      "rdp://ann:pa%ss@[fe80::1]:3390",
      { protocol: "rdp", host: "fe80::1", username: "ann", password: "pa%ss", port: "3390" },
    ],
    [
      "kasmvnc://kasm_user@box:6901",
      { protocol: "kasmvnc", host: "box", username: "kasm_user", port: "6901" },
    ],
    ["wss://box/websockify", { protocol: "vnc", transport: "wss", host: "box", path: "/websockify" }],
    ["vnc://box:80", { protocol: "vnc", host: "box", port: "80" }],
  ] as const;
  for (const [text, fields] of cases) t.same(fieldsOfAddress(text), fields, text);
});

t.test("what is no address of a desktop is pasted as it is", async (t) => {
  for (const text of ["", "box", "box:5901", "https://box/", "vnc://", "vnc://two words", "my vnc://box"])
    t.equal(fieldsOfAddress(text), null, text);
});

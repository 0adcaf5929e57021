import t from "tap";
import { makeConnection } from "../../../../src/desktop/connections/connection.ts";
import { ENCODING_NAMES } from "../../../../src/protocols/rfb/encodings/list.ts";
import { connectionBodySchema, connectionEditSchema } from "../../../../src/web/api/api.ts";
import {
  connectionFromForm,
  editFromForm,
  formOf,
  leadsElsewhere,
} from "../../../../src/web/client/connections/connection-form.ts";
import {
  hasWays,
  headersIn,
  needsHost,
  PICTURES,
  usualPort,
  WAYS,
} from "../../../../src/web/client/connections/transport-choice.ts";

const form = (fields: Readonly<Record<string, string>>) =>
  connectionFromForm(new Map(Object.entries(fields)));

t.test("the form reads only what means something to the way", async (t) => {
  const all = {
    ...{ host: "box", path: "/p", repeater_id: "7", http_username: "ada", http_password: "x" },
    ...{ security: "X509Vnc", fingerprint: "AB" },
  };
  const same = { protocol: "vnc", host: "box", security: ["X509Vnc"], fingerprint: "AB" };
  const web = { path: "/p", http_username: "ada", http_password: "x" };
  t.same(form(all), same);
  t.same(form({ ...all, transport: "ws" }), { ...same, transport: "ws", ...web });
  t.same(form({ ...all, transport: "wss" }), { ...same, transport: "wss", ...web });
  t.same(form({ ...all, transport: "unix" }), { ...same, transport: "unix", path: "/p" });
  t.same(form({ ...all, transport: "repeater" }), { ...same, transport: "repeater", repeater_id: "7" });
  t.same(form({ ...all, transport: "reverse", host: "" }), {
    ...{ protocol: "vnc", transport: "reverse", security: ["X509Vnc"], fingerprint: "AB" },
  });
  t.same(form({ ...all, protocol: "kasmvnc", transport: "ws" }), {
    ...{ protocol: "kasmvnc", host: "box", transport: "ws", fingerprint: "AB" },
  });
  t.notMatch(form({ host: "box", transport: "pigeon", security: "magic" }), { transport: /./, security: [] });
});

t.test("headers are read a line each, and anything else is found", async (t) => {
  t.same(headersIn(""), {});
  t.same(headersIn("X-A: 1\r\n\n  Cookie:a=b; c=d  \nX-Empty:"), {
    "X-A": "1",
    Cookie: "a=b; c=d",
    "X-Empty": "",
  });
  for (const text of ["X-A", ": 1", "X A: 1", "X-A: 1\nnonsense", "X-A: a\u0000b", "X-Ä: 1"]) {
    t.equal(headersIn(text), null, JSON.stringify(text));
  }
  const web = { host: "box", transport: "wss", http_headers: "X-A: 1\nX-B: two" };
  t.match(form(web), { http_headers: { "X-A": "1", "X-B": "two" } });
  t.notOk("http_headers" in form({ ...web, transport: "" }), "only a web server has them");
  t.notOk("http_headers" in form({ ...web, http_headers: " " }));
  t.match(connectionBodySchema.parse(form(web)), { http_headers: { "X-A": "1" } });
});

t.test("every encoding that we speak can be asked for, and no other", async (t) => {
  t.same(new Set(Object.keys(PICTURES).filter((name) => name !== "")), new Set(ENCODING_NAMES));
  for (const name of ENCODING_NAMES) {
    t.same(connectionBodySchema.parse(form({ host: "box", encoding: name })).encodings, [name]);
  }
  t.notOk("encodings" in form({ host: "box", encoding: "" }));
  t.notOk("encodings" in form({ host: "box", encoding: "ultra" }));
  t.notOk("encodings" in form({ host: "box", encoding: "toString" }));
  t.notOk("encodings" in form({ host: "box", protocol: "kasmvnc", encoding: "tight" }));
});

t.test("every way of the form is one that the server takes", async (t) => {
  for (const [protocol, ways] of Object.entries(WAYS)) {
    for (const transport of Object.keys(ways)) {
      const fields = { protocol, transport, path: "/run/x", repeater_id: "7" };
      const body = connectionBodySchema.parse(
        form(needsHost(transport) ? { ...fields, host: "box" } : fields),
      );
      const made = makeConnection(body, new Date(0));
      t.equal(made.transport ?? "", transport, `${protocol} ${transport}`);
      if (transport !== "unix") t.equal(usualPort(body.protocol, transport), made.port, "its port is shown");
    }
  }
  t.notOk(hasWays("rdp"));
  const host = { protocol: "rdp", host: "box", username: "ada", password: "x" } as const;
  t.equal(usualPort("rdp", ""), makeConnection(host, new Date(0)).port);
});

t.test("the form to edit a connection puts back what it was given", async (t) => {
  for (const connection of [
    {
      ...{ protocol: "vnc", name: "Desk", host: "box", port: 5901, username: "ada" },
      ...{ security: ["X509Vnc", "VncAuth"], encodings: ["zrle", "raw"], fingerprint: "ab".repeat(32) },
      kept_secrets: ["password"],
    },
    {
      ...{ protocol: "vnc", host: "box", port: 6080, transport: "wss", http_username: "ada" },
      kept_secrets: ["password", "path", "http_password", "http_headers"],
    },
    { protocol: "vnc", transport: "unix", path: "/run/x", kept_secrets: [] },
    {
      ...{ protocol: "rdp", host: "box", port: 3389, username: "ada", kept_secrets: ["password"] },
      rdp: {
        monitors: [{ x: 0, y: 0, width: 800, height: 600 }],
        ...{ depth: 16, graphics: "bitmaps", require_nla: false, keyboard_layout: 0x407 },
      },
    },
  ] as const) {
    const info = connectionEditSchema.parse(structuredClone(connection));
    const { values, kept } = formOf(info);
    const edit = editFromForm(new Map(Object.entries(values)), kept);
    t.same(edit, connection);
    t.notOk(leadsElsewhere(edit, info));
    t.ok(leadsElsewhere({ ...edit, host: "other" }, info));
  }
  const { values, kept } = formOf({ protocol: "vnc", host: "box", kept_secrets: ["password"] });
  const replaced = editFromForm(new Map(Object.entries({ ...values, password: "new" })), kept);
  t.match(replaced, { password: "new", kept_secrets: [] });
});

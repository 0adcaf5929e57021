import t from "tap";
import { connectionFromUrl, makeConnection } from "../../../../src/desktop/connections/connection.ts";
import {
  changeOf,
  editedConnection,
  shownConnection,
} from "../../../../src/desktop/connections/connection-edit.ts";
import { ENCODING_NAMES } from "../../../../src/protocols/rfb/encodings/list.ts";
import { connectionBodySchema, connectionEditSchema } from "../../../../src/web/api/api.ts";
import {
  anewWords,
  connectionFromForm,
  editFromForm,
  forgetName,
  formOf,
} from "../../../../src/web/client/connections/connection-form.ts";
import {
  headersIn,
  needsHost,
  PICTURES,
  TRANSPORT_LABELS,
  usualPort,
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
  for (const [protocol, ways] of Object.entries(TRANSPORT_LABELS)) {
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
  const host = { protocol: "rdp", host: "box", username: "ada", password: "x" } as const;
  t.equal(usualPort("rdp", ""), makeConnection(host, new Date(0)).port);
});

t.test("the form to edit a connection puts back what it was given", async (t) => {
  for (const connection of [
    {
      ...{ protocol: "vnc", name: "Desk", host: "box", port: 5901, username: "ada" },
      ...{ security: ["X509Vnc", "VncAuth"], encodings: ["zrle", "raw"], fingerprint: "ab".repeat(32) },
      ...{ keep_awake_s: 240, kept_secrets: ["password"] },
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
    t.equal(anewWords(edit, info), null);
    const words = anewWords({ ...edit, host: "other" }, info);
    if (edit.kept_secrets?.length === 0) t.equal(words, null, "nothing is kept");
    else t.match(words, /only to the address it was for/);
  }
  const { values, kept } = formOf({ protocol: "vnc", host: "box", kept_secrets: ["password"] });
  const replaced = editFromForm(new Map(Object.entries({ ...values, password: "new" })), kept);
  t.match(replaced, { password: "new", kept_secrets: [] });
});

t.test("the form asks for kept secrets again where the server does, for each of them", async (t) => {
  const print = "ab".repeat(32);
  const cases: readonly [string, Readonly<Record<string, string>>, RegExp | null][] = [
    ["vnc://:pw@192.0.2.7", { name: "Desk" }, null],
    ["vnc://:pw@192.0.2.7?encodings=raw&security=X509Vnc,VncAuth", { name: "Desk" }, null],
    ["vnc+tcp://:pw@192.0.2.7", { name: "Desk" }, null],
    ["vnc+wss://:pw@192.0.2.7", { name: "Desk" }, null],
    ["vnc+wss://192.0.2.7", { host: "192.0.2.8" }, null],
    ["kasmvnc://ada:pw@192.0.2.7", { name: "Desk" }, null],
    ["kasmvnc+wss://ada:pw@192.0.2.7", { name: "Desk" }, null],
    [`kasmvnc://ada:pw@192.0.2.7?fingerprint=${print}`, { name: "Desk" }, null],
    ["rdp://ada:pw@192.0.2.7", { name: "Desk" }, null],
    ["rdp://ada:pw@192.0.2.7?keyboard_layout=1031", { name: "Desk" }, null],
    ["rdp://ada:pw@192.0.2.7", { rdp_nla: "on" }, null],
    [`vnc://:pw@192.0.2.7?fingerprint=${print}`, { fingerprint: "AB:".repeat(32).slice(0, -1) }, null],
    ["vnc+wss://:pw@192.0.2.7", { host: "192.0.2.8" }, /address/],
    ["vnc+wss://192.0.2.7/?t=1&http_username=a&http_password=b", { host: "192.0.2.8" }, /address/],
    ["kasmvnc+wss://ada:pw@192.0.2.7", { transport: "" }, /address/],
    [`vnc://:pw@192.0.2.7?fingerprint=${print}`, { fingerprint: "" }, /fingerprint/],
    ["vnc://:pw@192.0.2.7", { fingerprint: print }, /fingerprint/],
    ["vnc://:pw@192.0.2.7?security=X509Vnc", { security: "" }, /sign in/],
    ["vnc://:pw@192.0.2.7", { security: "VncAuth" }, /sign in/],
    ["rdp://ada:pw@192.0.2.7?require_nla=on", { rdp_nla: "" }, /sign in/],
    ["rdp://ada:pw@192.0.2.7", { rdp_nla: "off" }, /sign in/],
  ];
  for (const [url, written, expected] of cases) {
    const old = makeConnection({ ...connectionFromUrl(url), id: "a" }, new Date(0));
    const info = connectionEditSchema.parse(shownConnection(old));
    const { values, kept } = formOf(info);
    const sent = editFromForm(new Map(Object.entries({ ...values, ...written })), kept);
    const words = anewWords(sent, info);
    const edit = connectionEditSchema.parse(sent);
    const what = `${url} ${JSON.stringify(written)}`;
    if (expected === null) {
      t.equal(words, null, what);
      const edited = editedConnection(old, edit);
      if ("name" in written) t.equal(changeOf(old, edited), "name", what);
      continue;
    }
    t.match(words, expected, what);
    t.throws(() => editedConnection(old, edit), { message: /expected them anew/ }, what);
    const secrets = { password: "n", path: "/n", http_password: "n" };
    const anew = Object.fromEntries(
      Object.entries(secrets).filter(([name]) => edit.kept_secrets?.some((secret) => secret === name)),
    );
    const again = editFromForm(new Map(Object.entries({ ...values, ...written, ...anew })), kept);
    t.equal(anewWords(again, info), null, what);
    t.doesNotThrow(() => editedConnection(old, connectionEditSchema.parse(again)), what);
  }
});

t.test("a kept secret can be forgotten, where nothing else would be kept without it", async (t) => {
  const place = { protocol: "vnc", host: "192.0.2.7", transport: "wss", id: "a" } as const;
  const secrets = { password: "pw", path: "/?t=1", http_username: "ada", http_password: "pw" };
  const old = makeConnection({ ...place, ...secrets, http_headers: { "X-Desk": "1" } }, new Date(0));
  const info = connectionEditSchema.parse(shownConnection(old));
  const { values, kept } = formOf(info);
  t.same(kept, ["password", "path", "http_password", "http_headers"]);
  const written = (fields: Readonly<Record<string, string>>) =>
    connectionEditSchema.parse(editFromForm(new Map(Object.entries({ ...values, ...fields })), kept));
  for (const name of ["password", "http_password"] as const) {
    const edit = written({ [forgetName(name)]: "on" });
    t.equal(anewWords(edit, info), null);
    t.notOk(editedConnection(old, edit)[name]);
    t.equal(changeOf(old, editedConnection(old, edit)), "options");
    t.match(written({ [forgetName(name)]: "on", [name]: "new" }), { [name]: "new" });
  }
  for (const [fields, words] of [
    [{ forget_path: "on" }, /address/],
    [{ forget_http_headers: "on" }, /headers/],
    [{ http_headers: "X-Desk: 2" }, /headers/],
  ] as const) {
    const edit = written(fields);
    t.match(anewWords(edit, info), words);
    t.throws(() => editedConnection(old, edit), { message: /expected them anew/ });
  }
  const all = written(Object.fromEntries(kept.map((name) => [forgetName(name), "on"])));
  t.equal(anewWords(all, info), null);
  t.same(shownConnection(editedConnection(old, all)).kept_secrets, []);
});

t.test("a web server's password goes with its user", async (t) => {
  const { values, kept } = formOf({
    ...{ protocol: "vnc", host: "box", transport: "wss", http_username: "ada" },
    kept_secrets: ["http_password"],
  });
  t.same(editFromForm(new Map(Object.entries(values)), kept).kept_secrets, ["http_password"]);
  t.same(editFromForm(new Map(Object.entries({ ...values, http_username: "" })), kept).kept_secrets, []);
});

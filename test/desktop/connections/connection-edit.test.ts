import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import {
  type Connection,
  connectionFromUrl,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import {
  changeOf,
  editedConnection,
  shownConnection,
} from "../../../src/desktop/connections/connection-edit.ts";
import { allConnectionFields, readFields } from "../../../src/desktop/connections/connection-fields.ts";
import { connectionWarnings } from "../../../src/desktop/connections/connection-warnings.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { Desktops, type DesktopsEvent } from "../../../src/desktop/desktops.ts";
import { connectionEditSchema } from "../../../src/web/api/api.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const HUMAN: Actor = { kind: "human", id: "h", name: "Ann" };
const ADMIN: Actor = { ...HUMAN, authority: "rules" };
const made = (url: string): Connection => makeConnection({ ...connectionFromUrl(url), id: "a" }, NOW);

t.test("what is shown of a connection has no secret, and put back changes nothing", async (t) => {
  for (const url of [
    "vnc://ada:hunter2@192.0.2.7:5901?security=X509Vnc&encodings=zrle,raw&decoding=worker&keep_awake_s=240",
    "vnc+wss://:hunter2@192.0.2.7/desk?token=hunter2&http_username=ada&http_password=hunter2",
    "vnc+unix:///run/desk.sock",
    "vnc+repeater://192.0.2.7/77",
    "kasmvnc://ada:hunter2@192.0.2.7",
    "rdp://ada:hunter2@192.0.2.7?monitors=800x600+640+0,640x480+0+0&require_nla=off&depth=16",
    "browser:",
    "browser:https://example.org/a?b=c",
    "browser:?page=https%3A%2F%2Fexample.org%2F&profile=shop&width=800&height=600&networks=all&sandbox=off",
  ]) {
    const connection = made(url);
    const shown = shownConnection(connection);
    t.notMatch(JSON.stringify(shown), /hunter2/, url);
    t.same(editedConnection(connection, shown), connection, url);
    t.same(connectionEditSchema.parse(shown), shown, `PUT takes what GET gave: ${url}`);
  }
  t.same(
    shownConnection(made("vnc+wss://:pw@192.0.2.7/desk?http_username=ada&http_password=x")).kept_secrets,
    ["password", "path", "http_password"],
  );
  t.same(
    Object.keys(connectionEditSchema.shape).toSorted(),
    [...Object.keys(allConnectionFields), "kept_secrets"].toSorted(),
    "PUT knows every field that a connection has",
  );
  t.throws(() => shownConnection(made("demo:")), { message: /got protocol "demo", expected one of vnc/ });
});

t.test("a stored secret goes to no other place, and one that is not kept is gone", async (t) => {
  const old = made("vnc://ada:hunter2@192.0.2.7:5901");
  const kept_secrets = ["password"] as const;
  const same = { protocol: "vnc", host: "192.0.2.7", port: 5901 } as const;
  t.match(editedConnection(old, { ...same, kept_secrets }), { password: "hunter2", username: null });
  t.equal(editedConnection(old, same).password, null);
  t.equal(editedConnection(old, { ...same, kept_secrets, password: "new" }).password, "new");
  for (const place of [{ host: "192.0.2.8" }, { port: 5902 }, { transport: "wss" }] as const) {
    t.throws(() => editedConnection(old, { ...same, ...place, kept_secrets }), {
      code: "invalid_parameters",
      message: /kept_secrets with password, expected them anew/,
    });
    t.equal(changeOf(old, editedConnection(old, { ...same, ...place, password: "new" })), "place");
  }
  t.equal(
    changeOf(old, editedConnection(old, { ...same, kept_secrets, username: "ada", name: "N" })),
    "name",
  );
  t.equal(changeOf(old, editedConnection(old, { ...same, kept_secrets, name: old.name })), "options");
  t.throws(() => editedConnection(old, { ...same, protocol: "kasmvnc" }), {
    message: /got the protocol kasmvnc, expected vnc/,
  });
});

t.test("defaults said and not said are one place and one wish", async (t) => {
  const input = { protocol: "vnc", host: "192.0.2.7", port: 5901, id: "a" } as const;
  const { id: _, ...edit } = input;
  const old = makeConnection({ ...input, transport: "tcp", password: "pw" }, NOW);
  const kept_secrets = ["password"] as const;
  const renamed = editedConnection(old, { ...edit, name: "Desk", kept_secrets });
  t.match(renamed, { name: "Desk", password: "pw" });
  t.equal(changeOf(old, renamed), "name");
  t.equal(changeOf(renamed, editedConnection(renamed, { ...edit, transport: "tcp", kept_secrets })), "name");
  const rdp = made("rdp://ada:pw@192.0.2.7");
  const { rdp: none, ...shown } = shownConnection(rdp);
  t.equal(none, undefined);
  t.equal(changeOf(rdp, editedConnection(rdp, { ...shown, rdp: {}, name: "Desk" })), "name");
  const tls = makeConnection({ protocol: "kasmvnc", host: "192.0.2.7", transport: "wss" }, NOW);
  const auto = makeConnection({ protocol: "kasmvnc", host: "192.0.2.7", id: tls.id }, NOW);
  t.equal(changeOf(tls, auto), "place", "without wss KasmVNC may do without TLS on this machine");
});

t.test("the default path of a WebSocket is no secret, one that was chosen is", async (t) => {
  const old = made("vnc+wss://:pw@192.0.2.7");
  const shown = shownConnection(old);
  t.match(shown, { path: "/websockify", kept_secrets: ["password"] });
  const moved = { ...shown, host: "192.0.2.8", password: "new" };
  t.match(editedConnection(old, moved), { host: "192.0.2.8", path: "/websockify", password: "new" });
  const secret = made("vnc+wss://:pw@192.0.2.7/websockify?token=x");
  t.throws(
    () => editedConnection(secret, { ...shownConnection(secret), host: "192.0.2.8", password: "new" }),
    {
      message: /kept_secrets with path, expected them anew/,
    },
  );
});

t.test("a stored secret is not kept without what protected it", async (t) => {
  const print = "ab".repeat(32);
  const other = "cd".repeat(32);
  const refused: readonly [string, object, RegExp][] = [
    [`vnc://:pw@192.0.2.7?fingerprint=${print}`, { fingerprint: other }, /got another fingerprint/],
    [`vnc://:pw@192.0.2.7?fingerprint=${print}`, { fingerprint: undefined }, /got another fingerprint/],
    ["vnc://:pw@192.0.2.7", { fingerprint: other }, /got another fingerprint/],
    [`vnc+wss://192.0.2.7/t?fingerprint=${print}`, { fingerprint: undefined }, /with path/],
    ["vnc://:pw@192.0.2.7?security=X509Vnc", { security: ["X509Vnc", "VncAuth"] }, /another security/],
    ["vnc://:pw@192.0.2.7?security=X509Vnc", { security: undefined }, /another security/],
    ["rdp://a:pw@192.0.2.7?require_nla=on", { rdp: { require_nla: false } }, /require_nla/],
    ["rdp://a:pw@192.0.2.7?require_nla=on", { rdp: undefined }, /require_nla/],
    ["rdp://a:pw@192.0.2.7", { rdp: { require_nla: false } }, /require_nla/],
  ];
  for (const [url, change, message] of refused) {
    const old = made(url);
    const { kept_secrets = [], ...shown } = shownConnection(old);
    const said = Object.entries({ ...shown, ...change }).filter(([, value]) => value !== undefined);
    const edit = Object.fromEntries(said);
    t.throws(() => editedConnection(old, { ...readFields(edit), kept_secrets }), {
      code: "invalid_parameters",
      message,
    });
    t.throws(() => editedConnection(old, { ...readFields(edit), kept_secrets }), {
      message: /expected them anew/,
    });
    const anew = readFields({ ...edit, password: "new", ...(old.path === undefined ? {} : { path: "/t" }) });
    t.equal(editedConnection(old, { ...anew, kept_secrets }).password, "new", "all of it written anew");
  }
  const web = { protocol: "vnc", host: "192.0.2.7", transport: "wss", id: "a" } as const;
  const routed = makeConnection({ ...web, password: "pw", http_headers: { "X-Desk": "1" } }, NOW);
  const { id: _, ...way } = web;
  for (const http_headers of [{ "X-Desk": "2" }, { "X-Desk": "1", "X-Other": "b" }, {}]) {
    const said = { ...way, http_headers, kept_secrets: ["password"] } as const;
    t.throws(() => editedConnection(routed, said), { message: /got other http_headers.*with password/ });
    t.equal(editedConnection(routed, { ...said, password: "new" }).password, "new");
  }
  t.throws(() => editedConnection(routed, { ...way, kept_secrets: ["password"] }), {
    message: /http_headers/,
  });
  const again = { ...way, http_headers: { "X-Desk": "1" }, kept_secrets: ["password"] } as const;
  t.equal(editedConnection(routed, again).password, "pw", "the same headers written again");
  t.equal(editedConnection(routed, shownConnection(routed)).password, "pw");
  const stricter = made("rdp://a:pw@192.0.2.7?require_nla=off");
  for (const rdp of [{ require_nla: true }, { depth: 16 }] as const) {
    t.equal(editedConnection(stricter, { ...shownConnection(stricter), rdp }).password, "pw");
  }
});

t.test("unknown fields are named, and what else was given is not told", async (t) => {
  t.throws(() => readFields({ protocol: "vnc", host: "h", password: "hunter2", colour: "red", size: 1 }), {
    code: "invalid_parameters",
    message: "got colour, size, expected only known fields",
  });
  t.throws(() => readFields({ protocol: "rdp", rdp: { depth: 16, colour: "red" } }), {
    message: "got rdp.colour, expected only known fields",
  });
});

function registry() {
  const links: Connection[] = [];
  const saved: Connection[][] = [];
  const events: DesktopsEvent["type"][] = [];
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000, approvalArmingMs: 0 },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: (connection) => {
        links.push(connection);
        return new FakeLink();
      },
      store: { load: async () => [], save: async (kept) => void saved.push([...kept]) },
      ownListeners: () => [{ port: 3000 }],
    },
  );
  desktops.on(({ type }) => events.push(type));
  return { desktops, links, saved, events };
}

t.test("an edited desktop connects anew with what was said, and is stored", async (t) => {
  const { desktops, links, saved, events } = registry();
  const input = { protocol: "vnc", host: "192.0.2.7", password: "wrong" } as const;
  const { id } = await desktops.add(input, HUMAN);
  await desktops.edit(id, { ...input, password: "right" }, HUMAN);
  t.equal(links.at(-1)?.password, "right");
  t.equal(saved.at(-1)?.[0]?.password, "right");
  t.same(events, ["added", "changed"]);
  await desktops.edit(id, { ...input, password: "right", name: "Ann's" }, HUMAN);
  t.equal(links.length, 2, "another name needs no other link");
  t.equal(desktops.get(id).name, "Ann's");
  t.ok(desktops.isStored(id));
  await desktops.close();
});

t.test("the address of an edit is judged as that of one added", async (t) => {
  const { desktops, links } = registry();
  const { id } = await desktops.add({ protocol: "vnc", host: "192.0.2.7" }, HUMAN);
  for (const place of [{ host: "169.254.169.254" }, { host: "127.0.0.1", port: 3000 }]) {
    await t.rejects(desktops.edit(id, { protocol: "vnc", ...place }, HUMAN), { code: "permission_denied" });
  }
  await t.rejects(desktops.edit("none", { protocol: "vnc", host: "192.0.2.7" }, HUMAN), {
    code: "not_found",
  });
  t.equal(links.length, 1);
  t.equal(desktops.get(id).connection.host, "192.0.2.7");
  await desktops.close();
});

t.test("nobody gets out of an administrator's rules by another address", async (t) => {
  const { desktops } = registry();
  const { id } = await desktops.add({ protocol: "vnc", host: "192.0.2.7" }, HUMAN);
  const { id: other } = await desktops.add({ protocol: "vnc", host: "192.0.2.8" }, HUMAN);
  desktops.get(id).setMode("custom", ADMIN, { keys: "deny" });
  const there = { protocol: "vnc", host: "192.0.2.9" } as const;
  t.not(desktops.get(id).limits(), null);
  await t.rejects(desktops.edit(id, there, HUMAN), { code: "permission_denied", message: /rules hold/ });
  await t.rejects(desktops.edit(other, { ...there, host: "192.0.2.7" }, HUMAN), {
    code: "permission_denied",
  });
  await desktops.edit(id, { protocol: "vnc", host: "192.0.2.7", password: "new" }, HUMAN);
  t.match(await desktops.edit(id, there, ADMIN), { connection: { host: "192.0.2.9" } });
  t.not(desktops.get(id).limits(), null, "they stay");
  await desktops.close();
});

t.test("warnings say what is lost, of monitors too", async (t) => {
  const warned = (url: string): string => connectionWarnings(made(url)).join("\n");
  t.equal(warned("rdp://a:b@host"), "");
  t.match(
    warned("rdp://a:b@host?monitors=801x600+0+0,640x480+801+0"),
    /2 monitors are asked for.*get_display_info/,
  );
  t.match(warned("rdp://a:b@host?monitors=801x600+0+0,640x480+801+0"), /a width of 801/);
  t.equal(warned("rdp://a:b@host?monitors=800x600+0+0"), "");
  const half = { ...made("rdp://a:b@host"), rdp: { width: 1920 } };
  t.match(connectionWarnings(half).join(), /only one of width and height/);
  t.match(connectionWarnings({ ...made("vnc://:pw@host"), rdp: {} }).join(), /means nothing to vnc/);
  t.match(connectionWarnings({ ...made("kasmvnc://a:b@host"), encodings: ["raw"] }).join(), /are for vnc/);
});

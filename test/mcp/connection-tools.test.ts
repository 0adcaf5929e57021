import t from "tap";
import { LinkError } from "../../src/desktop/error.ts";
import { callsTo } from "./call.ts";
import { ADMIN, fakeHouse, OTHER } from "./fake-house.ts";

t.test("list_connections shows everything but secrets", async (t) => {
  const house = fakeHouse();
  const error = new LinkError("unreachable", "nothing listens on 10.0.0.2:5900");
  house.desktops.get("two").state = { kind: "reconnecting", attempt: 1, nextAtMs: 0, error };
  const { structured, text } = await callsTo(house)("list_connections");
  t.match(structured, {
    ...{ success: true, total_connections: 2, protocol_recommendations: { vnc: /VNC/ } },
    connections: [
      {
        ...{
          id: "one",
          name: "Build VM",
          host: "127.0.0.1",
          protocol: "vnc",
          protocol_info: { description: /VNC/, exact: true },
        },
        created_at: "1970-01-01T00:00:00.000Z",
        port: 5901,
        has_password: true,
        has_username: false,
        is_active: true,
        last_connected: /2026/,
      },
      {
        id: "two",
        port: 5900,
        has_password: false,
        is_active: false,
        last_connected: null,
        problem: /unreachable/,
      },
    ],
  });
  t.match(text, /one: Build VM, vnc:\/\/127.0.0.1:5901, live, active/);
  t.notMatch(JSON.stringify(structured) + text, /hunter2/);
});

t.test("set_active_connection is each caller's own choice", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const { structured } = await call("set_active_connection", { connection_id: "two" });
  t.match(structured, { success: true, active_connection: { id: "two", is_active: true } });
  await call("click_at", { x: 1, y: 1 });
  await call("click_at", { x: 1, y: 1 }, { principal: OTHER });
  t.equal(house.desktops.get("two").performed.length, 1);
  t.equal(house.desktops.get("one").performed.length, 1);
  t.match((await call("set_active_connection", { connection_id: "no" })).error, {
    code: "not_found",
    hint: /list_connections/,
  });
});

t.test("an admin adds a connection, for an agent a human is asked", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const args = { name: "New", host: "10.1.1.1", protocol: "vnc", password: "longer-than-8" };
  const refused = await call("add_connection", args);
  t.match(refused.error, { code: "denied_by_human" });
  t.equal(house.desktops.all.length, 2);
  const { structured, text } = await call("add_connection", args, { principal: ADMIN });
  t.match(structured, {
    success: true,
    connection: { name: "New", port: 5900, has_password: true },
    errors: [],
  });
  t.match(structured["warnings"], [/first 8 characters/]);
  t.notMatch(JSON.stringify(structured) + text, /longer-than-8/);
  const bare = await call("add_connection", { name: "N", host: "h", protocol: "vnc" }, { principal: ADMIN });
  t.match(bare.structured["warnings"], [/no password/]);
  const kasm = await call(
    "add_connection",
    { name: "K", host: "kasm", protocol: "kasmvnc", password: "longer-than-8" },
    { principal: ADMIN },
  );
  t.match(kasm.structured, { connection: { protocol: "kasmvnc", port: 6901 } });
  t.same(kasm.structured["warnings"], [
    "no user name was given: KasmVNC asks for one unless its basic authentication is off",
  ]);
  t.match(
    (await call("add_connection", { ...args, protocol: "telnet" }, { principal: ADMIN })).text,
    /protocol/,
  );
});

t.test("add_connection says why what it added is not live, and what the host may not give", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  house.desktops.problemOfAdded = new LinkError("auth_failed", "the password is wrong");
  const monitors = [
    { x: 0, y: 0, width: 801, height: 600 },
    { x: 801, y: 0, width: 640, height: 480 },
  ];
  const { structured, text } = await call(
    "add_connection",
    { name: "R", host: "h", protocol: "rdp", username: "a", password: "b", rdp: { monitors } },
    { principal: ADMIN },
  );
  t.match(structured, {
    success: true,
    errors: ["auth_failed: the password is wrong"],
    warnings: [/2 monitors are asked for/, /a width of 801/],
  });
  t.match(text, /Added .*It is not live: auth_failed.*Note: 2 monitors/);
});

t.test("test_connection says how far the handshake got", async (t) => {
  const call = callsTo(fakeHouse());
  const good = await call("test_connection", { connection_id: "one" });
  t.match(good.structured, { success: true, last_connected: /2026/, steps: [{ ok: true }, { ok: true }] });
  const bad = await call("test_connection", { connection_id: "two" });
  t.match(bad.structured, {
    success: false,
    message: /password/,
    steps: [{ name: "connect" }, { ok: false }],
  });
  t.notOk(bad.isError, "the test itself worked");
  t.match(bad.text, /failed: authenticate/);
});

t.test("remove_connection needs more than an agent's token", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  t.match((await call("remove_connection", { connection_id: "two" })).error, { code: "permission_denied" });
  const done = await call("remove_connection", { connection_id: "two" }, { principal: ADMIN });
  t.match(done.structured, { success: true, message: /Test VM/ });
  t.same(
    house.desktops.all.map(({ id }) => id),
    ["one"],
  );
});

t.test("get_display_info lists the monitors, and invents no scale", async (t) => {
  const { structured } = await callsTo(fakeHouse())("get_display_info");
  t.same(structured, {
    displays: [
      {
        monitor_index: 0,
        bounds: { x: 0, y: 0, width: 1280, height: 800 },
        scale_factor: null,
        is_primary: true,
      },
      {
        monitor_index: 1,
        bounds: { x: 1280, y: 0, width: 640, height: 480 },
        scale_factor: null,
        is_primary: false,
      },
    ],
    total_virtual_screen: { x: 0, y: 0, width: 1920, height: 800 },
  });
});

t.test("a house without connections says so", async (t) => {
  const house = fakeHouse();
  house.desktops.all.splice(0);
  const call = callsTo(house);
  t.match((await call("list_connections")).structured, { total_connections: 0, connections: [] });
  t.match((await call("take_screenshot")).error, { code: "not_found" });
});

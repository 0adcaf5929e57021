import t from "tap";
import { eventMessageSchema, overlayMessageSchema } from "../../src/web/api/api.ts";
import { openHouse, SocketPeer, upgradeStatus } from "./fake-house.ts";

t.test("/ws/overlays tells all five messages of the protocol", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const { scene } = house.desktops.get("d1");
  scene.draw("o1", "a");
  const peer = new SocketPeer(t, `ws://${host}/ws/overlays`, house.bearer("viewer"));
  const next = async () => overlayMessageSchema.parse(await peer.next());
  t.match(await next(), {
    type: "sync_state",
    desktop_id: "d1",
    width: 640,
    height: 480,
    monitors: [{ x: 0, y: 0, width: 640, height: 480 }],
    overlays: [{ id: "o1", kind: "box", x: 100, color: "#ffcc00", label: "Save", click_through: true }],
  });
  scene.draw("o2", "b");
  t.match(await next(), {
    type: "overlay_created",
    desktop_id: "d1",
    overlay: { id: "o2", monitor_index: 0 },
  });
  scene.remove("o1");
  t.strictSame(await next(), { type: "overlay_removed", desktop_id: "d1", overlay_id: "o1" });
  peer.socket.send('{"type":"request_sync"}');
  t.match(await next(), { type: "sync_state", overlays: [{ id: "o2" }] });
  scene.clear(null);
  t.strictSame(await next(), { type: "clear_overlays", desktop_id: "d1" });
});

t.test("clearing one owner's overlays leaves the others standing on the page", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const { scene } = house.desktops.get("d1");
  for (const [id, owner] of [
    ["o1", "a"],
    ["o2", "b"],
    ["o3", "a"],
  ] as const)
    scene.draw(id, owner);
  const peer = new SocketPeer(t, `ws://${host}/ws/overlays?desktop=d1`, house.bearer("viewer"));
  await peer.next();
  scene.clear("a");
  t.match(
    [await peer.next(), await peer.next()],
    [
      { type: "overlay_removed", overlay_id: "o1" },
      { type: "overlay_removed", overlay_id: "o3" },
    ],
  );
});

t.test(
  "/ws/overlays follows its desktop: a resize syncs, removal closes, and nothing is left listening",
  async (t) => {
    const house = await openHouse(t);
    const host = await house.listen();
    const desktop = house.desktops.open("d2");
    const idle = desktop.scene.listeners.size;
    const peer = new SocketPeer(t, `ws://${host}/ws/overlays?desktop=d2`, house.bearer("agent"));
    t.match(await peer.next(), { desktop_id: "d2", width: 640 });
    desktop.size = { width: 800, height: 600 };
    desktop.emit({ type: "resize", size: desktop.size, screens: [] });
    t.match(await peer.next(), { type: "sync_state", width: 800, height: 600 });
    await house.desktops.remove("d2");
    t.equal(await peer.closed, 1001);
    await house.app.close();
    t.equal(desktop.scene.listeners.size, idle);
    t.equal(desktop.listeners.size, 1, "its own requests alone listen");
    t.equal(house.desktops.listeners.size, 0);
  },
);

t.test("what is not in the protocol closes the socket with the reason's code", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const cases: readonly (readonly [send: string | Buffer, code: number])[] = [
    ["not json", 1003],
    [Buffer.from('{"type":"request_sync"}'), 1003],
    ['{"type":"overlay_created"}', 1008],
    ["null", 1008],
    ['{"type":["request_sync"]}', 1008],
    [`{"type":"request_sync","x":"${"y".repeat(64 * 1024)}"}`, 1009],
    [Buffer.alloc(1024 * 1024), 1009],
  ];
  for (const [message, code] of cases) {
    const peer = new SocketPeer(t, `ws://${host}/ws/overlays`, house.bearer("viewer"));
    await peer.opened;
    peer.socket.send(message);
    t.equal(await peer.closed, code, `${message.length} bytes`);
  }
  const events = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  await events.opened;
  events.socket.send('{"type":"hello"}');
  t.equal(await events.closed, 1008);
  t.equal((await house.app.inject({ url: "/health" })).statusCode, 200);
});

t.test("a flood of sync requests ends the socket", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const peer = new SocketPeer(t, `ws://${host}/ws/overlays`, house.bearer("viewer"));
  await peer.opened;
  for (let n = 0; n < 21; n++) peer.socket.send('{"type":"request_sync"}');
  t.equal(await peer.closed, 1008);
});

t.test("a page that stopped reading is cut off before it costs more than a megabyte or so", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const stuck = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  const fine = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  await Promise.all([stuck.next(), fine.next()]);
  stuck.socket.pause();
  const ours = [...house.app.websocketServer.clients];
  let sent = 0;
  let highest = 0;
  while (house.app.websocketServer.clients.size === 2 && sent < 20_000) {
    sent += 1;
    house.clients.add(`${"n".repeat(90)}${sent}`);
    for (const socket of ours) highest = Math.max(highest, socket.bufferedAmount);
    await fine.next();
  }
  t.equal(house.app.websocketServer.clients.size, 1, `cut after ${sent} messages`);
  t.ok(highest < 1.2 * 1024 * 1024, `${highest} bytes`);
});

t.test("/ws/events says hello with everything, then each change once", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const desktop = house.desktops.get("d1");
  house.clients.add("claude-code");
  desktop.ask("a0");
  const approver = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("approver"));
  const viewer = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  const both = async () => {
    const [one, other] = [eventMessageSchema.parse(await approver.next()), await viewer.next()];
    t.strictSame(one, other);
    return one;
  };
  t.match(await approver.next(), {
    type: "hello",
    desktops: [{ id: "d1" }],
    approvals: [{ id: "a0", text: "typed words" }],
    clients: [{ name: "claude-code" }],
  });
  t.match(await viewer.next(), { type: "hello", approvals: [] });

  const by = { kind: "human", id: "1", name: "Ann", authority: "rules" } as const;
  desktop.setMode("autopilot", by);
  desktop.stop(by);
  t.match(await both(), { type: "desktop", desktop: { mode: "autopilot", is_stopped: true } });
  desktop.emit({ type: "bell" });
  desktop.emit({ type: "clipboard", text: "secret words" });
  t.strictSame(await both(), { type: "clipboard", desktop_id: "d1", length: 12 });
  desktop.ask("a1");
  t.match(await approver.next(), { type: "approval", approval: { id: "a1", text: "typed words" } });
  house.clients.add("cursor");
  t.match(await both(), { type: "clients", clients: [{ name: "claude-code" }, { name: "cursor" }] });
  desktop.emit({
    type: "action",
    record: {
      id: "r",
      at: "2026-11-21T00:00:00.000Z",
      actor: by,
      kind: "click",
      summary: "Click",
      intent: null,
      outcome: "done",
      code: null,
      wasConfirmed: false,
      recorded: { changed: null, changedRects: [] },
      effect: null,
      durationMs: 1,
    },
  });
  t.match(await both(), { type: "action", action: { id: "r", desktop_id: "d1", changed: null } });
  house.desktops.open("d2");
  t.match(await both(), { type: "desktop", desktop: { id: "d2" } });
  house.desktops.get("d2").emit({ type: "name", name: "new" });
  t.match(await both(), { type: "desktop", desktop: { id: "d2" } });
  await house.desktops.remove("d2");
  t.strictSame(await both(), { type: "desktop_removed", desktop_id: "d2" });
});

t.test("viewers are handed over with what their address asks for", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const open = async (path: string, role: "operator" | "viewer" | "agent" | "approver") => {
    const peer = new SocketPeer(t, `ws://${host}${path}`, house.bearer(role), ["binary"]);
    await peer.opened;
    t.equal(peer.socket.protocol, "binary");
    return house.rfb.at(-1);
  };
  t.match(await open("/ws/desktops/d1", "operator"), {
    desktopId: "d1",
    options: { viewport: null, composite: true, viewOnly: false },
  });
  t.match(await open("/ws/desktops/d1?vx=1&vy=2&vw=3&vh=4&scale=0.5&composite=0&view_only=1", "operator"), {
    options: { viewport: { x: 1, y: 2, width: 3, height: 4 }, composite: false, viewOnly: true },
  });
  t.match(await open("/ws/desktops/d1?say=UkZC", "operator"), { options: { said: Buffer.from("RFB") } });
  await t.rejects(open("/ws/desktops/d1?say=%2F%2B", "operator"), "what is no base64url");
  for (const role of ["viewer", "agent", "approver"] as const) {
    t.match(
      await open("/websockify?view_only=0", role),
      { desktopId: "d1", options: { viewOnly: true } },
      role,
    );
  }
  const plain = new SocketPeer(t, `ws://${host}/websockify`, house.bearer("viewer"));
  await plain.opened;
  t.equal(plain.socket.protocol, "");
  t.equal(house.rfb.length, 7);
});

t.test("a viewer's address that makes no sense is refused before the upgrade", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  for (const query of [
    "vx=1",
    "vx=0&vy=0&vw=0&vh=1",
    "vx=a&vy=0&vw=1&vh=1",
    "composite=2",
    "view_only=yes",
  ]) {
    t.equal(await upgradeStatus(`ws://${host}/ws/desktops/d1?${query}`, house.bearer("viewer")), 400, query);
  }
  t.equal(await upgradeStatus(`ws://${host}/ws/overlays?desktop=none`, house.bearer("viewer")), 404);
  await house.desktops.remove("d1");
  t.equal(await upgradeStatus(`ws://${host}/websockify`, house.bearer("viewer")), 404);
  t.equal(house.rfb.length, 0);
});

t.test("a peer that vanished is found by a ping, one that answers stays", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const gone = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  const here = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  await Promise.all([gone.next(), here.next()]);
  gone.socket.pause();
  const pinged = new Promise((resolve) => here.socket.once("ping", resolve));
  const answered = new Promise((resolve) => {
    for (const socket of house.app.websocketServer.clients) socket.once("pong", resolve);
  });
  house.clock.advance(30_000);
  await Promise.all([pinged, answered]);
  house.clock.advance(30_000);
  house.clients.add("still here");
  t.match(await here.next(), { type: "clients" });
  t.equal(house.app.websocketServer.clients.size, 1);
});

t.test("closing the app says goodbye to its sockets, and leaves no timer behind", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const peer = new SocketPeer(t, `ws://${host}/ws/events`, house.bearer("viewer"));
  await peer.next();
  await house.app.close();
  t.equal(await peer.closed, 1001);
  t.equal(house.clock.waiting, 0);
});

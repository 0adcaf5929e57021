import type { Duplex } from "node:stream";
import t, { type Test } from "tap";
import { type DemoServer, openDemo } from "../../src/demo/demo-server.ts";
import { rfbCrypto } from "../../src/desktop/links/vnc/rfb-crypto.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { nodeDeflate, nodeInflate } from "../../src/platform/node-zlib.ts";
import type { RfbClientEvent } from "../../src/protocols/rfb/client/client-context.ts";
import { RfbClient } from "../../src/protocols/rfb/client/rfb-client.ts";
import { FakeClock } from "../fake-clock.ts";

const PORTS = { deflate: nodeDeflate, inflate: nodeInflate, jpeg: jpegTurbo, crypto: rfbCrypto };

/** A viewer on our own client; it asks for the next update when it got one. */
class Viewer {
  readonly events: RfbClientEvent[] = [];
  readonly client: RfbClient;
  readonly pipe: Duplex;
  updates = 0;
  isClosed = false;

  constructor(server: DemoServer) {
    this.pipe = server.connect();
    this.client = new RfbClient(
      { password: null },
      PORTS,
      (bytes) => this.pipe.write(bytes),
      (event) => this.#on(event),
    );
    this.pipe.on("data", (chunk: Uint8Array) => {
      this.client.receive(chunk, 0);
    });
    this.pipe.on("close", () => {
      this.isClosed = true;
    });
  }

  /** Resolves when something said is so; nothing is waited for but that. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  showsLike({ screen }: DemoServer): boolean {
    const { framebuffer } = this.client;
    return (
      !screen.isDirty &&
      framebuffer.width === screen.framebuffer.width &&
      Buffer.compare(framebuffer.bytes, screen.framebuffer.bytes) === 0
    );
  }

  click(server: DemoServer, name: string): void {
    const r = server.stableElements()[name];
    if (r === undefined) throw new Error(`no element ${name} on the demo`);
    const [x, y] = [r.x + Math.floor(r.width / 2), r.y + Math.floor(r.height / 2)];
    for (const buttons of [0, 1, 0]) this.client.pointer(x, y, buttons);
  }

  type(text: string): void {
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0;
      const keysym = point < 0x100 ? point : 0x0100_0000 + point;
      this.client.key(keysym, true, null);
      this.client.key(keysym, false, null);
    }
  }

  has(type: RfbClientEvent["type"]): boolean {
    return this.events.some((event) => event.type === type);
  }

  #on(event: RfbClientEvent): void {
    this.events.push(event);
    if (event.type === "ready") this.client.requestUpdate(false);
    if (event.type === "update") this.updates++;
    if (event.type === "update" || event.type === "resize") this.client.requestUpdate(true);
  }
}

function open(t: Test): { server: DemoServer; clock: FakeClock } {
  const clock = new FakeClock(new Date(2026, 10, 24, 14, 5, 30));
  const server = openDemo({ clock, ports: PORTS });
  t.teardown(() => server.close());
  return { server, clock };
}

t.test("two viewers see the same desktop, pixel for pixel, and what one types both see", async (t) => {
  const { server } = open(t);
  const [one, two] = [new Viewer(server), new Viewer(server)];
  await one.until(() => one.showsLike(server));
  await two.until(() => two.showsLike(server));
  t.match(
    one.events.find(({ type }) => type === "ready"),
    { name: "Demo desktop" },
  );
  one.click(server, "notes.text");
  one.type("äöüß€Ω");
  await one.until(() => server.screen.state.note === "äöüß€Ω" && one.showsLike(server));
  await two.until(() => two.showsLike(server));
  t.equal(server.screen.state.note, "äöüß€Ω");
  two.click(server, "controls.counter");
  await two.until(() => server.screen.state.clicks === 1 && two.showsLike(server));
  await one.until(() => one.showsLike(server));
  t.equal(server.screen.state.clicks, 1);
});

t.test("many inputs at once are answered by few updates", async (t) => {
  const { server } = open(t);
  const viewer = new Viewer(server);
  await viewer.until(() => viewer.showsLike(server));
  viewer.click(server, "notes.text");
  const before = viewer.updates;
  viewer.type("x".repeat(300));
  await viewer.until(() => server.screen.state.note.length === 300 && viewer.showsLike(server));
  t.ok(viewer.updates - before < 150, `${viewer.updates - before} updates for 300 keys`);
});

t.test("the clipboard goes both ways", async (t) => {
  const { server } = open(t);
  const viewer = new Viewer(server);
  await viewer.until(() => viewer.showsLike(server));
  viewer.client.clipboard("pasted €");
  await viewer.until(() => server.screen.state.lastEvent === "Clipboard, 8 characters");
  viewer.click(server, "notes.text");
  for (const letter of ["v", "c"]) {
    viewer.client.key(0xffe3, true, null);
    viewer.type(letter);
    viewer.client.key(0xffe3, false, null);
  }
  await viewer.until(() => viewer.has("clipboard"));
  t.equal(server.screen.state.note, "pasted €");
  t.match(
    viewer.events.find(({ type }) => type === "clipboard"),
    { text: "pasted €" },
  );
});

t.test("the pointer's shape is sent, and again when it changes", async (t) => {
  const { server } = open(t);
  const viewer = new Viewer(server);
  const shapes = (): number => viewer.events.filter(({ type }) => type === "cursor").length;
  await viewer.until(() => viewer.showsLike(server) && shapes() === 1);
  viewer.click(server, "notes.text");
  await viewer.until(() => shapes() === 2);
  t.equal(shapes(), 2);
});

t.test("a viewer's wish for another size is granted to all", async (t) => {
  const { server } = open(t);
  const [one, two] = [new Viewer(server), new Viewer(server)];
  await one.until(() => one.showsLike(server));
  await two.until(() => two.showsLike(server));
  t.equal(one.client.resize(1100, 700), true);
  for (const viewer of [one, two]) {
    await viewer.until(() => viewer.client.framebuffer.width === 1100 && viewer.showsLike(server));
    t.match(viewer.client.framebuffer, { width: 1100, height: 700 });
  }
});

t.test("who leaves lets go of what it held, and the clock stops with the last one", async (t) => {
  const { server, clock } = open(t);
  const [one, two] = [new Viewer(server), new Viewer(server)];
  await one.until(() => one.showsLike(server));
  await two.until(() => two.showsLike(server));
  one.client.key(0xffe3, true, null);
  one.click(server, "notes.text");
  await one.until(() => server.screen.state.lastEvent?.startsWith("Click") === true);
  one.pipe.destroy();
  await one.until(() => one.isClosed);
  two.type("c");
  await two.until(() => server.screen.state.note === "c");
  t.notOk(two.has("clipboard"), "Control was released");
  two.pipe.destroy();
  await two.until(() => two.isClosed && clock.waiting === 0);
  t.equal(clock.waiting, 0);
});

t.test("a viewer that breaks the protocol is dropped, the other stays", async (t) => {
  const { server } = open(t);
  const good = new Viewer(server);
  await good.until(() => good.showsLike(server));
  const bad = server.connect();
  const gone = new Promise((resolve) => bad.once("close", resolve));
  bad.on("data", () => {});
  bad.write(Buffer.from("GET / HTTP/1.1\r\nHost: demo\r\n\r\n"));
  await gone;
  good.click(server, "controls.counter");
  await good.until(() => server.screen.state.clicks === 1 && good.showsLike(server));
  t.notOk(good.isClosed);
});

t.test("a viewer that does not read is not painted for, and catches up", async (t) => {
  const { server } = open(t);
  const viewer = new Viewer(server);
  await viewer.until(() => viewer.showsLike(server));
  viewer.click(server, "notes.text");
  await viewer.until(() => server.screen.state.caret === 0 && viewer.showsLike(server));
  viewer.pipe.pause();
  const { updates } = viewer;
  for (let i = 0; i < 20; i++) {
    viewer.type("abc ");
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal(viewer.updates, updates);
  viewer.pipe.resume();
  await viewer.until(() => server.screen.state.note.length === 80 && viewer.showsLike(server));
  t.equal(server.screen.state.note, "abc ".repeat(20));
});

t.test("closing ends every connection, and no new one is made", async (t) => {
  const { server, clock } = open(t);
  const viewer = new Viewer(server);
  await viewer.until(() => viewer.showsLike(server));
  server.close();
  await viewer.until(() => viewer.isClosed);
  t.equal(clock.waiting, 0);
  t.throws(() => server.connect(), /the demo desktop is closed/);
});

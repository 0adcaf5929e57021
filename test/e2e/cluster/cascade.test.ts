import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { WebSocket } from "ws";
import { PLATFORM } from "../../../src/desktop/links/link-platform.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { PLAIN_RFB } from "../../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../../src/protocols/rfb/numbers.ts";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { decodePicture } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { compileVncClient, VncClient } from "../harness/vnc-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";

const SLOW_MS = 60_000;
/** As many as look on through the node that does not have the desktop. */
const VIEWERS = 6;
const PASSWORD = "sesame12";

/** A viewer that decodes what it is sent, and so has what a person sees. */
class Viewer {
  readonly #socket: WebSocket;
  readonly client: RfbClient;
  isClosed = false;
  updates = 0;
  clipboard: string | null = null;
  screens = 0;

  constructor(owner: Owner, url: string, token: string) {
    const socket = new WebSocket(url, ["binary"], {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    owner.teardown(() => socket.terminate());
    const pseudoEncodings = [ENCODING.desktopSize, ENCODING.extendedDesktopSize, ENCODING.cursor];
    this.client = new RfbClient(
      { password: null, dialect: { ...PLAIN_RFB, pseudoEncodings } },
      PLATFORM,
      (bytes) => socket.send(bytes),
      (event) => {
        if (event.type === "ready") this.client.requestUpdate(false);
        if (event.type === "update") {
          this.updates++;
          this.client.requestUpdate(true);
        }
        if (event.type === "clipboard") this.clipboard = event.text;
        if ("screens" in event) this.screens = event.screens.length;
      },
    );
    socket.on("message", (data: Buffer) => this.client.receive(data, performance.now()));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.isClosed = true;
    });
    this.#socket = socket;
  }

  get shot(): Shot {
    const { width, height, bytes } = this.client.framebuffer;
    return { width, height, rgba: bytes.slice() };
  }

  close(): void {
    this.#socket.close();
  }
}

/** What libvncclient has of a picture whose bottom right pixel is that. */
async function shotOf(viewer: VncClient, markerHex: string): Promise<Shot> {
  const { width, height, bytes } = await viewer.shotWhen(markerHex);
  const rgba = Uint8Array.from(bytes, (byte, at) => (at % 4 === 3 ? 255 : byte));
  return { width, height, rgba };
}

function rightPartOf({ width, height, rgba }: Shot, from: number): Shot {
  const rows = Array.from({ length: height }, (_, y) =>
    rgba.subarray((y * width + from) * 4, (y + 1) * width * 4),
  );
  return { width: width - from, height, rgba: Buffer.concat(rows) };
}

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "xwd", "xterm", "xclip", "vncclient"])) {
  t.setTimeout(300_000);
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b"], { vncPassword: PASSWORD });
  const screen = await XDisplay.start(t, { geometry: "500x360" });
  await screen.command("xsetroot", "-mod", "7", "11", "-fg", "#204080", "-bg", "#c0a020");

  const { id, owner } = await fleet.add(screen.vncPort);
  const near = fleet.names.find((name) => name !== owner) ?? "";
  const node = (name: string) => fleet.node(name);
  const place = `/api/v1/desktops/${id}`;
  const url = (query = ""): string => `${node(near).url.replace("http", "ws")}/ws/desktops/${id}${query}`;
  const open = (query = "", token = node(near).adminToken): Viewer => new Viewer(t, url(query), token);
  const shows = async (viewer: Viewer, shot: Shot): Promise<boolean> =>
    viewer.client.isReady && differenceOf(viewer.shot, shot) === null;
  const viewersThere = async (): Promise<number> =>
    desktopSchema.parse(await (await node(near).fetch(place)).json()).viewers;
  const viewers = Array.from({ length: VIEWERS }, () => open());

  await t.test("many see what the desktop shows, by one stream of the node that has it", async (t) => {
    const shot = await screen.shot();
    await until("all show it", async () =>
      (await Promise.all(viewers.map((one) => shows(one, shot)))).every(Boolean),
    );
    // One picture for all of them, and one seat for the one person they are.
    t.equal(await viewersThere(), 2);
    await screen.command("xsetroot", "-solid", "#123456");
    const next = await screen.shot();
    await until("all follow", async () =>
      (await Promise.all(viewers.map((one) => shows(one, next)))).every(Boolean),
    );
    t.pass("every pixel is the X server's own");
  });

  await t.test("overlays and masks are in it as the node that has the desktop draws them", async (t) => {
    const made = await node(near).fetch("/api/v1/tokens", { name: "looker", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const looker = open("", token);
    const bare = open("?composite=0");
    const has = node(owner);
    const agentToken = await has.fetch("/api/v1/tokens", { name: "draws", role: "agent" });
    const agent = await Agent.connect(`${has.url}/mcp`, newTokenSchema.parse(await agentToken.json()).token);
    t.teardown(() => agent.close());
    await agent.call("draw_overlay", { x: 20, y: 20, width: 90, height: 60, color: "#ff0000" });
    const composed = await decodePicture(
      Buffer.from(
        await (await node(near).fetch(`${place}/screenshot.png?overlays=1&cursor=0`)).arrayBuffer(),
      ),
    );
    const [one] = viewers;
    if (one === undefined) throw new Error("no viewer");
    await until("overlays are there", () => shows(one, composed));
    await until("who wants none has none", async () => shows(bare, await screen.shot()));
    await until("another role sees them as well", () => shows(looker, composed));
    t.not(differenceOf(composed, await screen.shot()), null);
    looker.close();
    bare.close();
  });

  await t.test("input goes to the desktop as who gives it, and what is copied comes back", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "oc-cascade-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const typed = join(folder, "typed");
    await screen.openTerminal("writes", "30x5+40+200", `read line; echo "$line" > ${typed}; sleep 60`);
    const [one] = viewers;
    if (one === undefined) throw new Error("no viewer");
    const { client } = one;
    client.pointer(100, 240, 0);
    client.pointer(100, 240, 1);
    client.pointer(100, 240, 0);
    for (const character of "far") {
      client.key(character.charCodeAt(0), true, null);
      client.key(character.charCodeAt(0), false, null);
    }
    client.key(0xff0d, true, null);
    client.key(0xff0d, false, null);
    t.equal(
      await until("it is typed", () => {
        try {
          return readFileSync(typed, "utf8") || null;
        } catch {
          return null;
        }
      }),
      "far\n",
    );
    await screen.writeClipboard("copied there");
    await until("all are told", () => viewers.every(({ clipboard }) => clipboard === "copied there"));
    const audit = await (await node(owner).fetch("/api/v1/audit?limit=200")).text();
    t.match(audit, `"via":"${near}"`, "the owner tells who looks on, and by which node");
  });

  await t.test(
    "an ordinary VNC viewer at the port of a node that does not have it sees it, and works there",
    async (t) => {
      const program = await compileVncClient();
      const call = (monitor: 1 | 2, secret = PASSWORD, user?: string): VncClient => {
        const env = user === undefined ? {} : { OC_SECURITY: "19", OC_USER: user };
        const viewer = new VncClient(program, fleet.vncPort(near, monitor), "rgbx", ["tight"], secret, env);
        t.teardown(() => viewer.close());
        return viewer;
      };
      const folder = mkdtempSync(join(tmpdir(), "oc-cascade-"));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      const typed = await screen.openTypewriter(folder, "30x5+40+40");
      const has = node(owner);
      const made = await has.fetch("/api/v1/tokens", { name: "marks", role: "agent" });
      const agent = await Agent.connect(`${has.url}/mcp`, newTokenSchema.parse(await made.json()).token);
      t.teardown(() => agent.close());
      /** The bottom right pixel tells when a viewer has it. */
      const mark = (color: string) =>
        agent.call("draw_overlay", { x: 460, y: 320, width: 40, height: 40, color: `#${color}` });
      const composed = async (): Promise<Shot> => {
        const answer = await has.fetch(`${place}/screenshot.png?overlays=1&cursor=1`);
        return await decodePicture(Buffer.from(await answer.arrayBuffer()));
      };

      const viewer = call(1);
      t.equal(await viewer.greeting(), "connected desk");
      t.equal(await call(1, "guess").greeting(), "refused");
      // Where the pointer is, is in its picture too.
      viewer.say("click 120 80");
      for (const character of "vnc") viewer.say(`key ${character.charCodeAt(0).toString(16)}`);
      await until("it is typed", () => typed.read().includes("vnc"));
      await mark("00ff00");
      const shows = async (
        monitor: 1 | 2,
        markerHex: string,
        wanted: () => Promise<Shot>,
      ): Promise<boolean> => {
        const another = call(monitor);
        await another.greeting();
        const shot = await shotOf(another, markerHex);
        await another.close();
        return differenceOf(shot, await wanted()) === null;
      };
      await until("every pixel, with overlays and the pointer", () => shows(1, "00ff00", composed));

      const token = await node(near).fetch("/api/v1/tokens", { name: "onlooker", role: "viewer" });
      const { token: secret } = newTokenSchema.parse(await token.json());
      const onlooker = call(1, secret, "onlooker");
      t.equal(await onlooker.greeting(), "connected desk");
      onlooker.say("key 78");
      onlooker.say("click 120 80");
      const deniedHere = async (): Promise<boolean> =>
        /"type":"authz.denied".*"action":"key".*onlooker|onlooker.*"action":"key"/.test(
          await (await node(near).fetch("/api/v1/audit?limit=50")).text(),
        );
      await until("it is denied", deniedHere);
      t.equal(typed.read(), "vnc");
      const there = await (await has.fetch("/api/v1/audit?limit=200")).text();
      t.match(there, /"action":"vnc"/, "by which door they came");
      t.match(there, /VNC viewer at 127\.0\.0\.1/);

      await until("a layout of two monitors", async () => {
        viewers[0]?.client.arrange([rect(0, 0, 300, 360), rect(300, 0, 200, 360)]);
        return viewers[0]?.screens === 2;
      });
      const second = call(2);
      t.equal(await second.greeting(), "connected desk (monitor 2)");
      await mark("0000ff");
      await until("its part of the picture", () =>
        shows(2, "0000ff", async () => rightPartOf(await composed(), 300)),
      );
    },
  );

  await t.test("who loses their place there sees no more of it here", async (t) => {
    const made = await node(near).fetch("/api/v1/tokens", { name: "leaves", role: "viewer" });
    const { token, id: tokenId } = newTokenSchema.parse(await made.json());
    const leaving = open("", token);
    await until("it is shown", () => leaving.updates > 0);
    await node(near).fetch(`/api/v1/tokens/${tokenId}`, undefined, { method: "DELETE" });
    await until("it is over", () => leaving.isClosed);
    t.ok(
      viewers.every(({ isClosed }) => !isClosed),
      "of nobody else",
    );
  });

  await t.test("where the desktop moves its viewers are told, and the next one finds it", async (t) => {
    const drained = await node(near).fetch(`/api/v1/fleet/nodes/${owner}/drain`, {});
    t.equal(drained.status, 200);
    await until("it is here", async () => (await fleet.ownerOf(id)) === near, SLOW_MS);
    await until("all are told", () => viewers.every(({ isClosed }) => isClosed), SLOW_MS);
    const again = await until(
      "it is shown here",
      async () => {
        const viewer = open();
        await until("an answer", () => viewer.client.isReady || viewer.isClosed);
        return viewer.isClosed ? null : viewer;
      },
      SLOW_MS,
    );
    const shot = await screen.shot();
    await until("as it is", async () => differenceOf(again.shot, shot) === null);
    t.pass("as the X server has it");
  });
}

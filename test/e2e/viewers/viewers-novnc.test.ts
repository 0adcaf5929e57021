import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import t from "tap";
import { WebSocketServer } from "ws";
import { rightsOf } from "../../../src/web/viewer/rights.ts";
import type { ViewerSecurity } from "../../../src/web/viewer/security.ts";
import { webSocketTransport } from "../../../src/web/viewer/transport.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { type Door, openVncDoor } from "../../web/viewer-ports.ts";
import { canvasShot, openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";

const NOVNC = join(dirname(createRequire(import.meta.url).resolve("@novnc/novnc")), "..");
const TOKEN = "a-token-that-only-anna-has";

/**
 * noVNC as it is, told by the page's address how to sign in; says what becomes of it. `only`: the one encoding of its
 * SetEncodings that gets through; `decoded` counts its rectangles.
 */
const PAGE = `<!doctype html><title>connecting</title><div id="screen" style="width:640px;height:480px"></div>
<script type="module">
  import RFB from "/core/rfb.js";
  const query = new URLSearchParams(location.search);
  const credentials = { username: query.get("user"), password: query.get("password") };
  const only = query.has("only") ? Number(query.get("only")) : null;
  const TIGHT_PNG = -260;
  const socket = new WebSocket("ws://" + location.host + "/rfb");
  socket.send = (data) => {
    const bytes = new Uint8Array(data);
    if (only === null || bytes[0] !== 2) return WebSocket.prototype.send.call(socket, data);
    const list = new DataView(bytes.buffer, bytes.byteOffset + 4, bytes.length - 4);
    const all = Array.from({ length: list.byteLength / 4 }, (_, i) => list.getInt32(i * 4));
    const kept = all.filter((number) => number === only || (number < 0 && number !== TIGHT_PNG));
    const message = new DataView(new ArrayBuffer(4 + kept.length * 4));
    message.setUint8(0, 2);
    message.setUint16(2, kept.length);
    kept.forEach((number, i) => message.setInt32(4 + i * 4, number));
    WebSocket.prototype.send.call(socket, message.buffer);
  };
  const rfb = new RFB(document.getElementById("screen"), socket, { credentials });
  window.decoded = 0;
  const decoder = rfb._decoders[only];
  const decodeRect = decoder?.decodeRect;
  if (decoder) decoder.decodeRect = function (...args) { window.decoded++; return decodeRect.apply(this, args); };
  rfb.addEventListener("serververification", () => rfb.approveServer());
  rfb.addEventListener("connect", () => { document.title = "connected"; });
  rfb.addEventListener("securityfailure", ({ detail }) => { document.title = "refused: " + detail.reason; });
  rfb.addEventListener("disconnect", ({ detail }) => {
    if (document.title === "connected") document.title = detail.clean ? "closed" : "broken";
  });
</script>`;

const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".html": "text/html" };

interface Site {
  readonly desktop: DrawnDesktop;
  readonly door: Door;
  readonly url: string;
}

/** noVNC's own files and, on /rfb, our sessions with this way to sign in. */
async function openSite(owner: Owner, security: ViewerSecurity): Promise<Site> {
  const desktop = new DrawnDesktop(500, 333);
  const door = await openVncDoor(owner, desktop, {
    security: [security],
    password: "sesame",
    users: {
      signInAs: (user, secret) => {
        if (user !== "anna" || secret !== TOKEN) return { kind: "wrong", waitMs: 0 };
        const principal = { id: "anna", name: "anna", role: "operator" } as const;
        return { kind: "known", credential: { kind: "token", principal } };
      },
      whenVoid: () => () => {},
    },
  });
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const text = path === "/" ? Promise.resolve(Buffer.from(PAGE)) : readFile(join(NOVNC, path));
    text.then(
      (body) => {
        const type = TYPES[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type }).end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  const sockets = new WebSocketServer({ server, path: "/rfb", perMessageDeflate: false });
  sockets.on("connection", (socket) => {
    const entrance = door.signIn.enter("127.0.0.1", desktop.id);
    door.sessions.admit(webSocketTransport(socket), desktop, {
      security: entrance.security,
      rights: () => rightsOf(entrance.visitor().principal),
      isComposited: true,
      viewport: null,
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return { desktop, door, url: `http://127.0.0.1:${address.port}` };
}

if (requirePeers(t, ["chromium"])) {
  const browser = await openBrowser(t);

  const CUT =
    "user or password: a viewer may cut it after 63 characters, then give a token without its ocp_ID_";
  const WAYS = [
    { name: "None", security: "none", user: "", password: "", wrong: "" },
    { name: "VncAuth", security: "vnc-auth", user: "", password: "sesame", wrong: "password" },
    { name: "RA2ne", security: "ra2ne", user: "anna", password: TOKEN, wrong: "user or password" },
    { name: "ARD", security: "ard", user: "anna", password: TOKEN, wrong: CUT },
    { name: "MS-Logon II", security: "ms-logon", user: "anna", password: TOKEN, wrong: CUT },
  ] as const;
  for (const { name, security, user, password, wrong } of WAYS) {
    t.test(`noVNC signs in by ${name} and shows our pixels`, async (t) => {
      const { desktop, door, url } = await openSite(t, security);
      desktop.cursor = {
        ...{ width: 2, height: 2, hotspotX: 0, hotspotY: 0 },
        rgba: new Uint8Array(16).fill(128),
      };
      desktop.paintScene(21);
      const page = await browser.newPage();
      t.teardown(() => page.close());
      await page.goto(`${url}/?${new URLSearchParams({ user, password })}`);
      const title = await until("noVNC is done with the handshake", async () => {
        const now = await page.title();
        return now === "connecting" ? null : now;
      });
      t.equal(title, "connected");
      const shows = (): Promise<Shot> =>
        until("noVNC shows the desktop's picture", async () => {
          const shot = await canvasShot(page, "#screen canvas");
          const { width, height, bytes } = desktop.frame;
          if (shot === null) return null;
          return differenceOf(shot, { width, height, rgba: bytes.slice() }) === null ? shot : null;
        });
      await shows();
      desktop.paintScene(22);
      await shows();
      desktop.resize(400, 250);
      desktop.paintScene(23);
      await shows();
      t.equal(await page.title(), "connected", "it got nothing that it does not know");
      if (user === "anna") t.match(door.audited, [{ type: "auth.login", actor: { name: "anna" } }]);
      if (password === "") return;
      const stranger = await browser.newPage();
      t.teardown(() => stranger.close());
      await stranger.goto(`${url}/?${new URLSearchParams({ user, password: "guess" })}`);
      const refused = await until("noVNC is refused", async () => {
        const now = await stranger.title();
        return now === "connecting" ? null : now;
      });
      t.equal(refused, `refused: wrong ${wrong}`);
    });
  }

  const ENCODINGS = { Raw: 0, RRE: 2, Hextile: 5, Zlib: 6, Tight: 7, ZRLE: 16, TightPNG: -260 } as const;
  for (const [name, number] of Object.entries(ENCODINGS)) {
    t.test(`noVNC that takes only ${name} shows our pixels`, async (t) => {
      const { desktop, url } = await openSite(t, "none");
      desktop.paintScene(31);
      const page = await browser.newPage();
      t.teardown(() => page.close());
      await page.goto(`${url}/?only=${number}`);
      for (const scene of [31, 32, 33]) {
        desktop.paintScene(scene);
        const { width, height, bytes } = desktop.frame;
        await until(`scene ${scene} in noVNC`, async () => {
          const shot = await canvasShot(page, "#screen canvas");
          return shot !== null && differenceOf(shot, { width, height, rgba: bytes.slice() }) === null;
        });
      }
      t.equal(await page.title(), "connected", "it got nothing that it does not know");
      t.ok((await page.evaluate<number>("window.decoded")) > 0, `rectangles came in ${name}`);
    });
  }
}

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { WebSocketServer } from "ws";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { makeConnection } from "../../../src/desktop/connections/connection.ts";
import { Desktop } from "../../../src/desktop/desktop.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { webSocketTransport } from "../../../src/web/viewer/transport.ts";
import { FakeLink } from "../../desktop/fake-link.ts";
import { drawText, noisyFrame } from "../../framebuffer/frames.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { openVncDoor, viewerSessions } from "../../web/viewer-ports.ts";
import { canvasShot, openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { compileVncClient, VncClient } from "../harness/vnc-client.ts";
import { differenceOf } from "../harness/xwd.ts";

const PAGE = rect(0, 0, 640, 480);
const STEPS = [-40, -40, 25, -3, 90, -120] as const;

/** A desktop whose target knows no CopyRect: it repaints the page that it scrolls. */
class ScrolledDesktop {
  readonly link: FakeLink;
  readonly desktop: Desktop;
  /** The marker's bytes in the page as it is at first. */
  readonly first: string;
  #count = 0;

  constructor(owner: Owner, { width, height } = PAGE) {
    this.link = new FakeLink(width, height);
    const connection = makeConnection(
      { id: "s", name: "Page", protocol: "vnc", host: "host.example" },
      new Date(),
    );
    const options = { mode: "autopilot", approvalExpiryMs: 45_000 } as const;
    const ports = { clock: systemClock, random: () => 0.5, openLink: () => this.link };
    this.desktop = new Desktop(connection, options, {
      ...PLATFORM,
      ...ports,
      onBug: (error) => {
        throw error;
      },
    });
    this.desktop.open();
    owner.teardown(() => this.desktop.close());
    const whole = this.link.framebuffer.rect;
    drawText(this.link.framebuffer, whole, 1);
    this.link.events.ready({ name: "Page", screens: [{ id: 1, rect: whole, flags: 0 }] });
    this.first = this.#tell();
  }

  /** Everything becomes noise, which takes long to encode. */
  blur(seed: number): void {
    const { width, height, words } = this.link.framebuffer;
    words.set(noisyFrame(width, height, seed, 2 ** 24, false).words);
    this.#tell();
  }

  /** Scrolls by so many rows, with a caret that blinks and a bar that moves. Returns the marker's bytes. */
  scroll(by: number): string {
    const frame = this.link.framebuffer;
    const kept = PAGE.height - Math.abs(by);
    frame.copy(0, Math.max(0, -by), rect(0, Math.max(0, by), PAGE.width, kept));
    drawText(frame, rect(0, by < 0 ? kept : 0, PAGE.width, Math.abs(by)), 50 + this.#count);
    frame.fill(rect(630, 0, 10, PAGE.height), 0xeeeeee);
    frame.fill(rect(630, 40 * this.#count, 10, 60), 0x888888);
    frame.fill(rect(200, 200, 2, 14), this.#count % 2 === 0 ? 0x000000 : 0xffffff);
    return this.#tell();
  }

  #tell(): string {
    const { framebuffer, events } = this.link;
    this.#count++;
    const { width, height } = framebuffer;
    framebuffer.fill(rect(width - 1, height - 1, 1, 1), 0x0100fe + (this.#count << 8));
    events.update({ painted: Region.of(framebuffer.rect), copies: [], missing: 0 });
    return Buffer.from(framebuffer.bytes.subarray(-4, -1)).toString("hex");
  }
}

if (requirePeers(t, ["gcc", "vncclient"])) {
  const program = await compileVncClient();
  for (const encodings of [["copyrect", "tight"], ["copyrect", "zrle"], ["tight"]]) {
    t.test(
      `libvncclient shows every pixel of a page that scrolls, in ${encodings.join(" and ")}`,
      async (t) => {
        const page = new ScrolledDesktop(t);
        const { port } = await openVncDoor(t, page.desktop, { security: ["none"] });
        const client = new VncClient(program, port, "rgbx", encodings);
        t.equal(await client.greeting(), "connected Page");
        // What scrolls before it has all of the page may come in two updates.
        await client.shotWhen(page.first);
        for (const by of STEPS) {
          const shot = await client.shotWhen(page.scroll(by));
          const expected = Buffer.from(page.link.framebuffer.bytes);
          let wrong = 0;
          for (let i = 0; i < expected.length; i++) if (i % 4 !== 3 && shot.bytes[i] !== expected[i]) wrong++;
          t.equal(wrong, 0, `after ${by} rows`);
        }
        await client.close();
      },
    );
  }
}

const NOVNC = join(dirname(createRequire(import.meta.url).resolve("@novnc/novnc")), "..");

/** noVNC as it is; the title counts the moves that it made. */
const SITE = `<!doctype html><title>0</title><div id="screen" style="width:640px;height:480px"></div>
<script type="module">
  import RFB from "/core/rfb.js";
  import Display from "/core/display.js";
  const copy = Display.prototype.copyImage;
  let moves = 0;
  Display.prototype.copyImage = function (...where) {
    copy.apply(this, where);
    document.title = String(++moves);
  };
  new RFB(document.getElementById("screen"), "ws://" + location.host + "/rfb");
</script>`;

async function openSite(owner: Owner, desktop: Desktop): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const body = path === "/" ? Promise.resolve(Buffer.from(SITE)) : readFile(join(NOVNC, path));
    const type = extname(path) === ".js" ? "text/javascript" : "text/html";
    body.then(
      (bytes) => response.writeHead(200, { "Content-Type": type }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  const sockets = new WebSocketServer({ server, path: "/rfb", perMessageDeflate: false });
  const sessions = viewerSessions();
  sockets.on("connection", (socket) => {
    sessions.admit(webSocketTransport(socket), desktop, {
      security: [{ type: "none" }],
      rights: () => ({
        ...{
          actor: { kind: "human", id: "anna", name: "Anna" },
          audience: "viewer",
          isViewOnly: true,
          hasClipboard: false,
        },
      }),
      isComposited: false,
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
  return `http://127.0.0.1:${address.port}`;
}

/** Opens noVNC on the desktop; the returned function resolves when it shows every pixel. */
async function openNoVnc(
  owner: Owner,
  { desktop, link }: ScrolledDesktop,
): Promise<{ readonly page: Page; shows(): Promise<true> }> {
  const browser = await openBrowser(owner);
  const page = await browser.newPage();
  await page.goto(await openSite(owner, desktop));
  const shows = (): Promise<true> =>
    until("noVNC shows the page", async () => {
      const shot = await canvasShot(page, "#screen canvas");
      if (shot === null) return null;
      const { width, height, bytes } = link.framebuffer;
      return differenceOf(shot, { width, height, rgba: bytes.slice() }) === null ? true : null;
    });
  await shows();
  return { page, shows };
}

if (requirePeers(t, ["chromium"])) {
  t.test("noVNC moves a page that scrolls and shows every pixel of it", async (t) => {
    const scrolled = new ScrolledDesktop(t);
    const { page, shows } = await openNoVnc(t, scrolled);
    for (const by of STEPS) {
      scrolled.scroll(by);
      await shows();
    }
    t.equal(Number(await page.title()), STEPS.length, "each scroll came as one move");
  });

  t.test("noVNC shows every pixel of a large picture that comes in parts, changed meanwhile", async (t) => {
    const large = new ScrolledDesktop(t, rect(0, 0, 1280, 960));
    const { shows } = await openNoVnc(t, large);
    for (const seed of [1, 2, 3]) {
      large.blur(seed);
      large.scroll(-40);
      await shows();
      large.blur(seed + 10);
      await shows();
      large.scroll(30);
      await shows();
      t.pass(`round ${seed}`);
    }
  });
}

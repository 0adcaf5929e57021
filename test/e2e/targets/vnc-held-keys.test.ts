import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openTargetLink, PLATFORM } from "../../../src/appliance/open-links.ts";
import {
  type Connection,
  connectionFromUrl,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { Desktop } from "../../../src/desktop/desktop.ts";
import type { Link } from "../../../src/desktop/link.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget } from "./target.ts";

// x11vnc leaves down what its clients had pressed when they went (0.9.16, 2026-11-21).

const SHIFT = 0xffe1;
const AGENT: Actor = { kind: "agent", id: "a", name: "agent" };

interface Desk {
  readonly url: string;
  /** What somebody at the desktop types now. */
  typed(): Promise<string>;
}

async function openDesk(owner: Owner): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), "oc-held-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { display, url } = await startTarget(owner, "x11vnc", folder, { geometry: "640x480" });
  await display.openWindowManager();
  const typewriter = await display.openTypewriter(folder, "40x5+10+20");
  await display.command("xdotool", "windowactivate", "--sync", typewriter.window);
  const typed = async (): Promise<string> => {
    const before = typewriter.read().length;
    await display.command("xdotool", "key", "a");
    await until("the key", () => typewriter.read().length > before);
    return typewriter.read().slice(before);
  };
  return { url, typed };
}

function linkTo(connection: Connection): Link {
  return openTargetLink(connection, [], { trust: "tofu", known: null });
}

/** A way to a port that can be cut. */
async function openRelay(owner: Owner, port: number): Promise<{ readonly port: number; cut(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  owner.teardown(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return { port: address.port, cut };
}

const PEERS = ["Xtigervnc", "x11vnc", "openbox", "xterm", "xdotool"] as const;

t.test(
  "what is let go right before a connection is closed is up at the desktop",
  { timeout: 60_000 },
  async (t) => {
    if (!requirePeers(t, PEERS)) return;
    const desk = await openDesk(t);
    t.equal(await desk.typed(), "a");
    const link = linkTo(makeConnection(connectionFromUrl(desk.url), systemClock.date()));
    t.teardown(() => link.close());
    const ear = new LinkEar();
    link.open(ear.events);
    await ear.next("update");
    link.key(SHIFT, true, null);
    await link.latest();
    t.equal(await desk.typed(), "A", "it is down");
    link.key(SHIFT, false, null);
    link.close();
    await until("it is up", async () => (await desk.typed()) === "a");
    t.pass("it is up");
  },
);

t.test(
  "what was down when a connection was cut is up once there is another",
  { timeout: 60_000 },
  async (t) => {
    if (!requirePeers(t, PEERS)) return;
    const desk = await openDesk(t);
    const target = connectionFromUrl(desk.url);
    const relay = await openRelay(t, target.port ?? 0);
    const desktop = new Desktop(
      makeConnection({ ...target, port: relay.port }, systemClock.date()),
      { mode: "autopilot", approvalExpiryMs: 45_000 },
      {
        ...PLATFORM,
        clock: systemClock,
        random: () => 0.5,
        onBug: (error) => t.fail(String(error)),
        openLink: linkTo,
      },
    );
    t.teardown(() => desktop.close());
    desktop.open();
    const isLive = () => desktop.state.kind === "live";
    await until("a picture", isLive);
    await desktop.perform({ kind: "hold", keysyms: [SHIFT], isDown: true, name: "Shift" }, AGENT);
    t.equal(await desk.typed(), "A", "it is down");
    relay.cut();
    await until("the loss", () => !isLive());
    t.equal(await desk.typed(), "A", "nobody let go of it");
    await until("another connection", isLive);
    await until("it is up", async () => (await desk.typed()) === "a");
    t.pass("it is up");
  },
);

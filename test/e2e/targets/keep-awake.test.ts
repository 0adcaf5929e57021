import t, { type Test } from "tap";
import { openTargetLink, PLATFORM } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { Desktop } from "../../../src/desktop/desktop.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import type { XPrograms } from "../harness/x-programs.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";
import { startTarget } from "./target.ts";

/** The target's own idle time, by which its screen saver and its lock go. */
async function idleMs(display: XPrograms): Promise<number> {
  return Number((await display.command("xprintidle")).trim());
}

async function openDesktop(owner: Owner, url: string): Promise<Desktop> {
  const desktop = new Desktop(
    makeConnection(connectionFromUrl(url), systemClock.date()),
    { mode: "autopilot", approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock: systemClock,
      random: () => 0.5,
      onBug: (error) => owner.teardown(() => Promise.reject(error)),
      openLink: (connection) => openTargetLink(connection, [], { trust: "tofu", known: null }),
    },
  );
  owner.teardown(() => desktop.close());
  desktop.open();
  await until("a picture", () => desktop.state.kind === "live", 60_000);
  return desktop;
}

/** Idle without the wish, not so with it; the pointer is where it was. */
async function prove(t: Test, desktop: Desktop, display: XPrograms): Promise<void> {
  const where = (): Promise<string> => display.command("xdotool", "getmouselocation");
  await desktop.perform({ kind: "move", x: 321, y: 123 }, { kind: "agent", id: "a", name: "agent" });
  await until("idle for longer than it would be kept awake", async () => (await idleMs(display)) > 7000);
  const before = await where();
  t.match(before, /x:321 y:123/);
  const { connection } = desktop;
  desktop.change({ ...connection, keep_awake_s: 5 });
  for (let times = 1; times <= 2; times++) {
    await until(`awake, time ${times}`, async () => (await idleMs(display)) < 2000);
    await until("idle again", async () => (await idleMs(display)) > 3000);
  }
  t.equal(await where(), before, "the pointer is where it was");
  t.same(desktop.pointer, { x: 321, y: 123 });
  const { keep_awake_s: _, ...without } = connection;
  desktop.change(without);
  await until("idle as before", async () => (await idleMs(display)) > 7000);
}

t.test("TigerVNC's X server is not idle", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xdotool", "xprintidle"])) return;
  const { display, url } = await startTarget(t, "tigervnc", t.testdir(), { geometry: "640x480" });
  await prove(t, await openDesktop(t, url), display);
});

t.test("xrdp's session is not idle", { timeout: 180_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xprintidle"])) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const desktop = await openDesktop(t, target.url);
  const { display } = target;
  if (display === null) throw new Error("a target without a display");
  await display.isUp();
  await prove(t, desktop, display);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import type { LockKeys } from "../../../src/desktop/link.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget } from "./target.ts";

t.test("caps lock and num lock of a real server are told as they change", { timeout: 60_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xdotool"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-locks-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { display, url } = await startTarget(t, "tigervnc", folder, { geometry: "320x240" });
  const link = openTargetLink(makeConnection(connectionFromUrl(url), systemClock.date()), [], {
    trust: "tofu",
    known: null,
  });
  t.teardown(() => link.close());
  const told: LockKeys[] = [];
  const ear = new LinkEar();
  link.open({ ...ear.events, locks: (locks) => told.push(locks) });
  await ear.next("ready");
  link.follow(true);
  const expectLocks = async (what: string, capsLock: boolean, numLock: boolean): Promise<void> => {
    await until(what, () => {
      const last = told.at(-1);
      return last?.capsLock === capsLock && last.numLock === numLock;
    });
    t.pass(what);
  };
  await expectLocks("both off", false, false);
  await display.command("xdotool", "key", "Caps_Lock");
  await expectLocks("caps lock on", true, false);
  // Our own key does it as well as somebody's at the desktop.
  link.key(0xff7f, true, null);
  link.key(0xff7f, false, null);
  await expectLocks("num lock on too", true, true);
});

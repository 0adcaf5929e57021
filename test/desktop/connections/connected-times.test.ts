import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { ConnectedTimes } from "../../../src/desktop/connections/connected-times.ts";
import type { ConnectionInput } from "../../../src/desktop/connections/connection.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";

const HUMAN: Actor = { kind: "human", id: "h", name: "Ann" };
const HOST: ConnectionInput = { protocol: "vnc", host: "desk.example" };

function file(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "oc-times-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "last-connected.json");
}

/** One run of the server; its target answers where `isUp`. */
async function run(
  t: Test,
  path: string,
  isUp: boolean,
  use: (desktops: Desktops, id: string) => unknown,
): Promise<void> {
  const link = new FakeLink();
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: () => link,
      store: { load: async () => [], save: async () => {} },
      times: await ConnectedTimes.open(path, (error) => t.error(error)),
      ownListeners: () => [],
    },
  );
  await desktops.open([HOST]);
  if (isUp) link.goLive();
  await use(desktops, desktops.all[0]?.id ?? "");
  await desktops.close();
}

t.test("when a connection last succeeded is known after a restart", async (t) => {
  const path = file(t);
  let at: string | null = null;
  await run(t, path, false, (desktops, id) => t.equal(desktops.lastConnected(id), null));
  await run(t, path, true, (desktops, id) => {
    at = desktops.lastConnected(id);
    t.match(at, /^\d{4}-.*Z$/);
  });
  await run(t, path, false, (desktops, id) => t.equal(desktops.lastConnected(id), at));
  t.equal(statSync(path).mode & 0o777, 0o600);
  await run(t, path, false, (desktops, id) => desktops.remove(id));
  t.same(JSON.parse(readFileSync(path, "utf8")), { version: 1, last_connected: {} });
});

t.test("a desktop that was led elsewhere has not been connected to yet, nor after a restart", async (t) => {
  const path = file(t);
  const edit = { protocol: "vnc", host: "192.0.2.7" } as const;
  await run(t, path, true, async (desktops, id) => {
    await desktops.edit(id, { protocol: "vnc", host: "desk.example", name: "Desk" }, HUMAN);
    t.not(desktops.lastConnected(id), null, "another name is no other place");
    await desktops.edit(id, edit, HUMAN);
    t.equal(desktops.lastConnected(id), null);
  });
  t.same(JSON.parse(readFileSync(path, "utf8")), { version: 1, last_connected: {} });
});

t.test("a file that cannot be read is told, and costs nothing but the times in it", async (t) => {
  const path = file(t);
  writeFileSync(path, "nonsense");
  const faults: unknown[] = [];
  const times = await ConnectedTimes.open(path, (error) => faults.push(error));
  t.match(faults, [{ name: "FileError" }]);
  times.set("a", "2026-01-01T00:00:00.000Z");
  await times.flush();
  const again = await ConnectedTimes.open(path, (error) => t.error(error));
  t.equal(again.get("a"), "2026-01-01T00:00:00.000Z");
});

t.test("many changes are few writes, and the last one counts", async (t) => {
  const path = file(t);
  const times = await ConnectedTimes.open(path, (error) => t.error(error));
  for (let i = 0; i < 1100; i++) times.set(`id-${i}`, "2026-01-01T00:00:00.000Z");
  times.forget("id-1099");
  await times.flush();
  const again = await ConnectedTimes.open(path, (error) => t.error(error));
  t.equal(again.get("id-1098"), "2026-01-01T00:00:00.000Z");
  t.equal(again.get("id-1099"), null);
  t.equal(again.get("id-0"), null, "the oldest are not kept");
});

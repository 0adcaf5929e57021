import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { recordingSchema } from "../../../src/web/api/recordings-api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { canvasShot, openBrowser, signIn } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { requirePeers } from "../harness/peers.ts";
import { supervisorOf } from "../harness/supervisor-of.ts";
import { XDisplay } from "../harness/x-display.ts";
import { certificate, NAME, startProxy } from "../web/tls-proxy.ts";

const SLOW_MS = 60_000;
const GUIDE = readFileSync(new URL("../../../docs/guides/fleet.md", import.meta.url), "utf8");

/** What the page shows at a point of the desktop, every few milliseconds from now on, the uppermost; null: no picture. */
const WATCH = `
  window.seen = new Set();
  window.wasGrey = false;
  setInterval(() => {
    const shown = [".viewer-screen canvas", ".viewer-still"].flatMap((selector) => {
      const canvas = document.querySelector(selector);
      if (!canvas?.checkVisibility() || canvas.width < 10) return [];
      const [red, green, blue, alpha] = canvas.getContext("2d").getImageData(5, 5, 1, 1).data;
      return alpha === 0 ? [] : [[red, green, blue].join()];
    });
    window.seen.add(shown[0] ?? null);
    window.wasGrey ||= document.querySelector(".stage.is-greyed") !== null;
  }, 20)`;

const RED = { first: 0x70, second: 0x28, last: 0x38 } as const;

interface Recorded {
  readonly id: string;
  /** Who has its first part. */
  readonly node: string;
  /** Moments that show each red: the first in the part of `node`, the others in the part of another one. */
  readonly moments: Readonly<Record<keyof typeof RED, number>>;
}

/** Records a desktop where it is, moves it to another node, and brings it back when the recording has ended. */
async function recordOnMove(
  fleet: FleetNodes,
  desktopId: string,
  paint: (colour: string) => Promise<unknown>,
): Promise<Recorded> {
  const node = await until("an owner", () => fleet.ownerOf(desktopId), SLOW_MS);
  const at = fleet.node(node);
  const drain = (name: string, is_draining: boolean) =>
    at.fetch(`/api/v1/fleet/nodes/${name}/drain`, { is_draining });
  const show = (which: keyof typeof RED) => paint(`rgb:${RED[which].toString(16)}/20/60`);
  const read = async (answer: Promise<Response>) => recordingSchema.parse(await (await answer).json());
  await show("first");
  const { id } = await read(at.fetch("/api/v1/recordings", { desktop_id: desktopId }));
  const whole = () => read(at.fetch(`/api/v1/recordings/${id}`));
  const isLongerThan = (ms: number) =>
    until(`${ms} ms`, async () => (await whole()).duration_ms > ms, SLOW_MS);
  await isLongerThan(3000);
  await drain(node, true);
  await until(
    "it goes on elsewhere",
    async () => (await whole()).parts.some((part) => part.node !== node && part.to_ms > part.from_ms),
    SLOW_MS,
  );
  const lengths: number[] = [];
  for (const which of ["second", "last"] as const) {
    await show(which);
    const { duration_ms } = await whole();
    lengths.push(duration_ms);
    await isLongerThan(duration_ms + 2500);
  }
  // By the id that it began with, at the node that has not the part that runs.
  const stopped = await read(at.fetch(`/api/v1/recordings/${id}/stop`, {}));
  if (stopped.state !== "sealed") throw new Error(`it was ended, and is ${stopped.state}`);
  for (const name of fleet.names) await drain(name, name !== node);
  await until("it is back", async () => (await fleet.ownerOf(desktopId)) === node, SLOW_MS);
  for (const name of fleet.names) await drain(name, false);
  const [second = 0, last = 0] = lengths.map((ms) => ms + 1500);
  return { id, node, moments: { first: 1500, second, last } };
}

const seek = (player: Page, ms: number) => player.evaluate(`location.hash = "t=${ms / 1000}"`);

const redOf = async (player: Page) => (await canvasShot(player, ".player-canvas"))?.rgba[0];

/** Of a player that was open when the node of the first part died. */
async function seekWithout(t: Test, player: Page, { node, moments }: Recorded): Promise<void> {
  const errors = player.locator(".notice-error");
  await seek(player, moments.last);
  await until("what is left, as it was", async () => (await redOf(player)) === RED.last, SLOW_MS);
  t.equal(await errors.count(), 0, "without a word");
  await seek(player, moments.first);
  await errors.getByText(`what node ${node} recorded cannot be read`).waitFor({ timeout: SLOW_MS });
  t.equal(await redOf(player), 0, "no picture of another moment");
  await seek(player, moments.second);
  await until("and back", async () => (await redOf(player)) === RED.second, SLOW_MS);
}

t.test("a page behind one front outlives the nodes that serve it", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "chromium", "nginx", "openssl"])) return;
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"], { front: NAME });
  const { names } = fleet;
  const display = await XDisplay.start(t);
  const paint = (colour: string) => display.command("xsetroot", "-solid", colour);
  const { id } = await fleet.add(display.vncPort);
  const recorded = await recordOnMove(fleet, id, paint);
  await paint("rgb:20/40/60");

  const dir = t.testdir();
  await certificate(dir);
  const upstream = GUIDE.split("```nginx\n")[1]?.split("```")[0] ?? "";
  let nth = 0;
  const servers = upstream.replace(
    /server \S+/g,
    () => `server ${new URL(fleet.node(names[nth++] ?? "").url).host}`,
  );
  t.equal(nth, names.length, "the guide's upstream has as many nodes");
  const port = await startProxy(t, "nginx", dir, "http://nodes", (as) =>
    as.replace("map ", `${servers}\nmap `),
  );
  const browser = await openBrowser(t, [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
  const url = `https://${NAME}:${port}`;
  // Which node answers is the proxy's affair, and each has an administrator's token of its own.
  const made = await fleet.node("a").fetch("/api/v1/tokens", { name: "Ann", role: "operator" });
  const { token } = newTokenSchema.parse(await made.json());
  const { page } = await signIn(browser, { url, adminToken: token }, { ignoreHTTPSErrors: true });
  const player = await page.context().newPage();
  await player.goto(`${url}/recordings/${recorded.id}#t=${recorded.moments.second / 1000}`);
  await until("a moment", async () => (await redOf(player)) === RED.second, SLOW_MS);
  await page.goto(`${url}/desktops/${id}`);
  const seen = () => page.evaluate<(string | null)[]>("[...window.seen]");
  await page.evaluate(WATCH);
  await until("the desktop's colour", async () => (await seen()).at(-1) === "32,64,96", SLOW_MS);

  const left = new Set(names);
  for (const [colour, as] of [
    ["rgb:80/10/30", "128,16,48"],
    ["rgb:10/70/50", "16,112,80"],
  ] as const) {
    const [asked = ""] = left;
    const before = (await seen()).at(-1) ?? "";
    const owner = await until("an owner", async () => await fleet.ownerOf(id, asked), SLOW_MS);
    await t.test(`the node that has the desktop is killed: ${left.size - 1} left`, async (t) => {
      const { pid: server = 0 } = fleet.node(owner).program;
      await supervisorOf(server);
      await page.evaluate(`window.seen = new Set(); window.wasGrey = false`);
      process.kill(server, "SIGKILL");
      left.delete(owner);
      await until("it is said", () => page.evaluate<boolean>("window.wasGrey"), SLOW_MS);
      await paint(colour);
      await until("the page is live again, by itself", async () => (await seen()).includes(as), SLOW_MS);
      t.same(await seen(), [before, as], "the last picture stayed until then");
      await until(
        "and says so",
        () => page.evaluate<boolean>(`document.querySelector(".stage.is-greyed") === null`),
        SLOW_MS,
      );
      t.equal(new URL(page.url()).pathname, `/desktops/${id}`, "signed in all the while");
    });
    if (left.size < names.length - 1) continue;
    t.equal(owner, recorded.node, "it had the first part");
    await t.test("a player that was open shows what is left, and says what is lost", (t) =>
      seekWithout(t, player, recorded),
    );
  }
});

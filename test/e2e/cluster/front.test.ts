import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { fleetSchema } from "../../../src/web/api/fleet-api.ts";
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

/** Of the parts of a recording: what the desktop shows in each, and its red in a picture. */
const PARTS = [
  { colour: "rgb:70/20/20", red: 0x70 },
  { colour: "rgb:28/60/20", red: 0x28 },
  { colour: "rgb:38/20/60", red: 0x38 },
  { colour: "rgb:90/90/20", red: 0x90 },
] as const;

/** Records a desktop at one node after the other; all of them take desktops again when it is done. */
async function recordAt(
  fleet: FleetNodes,
  desktopId: string,
  order: readonly string[],
  paint: (colour: string) => Promise<unknown>,
) {
  const asked = fleet.node(order[0] ?? "");
  const drain = (name: string, is_draining: boolean) =>
    asked.fetch(`/api/v1/fleet/nodes/${name}/drain`, { is_draining });
  const read = async (answer: Promise<Response>) => recordingSchema.parse(await (await answer).json());
  let id = "";
  const whole = () => read(asked.fetch(`/api/v1/recordings/${id}`));
  for (const [nth, name] of order.entries()) {
    await drain(name, false);
    for (const other of fleet.names) if (other !== name) await drain(other, true);
    await until(`it is at ${name}`, async () => (await fleet.ownerOf(desktopId, order[0])) === name, SLOW_MS);
    if (nth === 0)
      id = (await read(fleet.node(name).fetch("/api/v1/recordings", { desktop_id: desktopId }))).id;
    const lengthMs = async () => {
      const { parts, duration_ms } = await whole();
      const { from_ms = 0, to_ms = 0, problem = "not there" } = parts[nth] ?? {};
      if (nth === 0) return duration_ms;
      return problem === null ? to_ms - from_ms : 0;
    };
    await until("it is recorded there", async () => (await lengthMs()) > 0, SLOW_MS);
    await paint(PARTS[nth]?.colour ?? "");
    const paintedMs = await lengthMs();
    await until("its colour too", async () => (await lengthMs()) > paintedMs + 1500, SLOW_MS);
  }
  const last = (await whole()).parts.at(-1)?.id ?? "";
  await asked.fetch(`/api/v1/recordings/${last}/stop`, {});
  for (const name of fleet.names) await drain(name, false);
  return await until(
    "it is sealed",
    async () => {
      const sealed = await whole();
      return sealed.state === "sealed" && sealed.parts.every(({ problem }) => problem === null)
        ? sealed
        : null;
    },
    SLOW_MS,
  );
}

const NOTE = ".player-note";

const redIn = async (player: Page) => (await canvasShot(player, ".player-canvas"))?.rgba[0];

/** Seeks to the ends of parts: those of nodes that are left are shown, of the others it is said whose they were. */
async function seekAll(
  t: Test,
  player: Page,
  parts: Awaited<ReturnType<typeof recordAt>>["parts"],
  { order, left }: { readonly order: readonly number[]; readonly left: ReadonlySet<string> },
): Promise<void> {
  const redOf = () => redIn(player);
  for (const nth of order) {
    const { node, to_ms } = parts[nth] ?? { node: "", to_ms: 0 };
    await player.evaluate(`location.hash = "t=${(to_ms - 100) / 1000}"`);
    if (left.has(node)) {
      await until(`part ${nth + 1} is shown`, async () => (await redOf()) === PARTS[nth]?.red, SLOW_MS);
      await until("without a word", async () => (await player.locator(NOTE).count()) === 0, SLOW_MS);
    } else {
      const said = player.locator(NOTE).getByText(`what node ${node} recorded cannot be read`);
      await said.waitFor({ timeout: SLOW_MS });
      // The last one before it, or the first one after, when the desktop had not changed yet.
      const isLeft = (at: number) => left.has(parts[at]?.node ?? "");
      const places = [...PARTS.keys()].filter(isLeft);
      const red = PARTS[places.findLast((at) => at < nth) ?? (places[0] ?? 0) - 1]?.red;
      await until(`a picture beside part ${nth + 1}`, async () => (await redOf()) === red, SLOW_MS);
    }
  }
  t.same(await player.locator(".notice-error").allTextContents(), [], "no seek failed");
}

t.test("a page behind one front outlives the nodes that serve it", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "chromium", "nginx", "openssl"])) return;
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"], { front: NAME });
  const { names } = fleet;
  const display = await XDisplay.start(t);
  const paint = (colour: string) => display.command("xsetroot", "-solid", colour);
  const { id } = await fleet.add(display.vncPort);

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
  const made = await fleet.node("a").fetch("/api/v1/tokens", { name: "Ann", role: "admin" });
  const { token } = newTokenSchema.parse(await made.json());
  const { page } = await signIn(browser, { url, adminToken: token }, { ignoreHTTPSErrors: true });
  const served = await page.evaluate("fetch('/api/v1/fleet').then((answer) => answer.json())");
  const first = fleetSchema.parse(served).node ?? "";
  const others = names.filter((name) => name !== first);
  const { id: recordingId, parts } = await recordAt(fleet, id, [first, ...others, first], paint);
  await paint("rgb:20/40/60");
  const player = await page.context().newPage();
  await player.goto(`${url}/recordings/${recordingId}`);
  await seekAll(t, player, parts, { order: [1], left: new Set(names) });
  await page.goto(`${url}/desktops/${id}`);
  const seen = () => page.evaluate<(string | null)[]>("[...window.seen]");
  await page.evaluate(WATCH);
  await until("the desktop's colour", async () => (await seen()).at(-1) === "32,64,96", SLOW_MS);

  const left = new Set(names);
  // The first is the one that serves both pages: what it has was read from it by the player.
  for (const [colour, as, order] of [
    ["rgb:80/10/30", "128,16,48", [2, 0, 3, 1]],
    ["rgb:10/70/50", "16,112,80", [2, 0, 1, 3]],
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
    await t.test("a recording that is looked at says what is missing, and the rest plays", async (t) => {
      await seekAll(t, player, parts, { order, left });
      if (left.size === 1) return;
      await player.getByRole("button", { name: "Play", exact: true }).click();
      await until("it plays on", async () => (await redIn(player)) === PARTS[2].red, SLOW_MS);
      // What the next node that dies has shall not be in its memory.
      await player.reload();
      await seekAll(t, player, parts, { order: [1], left });
    });
  }
});

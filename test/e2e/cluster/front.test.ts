import { readFileSync } from "node:fs";
import t from "tap";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { until } from "../../support/until.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
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

t.test("a page behind one front outlives the nodes that serve it", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "chromium", "nginx", "openssl"])) return;
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"], { front: NAME });
  const { names } = fleet;
  const display = await XDisplay.start(t);
  const paint = (colour: string) => display.command("xsetroot", "-solid", colour);
  await paint("rgb:20/40/60");
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
  const made = await fleet.node("a").fetch("/api/v1/tokens", { name: "Ann", role: "operator" });
  const { token } = newTokenSchema.parse(await made.json());
  const { page } = await signIn(browser, { url, adminToken: token }, { ignoreHTTPSErrors: true });
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
  }
});

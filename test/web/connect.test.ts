import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import { BRIDGE_PATH } from "../../src/browser/wire/calls.ts";
import { parsePairingLink } from "../../src/browser/wire/pairing-link.ts";
import { connectInfoSchema } from "../../src/web/api/browsers-api.ts";
import { requirePeers } from "../e2e/harness/peers.ts";
import { openHouse } from "./fake-house.ts";

const HTML = { accept: "text/html" };

t.test("programs of administrators get a link and where agents connect", async (t) => {
  const house = await openHouse(t, { basePath: "/oc" });
  const host = await house.listen();
  const ask = () => fetch(`http://${host}/oc/connect`, { headers: house.bearer("admin") });
  const answer = await ask();
  t.equal(answer.headers.get("cache-control"), "no-store");
  const info = connectInfoSchema.strict().parse(await answer.json());
  t.match(info, {
    server_url: `http://${host}/oc`,
    mcp_url: `http://${host}/oc/mcp`,
    sse_url: `http://${host}/oc/sse`,
  });
  const { url, code } = parsePairingLink(info.link);
  t.equal(url, `ws://${host}/oc${BRIDGE_PATH}`);
  t.match(house.audited.at(-1), { type: "browser.pairing_made", action: "every agent" });
  const next = connectInfoSchema.parse(await (await ask()).json());
  t.not(parsePairingLink(next.link).code, code, "each look makes another");
  t.notMatch(house.log(), code);
});

t.test("nobody else gets one", async (t) => {
  const { app, bearer, audited } = await openHouse(t);
  const ask = async (headers: Record<string, string>) => await app.inject({ url: "/connect", headers });
  t.equal((await ask({})).statusCode, 401);
  const stranger = await ask(HTML);
  t.equal(stranger.statusCode, 303);
  t.equal(stranger.headers.location, "/signin?next=%2Fconnect");
  for (const role of ["operator", "approver", "viewer", "agent"] as const) {
    t.equal((await ask({ ...HTML, ...bearer(role) })).statusCode, 403, role);
  }
  t.equal((await app.inject({ method: "HEAD", url: "/connect", headers: bearer("admin") })).statusCode, 404);
  t.notOk(audited.some(({ type }) => type === "browser.pairing_made"));
});

t.test("the page has the link, and the same as a QR code that another program reads", async (t) => {
  const { app, bearer } = await openHouse(t);
  const { headers, body } = await app.inject({ url: "/connect", headers: { ...HTML, ...bearer("admin") } });
  t.match(headers, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  t.notMatch(body, /style=|<script/, "nothing that the content policy forbids");
  const link = /<code id="connection-string">([^<]+)<\/code>/.exec(body)?.[1] ?? "";
  t.match(parsePairingLink(link).url, BRIDGE_PATH);
  if (!requirePeers(t, ["zbarimg"])) return;
  const svg = /<svg[\s\S]*<\/svg>/.exec(body)?.[0] ?? "";
  const file = join(t.testdir(), "code.png");
  writeFileSync(file, await sharp(Buffer.from(svg), { density: 288 }).png().toBuffer());
  const { stdout } = await promisify(execFile)("zbarimg", ["--quiet", "--raw", file]);
  t.equal(stdout.trim(), link);
});

t.test("the page is in what its reader reads", async (t) => {
  const { app, bearer } = await openHouse(t);
  const page = async (headers: Record<string, string>): Promise<string> =>
    (await app.inject({ url: "/connect", headers: { ...HTML, ...bearer("admin"), ...headers } })).body;
  for (const [headers, language] of [
    [{}, "en"],
    [{ "accept-language": "de-DE,de;q=0.9,en;q=0.8" }, "de"],
    [{ "accept-language": "fr-FR, DE;q=0.9" }, "de"],
    [{ "accept-language": "fr" }, "en"],
    [{ "accept-language": "en-GB,de;q=0.9" }, "en"],
  ] as const) {
    const html = await page(headers);
    t.match(html, new RegExp(`<html lang="${language}">`), JSON.stringify(headers));
    t.equal(html.includes("Verbinden"), language === "de");
    t.equal(html.includes("Paste this link"), language === "en");
    t.match(html, /<code id="mcp-url">http/);
    t.match(html, /<a href="\/setup">/);
  }
});

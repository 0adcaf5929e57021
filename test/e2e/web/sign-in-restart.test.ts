import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

t.test("a sign-in outlasts the server, unless it was ended", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const browser = await openBrowser(t);
  const visit = async (name: string) => {
    const made = await appliance.fetch("/api/v1/tokens", { name, role: "operator" });
    const { token, id: tokenId } = newTokenSchema.parse(await made.json());
    const { page, context } = await signIn(browser, { url: appliance.url, adminToken: token });
    await page.getByRole("heading", { name: "Desktops" }).waitFor();
    const [cookie] = await context.cookies();
    if (cookie === undefined) throw new Error("signed in without a cookie");
    return { page, context, tokenId, cookie };
  };
  const own = await signIn(browser, appliance);
  await own.page.getByRole("heading", { name: "Desktops" }).waitFor();
  const bob = await visit("Bob");
  const cora = await visit("Cora");
  const dan = await visit("Dan");
  await dan.page.getByRole("button", { name: "Sign out" }).click();
  await dan.page.getByLabel("Access token").waitFor();
  // Killed, so that nothing is written as it ends.
  await appliance.program.stop("SIGKILL");
  const lost = bob.page.locator(".offline");
  await lost.waitFor();
  const path = join(appliance.dataDir, "sessions", `${new URL(appliance.url).port}.json`);
  t.equal(statSync(path).mode & 0o777, 0o600);
  const kept = readFileSync(path, "utf8");
  for (const secret of [bob.cookie.value, cora.cookie.value, appliance.adminToken, "Bob", "operator"])
    t.notOk(kept.includes(secret), "nothing in clear");
  const revoke = ["token", "revoke", cora.tokenId, "--data-dir", appliance.dataDir];
  execFileSync(process.execPath, [MAIN, ...revoke]);

  const second = await Appliance.start(t, { after: appliance });
  await lost.waitFor({ state: "detached" });
  t.equal(await bob.page.getByLabel("Access token").count(), 0, "the open page goes on");
  await bob.page.reload();
  await bob.page.getByRole("heading", { name: "Desktops" }).waitFor();
  t.same(
    (await bob.context.cookies()).map(({ value }) => value),
    [bob.cookie.value],
    "by the same cookie",
  );
  await own.page.reload();
  await own.page.getByRole("heading", { name: "Desktops" }).waitFor();
  await cora.page.getByText("the token that you signed in with was revoked").waitFor();
  // As if the browser had kept what it was told to forget.
  await dan.context.addCookies([dan.cookie]);
  await dan.page.goto(`${second.url}/recordings`);
  await dan.page.getByText("the server does not know your session any more").waitFor();
  const address = `/api/v1/tokens/${bob.tokenId}`;
  await second.fetch(address, undefined, { method: "DELETE" });
  await bob.page.getByText("the token that you signed in with was revoked").waitFor();
  second.assertAlive();
});

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { Appliance } from "../harness/appliance.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const OLD = "the sealing key of before, long enough";
const NEW = "the sealing key of then, long enough";
const VALUE = "correct horse battery staple";

t.test("the sealing key is changed while the server runs, and what is sealed still opens", async (t) => {
  const first = await Appliance.start(t, { env: { OC_SEALING_KEY: OLD } });
  const cookie = await signIn(first);
  const body = JSON.stringify({ value: VALUE, desktops: ["demo"], agents: ["*"] });
  const init = { method: "PUT", body, headers: { "content-type": "application/json" } };
  const put = await fetch(`${first.url}/api/v1/secrets/bank`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${first.adminToken}` },
  });
  t.ok(put.ok, await put.text());
  const file = join(t.testdir(), "new");
  writeFileSync(file, `${NEW}\n`);
  const secret = (env: Record<string, string>, ...words: string[]): string =>
    execFileSync(process.execPath, [MAIN, "secret", ...words, "--data-dir", first.dataDir], {
      ...{ encoding: "utf8", env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
    });
  t.match(secret({ OC_SEALING_KEY: OLD }, "seal", "--key-file", file), /by both keys/);
  t.equal(await statusOf(first, cookie), 200, "who runs goes on");
  await first.program.stop("SIGKILL");

  const second = await Appliance.start(t, { after: first, env: { OC_SEALING_KEY_FILE: file } });
  t.equal(await statusOf(second, cookie), 200, "a sign-in of before is opened");
  t.match(secret({ OC_SEALING_KEY: NEW }, "list"), /^bank /);
  await second.program.stop();
  for (const env of [{}, { OC_SEALING_KEY: OLD }]) {
    await t.rejects(Appliance.start(t, { after: first, env }), { message: /secret\.key is sealed/ });
  }
  const all = ["secret.key", "secrets.json"].map((name) => readFileSync(join(first.dataDir, name), "utf8"));
  for (const secret of [OLD, NEW, VALUE]) {
    t.notOk([...all, second.program.stderr].some((text) => text.includes(secret)));
  }
});

async function signIn({ url, adminToken }: Appliance): Promise<string> {
  const answer = await fetch(`${url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token: adminToken }),
  });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function statusOf({ url }: Appliance, cookie: string): Promise<number> {
  return (await fetch(`${url}/api/v1/me`, { headers: { cookie } })).status;
}

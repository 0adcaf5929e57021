import { createHash } from "node:crypto";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { forgetIdentity } from "../../src/appliance/open-links.ts";
import { readCommand } from "../../src/cli/cli.ts";
import { knownTargetsFile } from "../../src/cli/targets-cli.ts";
import { makeConnection } from "../../src/desktop/connections/connection.ts";
import { KnownTargets } from "../../src/desktop/connections/known-targets.ts";
import { TargetTrust } from "../../src/desktop/connections/trust-policy.ts";

const PRINT = "ab".repeat(32);

async function run(dataDir: string, ...words: string[]): Promise<string> {
  const command = readCommand([...words, "--data-dir", dataDir], {});
  if (command.kind === "task") return await command.run();
  throw new Error(`${words.join(" ")} is no task`);
}

t.test("what a target proved itself by is listed and forgotten", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "oc-"));
  t.match(await run(dataDir, "targets", "list"), /^no target/);
  await t.rejects(run(dataDir, "targets", "forget", "box:5900"), /nothing is known of box:5900/);
  const known = await KnownTargets.open(knownTargetsFile(dataDir));
  await Promise.all([known.remember("box:5900", PRINT), known.remember("hub:5901", PRINT)]);
  t.equal(await run(dataDir, "targets", "list"), `box:5900  ${PRINT}\nhub:5901  ${PRINT}\n`);
  t.match(await run(dataDir, "targets", "forget", "box:5900"), /^box:5900 {2}forgotten/);
  t.equal(await run(dataDir, "targets", "list"), `hub:5901  ${PRINT}\n`);
  t.throws(() => readCommand(["targets", "sell"], {}), /expected targets list or forget/);
});

t.test("of a connection that shows another certificate that very one is believed", async (t) => {
  const file = knownTargetsFile(await mkdtemp(join(tmpdir(), "oc-")));
  const known = await KnownTargets.open(file);
  const connection = makeConnection({ protocol: "vnc", host: "box" }, new Date(0));
  const trustSettings = { trust: "tofu", known } as const;
  await known.remember("box:5900", PRINT);
  const judge = (bytes: string) =>
    new TargetTrust({ host: "box", port: 5900, fingerprint: null }, "tofu", known).judge({
      ...{ what: "certificate", bytes: Buffer.from(bytes), distrust: "self-signed" },
    });
  const printOf = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");
  await t.rejects(judge("shown"), { code: "cert_mismatch" });
  t.equal(await forgetIdentity(connection, trustSettings, printOf("another")), false);
  await t.rejects(judge("shown"), { code: "cert_mismatch" }, "as before");
  t.equal(await forgetIdentity(connection, trustSettings, printOf("shown")), true);
  t.equal(known.fingerprintOf("box:5900"), printOf("shown"));
  await t.rejects(judge("whoever comes next"), { code: "cert_mismatch" });
  await t.resolves(judge("shown"));
});

t.test("a connection's identity is forgotten in the process and on the disk", async (t) => {
  const file = knownTargetsFile(await mkdtemp(join(tmpdir(), "oc-")));
  const known = await KnownTargets.open(file);
  const connection = makeConnection({ protocol: "vnc", host: "Box" }, new Date(0));
  const trustSettings = { trust: "tofu", known } as const;
  t.equal(await forgetIdentity(connection, trustSettings), false);
  await known.remember("box:5900", PRINT);
  await known.remember("other:5900", PRINT);
  t.equal(await forgetIdentity(connection, trustSettings), true);
  t.equal(known.fingerprintOf("box:5900"), undefined);
  t.equal(known.fingerprintOf("other:5900"), PRINT);
  t.notMatch(await readFile(file, "utf8"), /box/);
});

import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { type TestReport, testLink } from "../../../src/desktop/connections/connection-test.ts";
import { KnownTargets } from "../../../src/desktop/connections/known-targets.ts";
import type { TlsTrust } from "../../../src/desktop/connections/trust-policy.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { Program } from "../../support/program.ts";
import { requirePeers } from "../harness/peers.ts";
import { vncPassword } from "./target.ts";

const run = promisify(execFile);

const FIRST_DISPLAY = 80;
const LAST_DISPLAY = 84;
const ALL = "None,VncAuth,TLSNone,TLSVnc,X509None,X509Vnc";
const PASSWORD = "secret42";

/** Writes a SELF_SIGNED_CERT for 127.0.0.1; gives its SHA-256 fingerprint. */
async function makeCertificate(folder: string, name: string): Promise<string> {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const subject = ["-subj", "/CN=target", "-addext", "subjectAltName=IP:127.0.0.1"];
  await run("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", cert, "-keyout", key],
    ...subject,
  ]);
  const { stdout } = await run("openssl", ["x509", "-in", cert, "-noout", "-fingerprint", "-sha256"]);
  return stdout.trim().split("=")[1] ?? "";
}

/** An Xtigervnc that offers these types with this certificate, on a display of ours or on `only`. */
async function startServer(
  test: Test,
  folder: string,
  certificate: string,
  types = ALL,
  only: number | null = null,
): Promise<{ readonly number: number; readonly server: Program }> {
  const passwordFile = join(folder, "passwd");
  writeFileSync(passwordFile, vncPassword(PASSWORD), { mode: 0o600 });
  for (let number = only ?? FIRST_DISPLAY; number <= (only ?? LAST_DISPLAY); number++) {
    const server = new Program(
      test,
      "Xtigervnc",
      [
        ...[`:${number}`, "-displayfd", "3", "-geometry", "320x240", "-nolisten", "tcp", "-localhost"],
        ...[`-rfbport=${5900 + number}`, `-SecurityTypes=${types}`, `-PasswordFile=${passwordFile}`],
        ...[
          `-X509Cert=${join(folder, `${certificate}.pem`)}`,
          `-X509Key=${join(folder, `${certificate}.key`)}`,
        ],
        ...["-AlwaysShared", "-BlacklistThreshold=1000"],
      ],
      { hasExtraPipe: true },
    );
    try {
      await server.waitFor("its display number", ({ extra }) => (extra.includes("\n") ? true : null));
      return { number, server };
    } catch (error) {
      if (only !== null || !/already active|already running|in use/.test(server.stderr)) throw error;
    }
  }
  throw new Error(`no free X display between :${FIRST_DISPLAY} and :${LAST_DISPLAY}`);
}

async function tryUrl(
  url: string,
  known: KnownTargets | null = null,
  trust: TlsTrust = "tofu",
): Promise<TestReport> {
  const connection = makeConnection(connectionFromUrl(url), systemClock.date());
  return await testLink(openTargetLink(connection, [], { trust, known }), systemClock);
}

t.test("every security type of Xtigervnc gives a picture", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openssl"])) return;
  const folder = t.testdir();
  const fingerprint = await makeCertificate(folder, "first");
  const { number } = await startServer(t, folder, "first");
  const place = `127.0.0.1:${5900 + number}`;

  for (const type of ["VncAuth", "TLSVnc", "X509Vnc"]) {
    const report = await tryUrl(`vnc://:${PASSWORD}@${place}?security=${type}`);
    t.match(report, { success: true, message: `RFB 3.8, ${type}` });
    const wrong = await tryUrl(`vnc://:wrong@${place}?security=${type}`);
    t.match(wrong, { success: false, message: /^authentication: the server refused the sign-in/ }, type);
    t.notMatch(wrong.message, /wrong/, "the password is not told");
  }
  for (const type of ["None", "TLSNone", "X509None"]) {
    t.match(await tryUrl(`vnc://${place}?security=${type}`), {
      success: true,
      message: `RFB 3.8, ${type}`,
    });
  }
  t.match((await tryUrl(`vnc://:${PASSWORD}@${place}`)).message, /X509Vnc/, "the best with a password");
  t.match((await tryUrl(`vnc://${place}`)).message, /X509None/, "the best without");

  t.match(await tryUrl(`vnc://${place}?fingerprint=${fingerprint}`, null, "ca"), { success: true });
  const other = fingerprint.replace(/^../, (pair) => (pair === "00" ? "01" : "00"));
  const pinned = await tryUrl(`vnc://${place}?fingerprint=${other}`, null, "insecure");
  t.notOk(pinned.success);
  t.ok(pinned.message.includes(fingerprint) && pinned.message.includes(other), "both fingerprints are told");
  const unsigned = await tryUrl(`vnc://${place}`, null, "ca");
  t.match(unsigned, { success: false, message: /is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/ });
});

t.test("a target that showed another certificate before is not believed", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openssl"])) return;
  const folder = t.testdir();
  const [first, second] = [await makeCertificate(folder, "first"), await makeCertificate(folder, "second")];
  const file = join(folder, "data", "known-targets.json");
  const { number, server } = await startServer(t, folder, "first");
  const place = `127.0.0.1:${5900 + number}`;
  const url = `vnc://:${PASSWORD}@${place}`;

  t.match(await tryUrl(url, await KnownTargets.open(file)), { success: true });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.ok(readFileSync(file, "utf8").includes(first.replaceAll(":", "").toLowerCase()));
  t.match(await tryUrl(url, await KnownTargets.open(file)), { success: true }, "the same one again");

  await server.stop();
  const changed = await startServer(t, folder, "second", ALL, number);
  const known = await KnownTargets.open(file);
  const report = await tryUrl(url, known);
  t.match(report, { success: false, message: /SHA-256 fingerprint/ });
  t.ok(report.message.includes(first) && report.message.includes(second), "both fingerprints are told");
  t.notOk(
    known.fingerprintOf(place)?.includes(second.replaceAll(":", "").toLowerCase()),
    "and it is not learnt",
  );

  await changed.server.stop();
  await startServer(t, folder, "second", "None,VncAuth,TLSVnc", number);
  t.match(
    await tryUrl(url, await KnownTargets.open(file)),
    { success: false, message: /does not prove who it is/ },
    "nor is one that now shows none",
  );
});

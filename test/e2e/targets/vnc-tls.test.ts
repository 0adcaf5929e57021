import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { type TestReport, testLink } from "../../../src/desktop/connections/connection-test.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { vncPassword } from "./target.ts";

// TLS and its sub-types of servers that are not TigerVNC's: QEMU's own (GnuTLS) and x11vnc's (OpenSSL), which is also
// the one that speaks Vino's older type 18 and VeNCrypt's Plain.

const run = promisify(execFile);
const PASSWORD = "secret42";
const [USER, USER_PASSWORD] = ["ada", "lovelace-1815"] as const;

/** A folder with a self-signed certificate of 127.0.0.1 as QEMU wants it named, and both in one file for x11vnc. */
async function makeFolder(t: Test): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "oc-tls-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const [cert, key] = [join(folder, "server-cert.pem"), join(folder, "server-key.pem")];
  await run("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", cert, "-keyout", key],
    ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
  ]);
  copyFileSync(cert, join(folder, "ca-cert.pem"));
  writeFileSync(join(folder, "both.pem"), readFileSync(key, "utf8") + readFileSync(cert, "utf8"), {
    mode: 0o600,
  });
  return folder;
}

function tryUrl(url: string): Promise<TestReport> {
  const connection = makeConnection(connectionFromUrl(url), systemClock.date());
  return testLink(openTargetLink(connection, [], { trust: "insecure", known: null }), systemClock);
}

/** Signs in by this way, and not with another password. */
async function expectWay(t: Test, place: string, way: string, user = ""): Promise<void> {
  const hasPassword = !way.endsWith("None");
  const right = user === "" ? PASSWORD : USER_PASSWORD;
  const who = hasPassword ? `${user}:${right}@` : "";
  t.match(await tryUrl(`vnc://${who}${place}?security=${way}`), { success: true, message: `, ${way}` }, way);
  if (!hasPassword) return;
  const wrong = await tryUrl(`vnc://${user}:tops3cret@${place}?security=${way}`);
  t.match(wrong, { success: false, message: /^authentication/ }, `${way} with another password`);
  t.notMatch(wrong.message, /tops3cret/);
}

t.test("QEMU lets us in by anonymous TLS and by X.509", { timeout: 90_000 }, async (t) => {
  if (!requirePeers(t, ["qemu-system-x86_64", "openssl"])) return;
  const folder = await makeFolder(t);
  const credentials = {
    TLSNone: "tls-creds-anon,id=tls0,endpoint=server",
    X509None: `tls-creds-x509,id=tls0,dir=${folder},endpoint=server,verify-peer=off,sanity-check=off`,
  };
  for (const [way, object] of Object.entries(credentials)) {
    const port = await freePort();
    const server = new Program(t, "qemu-system-x86_64", [
      ...["-display", "none", "-machine", "pc,accel=tcg", "-m", "32", "-nodefaults", "-no-user-config"],
      ...["-vga", "std", "-object", object, "-vnc", `127.0.0.1:${port - 5900},tls-creds=tls0`],
    ]);
    await until("a sign-in to QEMU", async () => {
      if (!server.isRunning) throw new Error(server.stderr.slice(-500));
      return (await tryUrl(`vnc://127.0.0.1:${port}?security=${way}`)).success;
    });
    await expectWay(t, `127.0.0.1:${port}`, way);
    await server.stop();
  }
});

t.test(
  "x11vnc lets us in by VeNCrypt and by Vino's TLS, with a password or a user's",
  { timeout: 90_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "x11vnc", "openssl"])) return;
    const folder = await makeFolder(t);
    const passwordFile = join(folder, "passwd");
    writeFileSync(passwordFile, vncPassword(PASSWORD), { mode: 0o600 });
    const checker = join(folder, "check");
    writeFileSync(
      checker,
      `#!/bin/sh\nread user\nread password\n[ "$user:$password" = "${USER}:${USER_PASSWORD}" ]\n`,
      { mode: 0o755 },
    );
    // Debian's OpenSSL has no anonymous ciphers at its own level of security, and x11vnc does not ask for less: as it
    // comes, "no shared cipher" is what every client of its anonymous TLS is told (0.9.16, 2026-11-21).
    const settings = join(folder, "openssl.cnf");
    writeFileSync(
      settings,
      "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nCipherString = ALL:@SECLEVEL=0\n",
    );
    const display = await XDisplay.start(t, { geometry: "320x240", hasVnc: false });
    const tls = ["-ssl", join(folder, "both.pem")];
    const servers: readonly {
      readonly args: readonly string[];
      readonly ways: readonly string[];
      readonly user?: string;
    }[] = [
      { args: [...tls, "-vencrypt", "only", "-rfbauth", passwordFile], ways: ["TLSVnc", "X509Vnc"] },
      { args: [...tls, "-anontls", "only", "-rfbauth", passwordFile], ways: ["TLSVnc"] },
      {
        args: [...tls, "-vencrypt", "plain:only", "-unixpw_cmd", checker],
        ways: ["TLSPlain", "X509Plain"],
        user: USER,
      },
    ];
    for (const { args, ways, user } of servers) {
      const port = await freePort();
      const server = display.program(
        "env",
        ...[`OPENSSL_CONF=${settings}`, "x11vnc"],
        ...["-display", display.name, "-rfbport", `${port}`, "-localhost", "-no6", "-noipv6", "-forever"],
        ...["-shared", "-noxrecord", "-q", ...args],
      );
      await server.waitFor("its port", ({ stdout }) => (/^PORT=\d+/m.test(stdout) ? true : null));
      for (const way of ways) await expectWay(t, `127.0.0.1:${port}`, way, user);
      await server.stop();
    }
  },
);

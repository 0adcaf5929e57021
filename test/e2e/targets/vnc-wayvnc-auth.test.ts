import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { openTargetLink } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { type TestReport, testLink } from "../../../src/desktop/connections/connection-test.ts";
import type { Link } from "../../../src/desktop/link.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";

const run = promisify(execFile);

const NOBODY = 65_534;
const [USER, PASSWORD] = ["ada", "lovelace-1815"] as const;

/** A wayvnc on a headless sway that wants a user, a password and TLS; both run as nobody, for sway refuses root. */
async function startWayvnc(t: Test): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "oc-wayvnc-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const [cert, key, settings] = [join(home, "cert.pem"), join(home, "key.pem"), join(home, "wayvnc")];
  await run("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", cert, "-keyout", key],
    ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
  ]);
  const port = await freePort();
  writeFileSync(
    settings,
    [
      ...["enable_auth=true", `username=${USER}`, `password=${PASSWORD}`],
      ...[`certificate_file=${cert}`, `private_key_file=${key}`, "address=127.0.0.1", `port=${port}`, ""],
    ].join("\n"),
  );
  const config = join(folder, "config");
  writeFileSync(
    config,
    `output HEADLESS-1 resolution 320x240\nexec wayvnc --config=${settings} 127.0.0.1 ${port}\n`,
  );
  for (const path of [home, cert, key, settings]) chownSync(path, NOBODY, NOBODY);
  const env = {
    ...{ HOME: home, XDG_RUNTIME_DIR: home, WAYLAND_DISPLAY: "", DISPLAY: "", SWAYSOCK: join(home, "sway") },
    ...{ WLR_BACKENDS: "headless", WLR_RENDERER: "pixman", WLR_LIBINPUT_NO_DEVICES: "1" },
  };
  const sway = new Program(
    t,
    "setpriv",
    [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "sway", "-c", config],
    { env },
  );
  await until("wayvnc", () => {
    if (!sway.isRunning) throw new Error(sway.stderr.slice(-500));
    return isOpen(port);
  });
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function linkTo(url: string): Link {
  const connection = makeConnection(connectionFromUrl(url), systemClock.date());
  return openTargetLink(connection, [], { trust: "tofu", known: null });
}

function tryUrl(url: string): Promise<TestReport> {
  return testLink(linkTo(url), systemClock);
}

t.test(
  "wayvnc lets us in by X.509 with user and password, and by nothing less",
  { timeout: 90_000 },
  async (t) => {
    if (!requirePeers(t, ["sway", "wayvnc", "setpriv", "openssl"])) return;
    const place = `127.0.0.1:${await startWayvnc(t)}`;
    t.match(await tryUrl(`vnc://${USER}:${PASSWORD}@${place}`), { success: true, message: /X509Plain/ });
    const wrong = await tryUrl(`vnc://${USER}:tops3cret@${place}`);
    t.match(wrong, {
      success: false,
      message: /wayvnc 0\.5 does so for a wrong user name or password/,
    });
    const ear = new LinkEar();
    linkTo(`vnc://${USER}:tops3cret@${place}`).open(ear.events);
    t.match((await ear.next("closed")).error, { code: "auth_failed", isFinal: true });
    t.notMatch(wrong.message, /tops3cret/);
    t.match(await tryUrl(`vnc://:${PASSWORD}@${place}`), { success: false, message: /user name/ });
  },
);

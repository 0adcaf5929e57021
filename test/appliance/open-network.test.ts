import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { type Interfaces, openNetwork } from "../../src/appliance/open-network.ts";
import { newKey, selfSigned } from "../../src/appliance/self-signed.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { requirePeers } from "../e2e/harness/peers.ts";

function configured(t: Test, flags: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const dir = join(t.testdir(), "data");
  const sources = { file: undefined, connect: [], isDemo: false, isStdio: false };
  return loadConfig({ ...sources, env, flags: { ...flags, "data-dir": dir } });
}

function interfaces(addresses: Readonly<Record<string, string>>): Interfaces {
  return Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [
      name,
      [
        {
          ...{ address, family: "IPv4", internal: name === "lo", mac: "", netmask: "255.255.255.0" },
          cidr: null,
        },
      ],
    ]),
  );
}

const HOME = interfaces({ lo: "127.0.0.1", docker0: "172.17.0.1", wlan0: "192.168.1.20" });

t.test("without it nothing is changed or written", async (t) => {
  const config = configured(t, {});
  const opened = await openNetwork(config, HOME);
  t.equal(opened.config, config);
  t.equal(opened.fingerprint, null);
  t.throws(() => statSync(config.data_dir));
});

t.test("the address is one of a private network, of a cable or radio before bridges", async (t) => {
  const hostOf = async (given: Interfaces, host?: string) => {
    const flags = { network: "plain", ...(host === undefined ? {} : { host }) };
    const { config, fingerprint } = await openNetwork(configured(t, flags), given);
    t.equal(fingerprint, null, "plain has no certificate");
    t.equal(config.server.tls_cert, undefined);
    return config.server.host;
  };
  t.equal(await hostOf(HOME), "192.168.1.20");
  t.equal(await hostOf(interfaces({ docker0: "172.17.0.1" })), "172.17.0.1");
  t.equal(await hostOf(interfaces({ eth0: "203.0.113.9", eth1: "10.1.2.3" })), "10.1.2.3");
  t.equal(await hostOf(HOME, "127.0.0.2"), "127.0.0.2", "one that is named is kept");
  for (const none of [{}, { eth0: "203.0.113.9" }, { eth0: "172.32.0.1" }, { eth0: "169.254.3.4" }]) {
    await t.rejects(hostOf(interfaces(none)), { name: "ConfigError", message: /--host ADDRESS/ });
  }
});

t.test(
  "the certificate is made once and kept, and made anew with the same key for another address",
  async (t) => {
    const config = configured(t, { network: "tls" }, { OC_ALLOWED_HOSTS: "desk.lan:3000" });
    const first = await openNetwork(config, HOME);
    const { tls_cert = "", tls_key = "" } = first.config.server;
    t.equal(statSync(tls_key).mode & 0o777, 0o600);
    const certificate = new X509Certificate(readFileSync(tls_cert));
    t.equal(certificate.fingerprint256, first.fingerprint);
    t.equal(certificate.checkIP("192.168.1.20"), "192.168.1.20");
    t.equal(certificate.checkHost("desk.lan"), "desk.lan");
    t.equal(certificate.ca, false);
    t.equal((await openNetwork(config, HOME)).fingerprint, first.fingerprint, "kept");
    const moved = await openNetwork(config, interfaces({ eth0: "10.0.0.5" }));
    t.not(moved.fingerprint, first.fingerprint);
    const next = new X509Certificate(readFileSync(tls_cert));
    t.same(
      next.publicKey.export({ type: "spki", format: "der" }),
      certificate.publicKey.export({ type: "spki", format: "der" }),
    );
    writeFileSync(tls_cert, "torn");
    t.not(
      (await openNetwork(config, interfaces({ eth0: "10.0.0.5" }))).fingerprint,
      null,
      "what is none is replaced",
    );
    chmodSync(tls_key, 0o600);
    writeFileSync(tls_key, "no key");
    await t.rejects(openNetwork(config, HOME), { name: "ConfigError", message: /holds no private key/ });
  },
);

t.test("one that is configured is used", async (t) => {
  const env = { OC_TLS_CERT: "/etc/a.pem", OC_TLS_KEY: "/etc/a.key" };
  const { config, fingerprint } = await openNetwork(configured(t, { network: "tls" }, env), HOME);
  t.match(config.server, { host: "192.168.1.20", tls_cert: "/etc/a.pem", tls_key: "/etc/a.key" });
  t.equal(fingerprint, null);
});

t.test("OpenSSL reads and believes it, for its names and no other", async (t) => {
  if (!requirePeers(t, ["openssl"])) return;
  const dir = t.testdir();
  const file = join(dir, "cert.pem");
  const key = newKey();
  const names = ["127.0.0.1", "fe80::12:0:1", "::1", "localhost"];
  for (const now of [new Date(), new Date(Date.UTC(2049, 11, 30))]) {
    writeFileSync(file, selfSigned(key, names, now));
    const { stdout } = await promisify(execFile)("openssl", ["x509", "-in", file, "-noout", "-text"]);
    t.match(stdout, /Version: 3 \(0x2\)/);
    t.match(
      stdout,
      /IP Address:127\.0\.0\.1, IP Address:FE80:0:0:0:0:12:0:1, IP Address:0:0:0:0:0:0:0:1, DNS:localhost/,
    );
    t.match(stdout, /TLS Web Server Authentication/);
  }
  const cert = selfSigned(key, names, new Date());
  writeFileSync(file, cert);
  await promisify(execFile)("openssl", ["verify", "-CAfile", file, "-purpose", "sslserver", file]);
  const server = createServer({ cert, key }, (_request, response) => response.end("ok"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const ask = (servername: string, ca: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port,
        servername,
        agent: false,
        ...(ca === undefined ? {} : { ca }),
      };
      request(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .once("error", reject)
        .end();
    });
  t.equal(await ask("localhost", cert), 200);
  await t.rejects(ask("elsewhere.example", cert), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  await t.rejects(ask("localhost", undefined), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
});

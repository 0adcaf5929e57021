import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Enclosure, requireNamespaces } from "../harness/namespaces.ts";
import { requirePeers } from "../harness/peers.ts";

// Who comes to each face without a credential, where the appliance listens beyond this machine and where it has a
// certificate of its own.

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const TOKEN = "a-token-of-this-test-alone-0123456789";
/** Of a documentation network: no address of this machine, but of a network namespace of the test. */
const FAR = "192.0.2.7";
const VNC_PASSWORD = "sesame12";

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), "oc-faces-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }));
  return dir;
}

t.test("beyond loopback it warns, and every face wants a credential", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["curl", "ip"])) return;
  if (!requireNamespaces(t, "an appliance beyond loopback", ["mount", "pid", "net"])) return;
  const dataDir = folder(t);
  const flags = ["--host", FAR, "--port", "3000", "--vnc-port", "5900", "--data-dir", dataDir];
  const address = `ip link set lo up && ip address add ${FAR}/32 dev lo && exec "$@"`;
  const enclosed = (env: Readonly<Record<string, string>>): Program =>
    new Enclosure(t, ["--net"], ["sh", "-c", address, "sh", process.execPath, MAIN, ...flags], {
      env: { OC_TOKEN: TOKEN, ...env },
    }).program;

  await t.test("VNC viewers without a password are not served there at all", async (t) => {
    const refused = enclosed({ OC_VNC_SECURITY: "none" });
    await until("its end", () => !refused.isRunning);
    t.match(refused.stderr, /without a password VNC viewers are served on loopback only/);
  });

  const program = enclosed({ OC_VNC_PASSWORD: VNC_PASSWORD });
  const { pid } = program;
  if (pid === undefined) throw new Error("a running process without an id");
  const inside = async (...command: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("nsenter", ["--target", `${pid}`, "--net", ...command]);
    return stdout;
  };
  const curl = async (path: string, ...more: string[]): Promise<string> =>
    await inside(
      "curl",
      ...["--silent", "--max-time", "20", "--output", join(dataDir, "answer"), "--write-out", "%{http_code}"],
      ...[...more, `http://${FAR}:3000${path}`],
    );
  const bearer = ["--header", `Authorization: Bearer ${TOKEN}`];
  await until("GET /health", async () => (await curl("/health")) === "200", 60_000);

  await t.test("its log warns that there is no TLS", async (t) => {
    await until("the warning", () => program.stderr.includes("Listening beyond loopback without TLS"));
    t.notMatch(program.stderr, TOKEN);
  });

  await t.test("REST, pages and MCP answer 401, and with a token they answer", async (t) => {
    const body = ["--header", "Content-Type: application/json", "--data", "{}"];
    for (const more of [[], ["--header", "Authorization: Bearer wrong"]]) {
      t.equal(await curl("/api/v1/desktops", ...more), "401", "REST");
      t.equal(await curl("/mcp", ...more, ...body), "401", "MCP");
      t.equal(await curl("/metrics", ...more), "401", "metrics");
      t.equal(await curl("/desktops/any", ...more), "401", "a page");
    }
    t.equal(await curl("/api/v1/desktops", ...bearer), "200");
    t.not(await curl("/mcp", ...bearer, ...body), "401");
  });

  await t.test("sockets of viewers, events and overlays are refused before the upgrade", async (t) => {
    const upgrade = [
      ...["--http1.1", "--header", "Connection: Upgrade", "--header", "Upgrade: websocket"],
      ...["--header", "Sec-WebSocket-Version: 13", "--header", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="],
    ];
    for (const path of ["/ws/events", "/ws/overlays", "/websockify"]) {
      t.equal(await curl(path, ...upgrade), "401", path);
      t.equal(await curl(`${path}?token=${TOKEN}`, ...upgrade), "401", `${path}, a token in its address`);
    }
    const withToken = curl("/ws/events", ...upgrade, ...bearer, "--max-time", "2").catch((error: unknown) =>
      error instanceof Error && "stdout" in error ? String(error.stdout) : "",
    );
    t.equal(await withToken, "101", "and with a token it is open until curl gives up");
  });

  await t.test("the VNC port offers no way in without a password", async (t) => {
    // RFC 6143, 7.1.2: how many security types, then each of them; 1 is None.
    const script = `exec 3<>/dev/tcp/${FAR}/5900; head -c 12 <&3 >/dev/null; printf 'RFB 003.008\\n' >&3; head -c 1 <&3 | od -An -tu1; head -c 1 <&3 | od -An -tu1`;
    const [count, first] = (await inside("bash", "-c", script)).trim().split(/\s+/).map(Number);
    t.ok((count ?? 0) > 0 && first !== 1, `got ${count} security types, the first ${first}`);
  });
});

t.test("with a certificate of its own every face speaks TLS", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["openssl"])) return;
  const dir = folder(t);
  const [cert, key] = [join(dir, "cert.pem"), join(dir, "key.pem")];
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", key, "-out", cert],
  ]);
  const port = await freePort();
  new Program(t, process.execPath, [MAIN, "--port", `${port}`, "--data-dir", join(dir, "data")], {
    env: { OC_TOKEN: TOKEN, OC_TLS_CERT: cert, OC_TLS_KEY: key },
  });
  const ca = readFileSync(cert);
  const status = (path: string, token: string | null): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      request({ host: "127.0.0.1", port, path, ca, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .once("error", reject)
        .end();
    });
  await until("GET /health", async () => (await status("/health", null)) === 200, 60_000);
  t.equal(await status("/api/v1/desktops", null), 401);
  t.equal(await status("/api/v1/desktops", TOKEN), 200);
  await t.rejects(fetch(`http://127.0.0.1:${port}/health`), "plain HTTP gets no answer");
  await t.rejects(fetch(`https://127.0.0.1:${port}/health`), "who does not trust the certificate gets none");
  const opened = new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const socket = new WebSocket(`wss://127.0.0.1:${port}/ws/events`, { ca, headers });
    socket.once("open", () => {
      socket.terminate();
      resolve();
    });
    socket.once("error", reject);
  });
  await t.resolves(opened, "a WebSocket within TLS");
});

t.test(
  "--network serves the local network by TLS, and nothing else does",
  { timeout: 120_000 },
  async (t) => {
    if (!requirePeers(t, ["curl", "ip"])) return;
    if (!requireNamespaces(t, "a local network", ["mount", "pid", "net"])) return;
    const LAN = "192.168.77.5";
    const network = [
      "ip link set lo up",
      "ip link add lan0 type veth peer name lan1",
      "ip link set lan0 up",
      "ip link set lan1 up",
      `ip address add ${LAN}/24 dev lan0`,
      'exec "$@"',
    ].join(" && ");
    const enclosed = (t: Test, dataDir: string, ...flags: string[]): Program => {
      const argv = [MAIN, ...flags, "--port", "3000", "--data-dir", dataDir];
      return new Enclosure(t, ["--net"], ["sh", "-c", network, "sh", process.execPath, ...argv], {
        env: { OC_TOKEN: TOKEN },
      }).program;
    };
    const curlIn =
      ({ pid }: Program) =>
      async (...words: string[]) => {
        const told = ["--silent", "--max-time", "20", "--output", "/dev/null", "--write-out", "%{http_code}"];
        const run = promisify(execFile)("nsenter", [
          "--target",
          `${pid}`,
          "--net",
          "curl",
          ...told,
          ...words,
        ]);
        return await run.then(
          ({ stdout }) => stdout,
          (error: { code?: number }) => `curl ${error.code}`,
        );
      };
    const REFUSED = "curl 7";
    const NOT_BELIEVED = "curl 60";

    await t.test("with TLS of its own", async (t) => {
      const dataDir = folder(t);
      const program = enclosed(t, dataDir, "--network");
      const curl = curlIn(program);
      const cert = join(dataDir, "network-cert.pem");
      const believing = ["--cacert", cert];
      const root = `https://${LAN}:3000`;
      await until("GET /health", async () => (await curl(...believing, `${root}/health`)) === "200", 60_000);
      const bearer = ["--header", `Authorization: Bearer ${TOKEN}`];
      t.equal(await curl(...believing, ...bearer, `${root}/api/v1/desktops`), "200", "Host is the address");
      t.equal(await curl(...believing, `${root}/api/v1/desktops`), "401");
      t.equal(await curl(`${root}/health`), NOT_BELIEVED, "who does not know the certificate");
      t.equal(await curl("https://127.0.0.1:3000/health"), REFUSED, "nothing listens elsewhere");
      const rebound = ["--header", "Host: evil.example"];
      t.not(await curl(...believing, ...rebound, `${root}/health`), "200", "another name is none of ours");
      t.match(program.stderr, `Overlay Companion: ${root}`);
      t.match(program.stderr, new X509Certificate(readFileSync(cert)).fingerprint256);
      t.notMatch(program.stderr, "without TLS");
    });

    await t.test("without, where that was said", async (t) => {
      const program = enclosed(t, folder(t), "--network", "--insecure");
      const curl = curlIn(program);
      await until("GET /health", async () => (await curl(`http://${LAN}:3000/health`)) === "200", 60_000);
      await until("the warning", () => program.stderr.includes("Listening beyond loopback without TLS"));
    });

    await t.test("loopback is the default", async (t) => {
      const curl = curlIn(enclosed(t, folder(t)));
      await until("GET /health", async () => (await curl("http://127.0.0.1:3000/health")) === "200", 60_000);
      t.equal(await curl(`http://${LAN}:3000/health`), REFUSED);
    });
  },
);

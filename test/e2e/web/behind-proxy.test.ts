import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance, freePort } from "../harness/appliance.ts";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

const NAME = "desk.example.com";
const INSPECTOR = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", import.meta.url),
);
const GUIDE = readFileSync(new URL("../../../docs/guides/deployment.md", import.meta.url), "utf8");

/** What the guide says to write into a proxy's configuration, with a port, certificate and appliance of this test. */
function configured(language: "nginx" | "caddy", dir: string, port: number, url: string): string {
  const block = GUIDE.split(`\`\`\`${language}\n`)[1]?.split("```")[0];
  if (block === undefined) throw new Error(`docs/guides/deployment.md has no ${language} block`);
  const own = block
    .replaceAll(`/etc/ssl/${NAME}`, join(dir, "cert"))
    .replace("127.0.0.1:3000", new URL(url).host)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace(`${NAME} {`, `${NAME}:${port}, localhost:${port} {\n  bind 127.0.0.1`);
  return language === "caddy"
    ? `{\n  admin off\n  auto_https off\n  storage file_system ${dir}\n}\n${own}`
    : `daemon off; pid ${dir}/pid; error_log stderr; events {}\n` +
        `http { access_log off; ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map((kind) => `${kind}_temp_path ${dir}/${kind};`)
          .join(" ")}\n${own.replace(`server_name ${NAME}`, `server_name ${NAME} localhost`)}}`;
}

async function certificate(dir: string): Promise<void> {
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-keyout", join(dir, "cert.key"), "-out", join(dir, "cert.pem"), "-subj", `/CN=${NAME}`],
    ...["-addext", `subjectAltName=DNS:${NAME},DNS:localhost`],
  ]);
}

async function startProxy(t: Test, name: "nginx" | "caddy", dir: string, url: string): Promise<number> {
  const port = await freePort();
  const file = join(dir, "proxy.conf");
  writeFileSync(file, configured(name, dir, port, url));
  const proxy =
    name === "nginx"
      ? new Program(t, "nginx", ["-p", dir, "-c", file])
      : new Program(t, "caddy", ["run", "--adapter", "caddyfile", "--config", file], { env: { HOME: dir } });
  await until(`${name} listens`, () => {
    if (!proxy.isRunning) throw new Error(`${name} ended: ${proxy.stderr.slice(-1000)}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  });
  return port;
}

for (const name of ["nginx", "caddy"] as const) {
  t.test(`behind ${name}, as the guide configures it`, { timeout: 180_000 }, async (t) => {
    if (!requirePeers(t, [name, "chromium", "openssl", "curl"])) return;
    const dir = t.testdir();
    await certificate(dir);
    const appliance = await Appliance.start(t, {
      args: ["--demo"],
      env: { OC_ALLOWED_HOSTS: NAME, OC_TRUST_PROXY: "on" },
    });
    const port = await startProxy(t, name, dir, appliance.url);

    await t.test("pages and the viewer's WebSocket", async (t) => {
      const browser = await openBrowser(t, [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(`https://${NAME}:${port}/?token=${appliance.adminToken}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.goto(`https://${NAME}:${port}/desktops/${await onlyDesktop(appliance)}`);
      await until("a picture with something on it", async () => {
        const shot = await viewerShot(page);
        return shot !== null && new Set(shot.rgba).size > 20;
      });
      t.same(complaints, []);
      const cookies = await context.cookies();
      t.ok(cookies.length > 0 && cookies.every(({ secure, httpOnly }) => secure && httpOnly));
    });

    await t.test("MCP, and its answer while somebody is waited for", async (t) => {
      const argv = [INSPECTOR, "--cli", `https://localhost:${port}/mcp`, "--transport", "http"];
      argv.push("--header", `Authorization: Bearer ${appliance.agentToken}`, "--method", "tools/call");
      argv.push("--tool-name", "wait_for", "--tool-arg", "condition=stable", "timeout_ms=2000");
      const { stdout } = await promisify(execFile)(process.execPath, argv, {
        cwd: dirname(INSPECTOR),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dir, "cert.pem") },
        maxBuffer: 64 << 20,
        timeout: 60_000,
      });
      t.notMatch(JSON.parse(stdout), { isError: true });
    });

    await t.test(
      "the audit log has the address of who connects, not what a header of theirs claims",
      async (t) => {
        const status = await promisify(execFile)("curl", [
          ...["-sk", "--interface", "127.0.0.7", "--resolve", `${NAME}:${port}:127.0.0.1`],
          ...["-H", "X-Forwarded-For: 192.0.2.1", "-H", "Authorization: Bearer wrong-token-of-a-guesser"],
          ...["-o", join(dir, "answer"), "-w", "%{http_code}", `https://${NAME}:${port}/api/v1/desktops`],
        ]);
        t.equal(status.stdout, "401");
        const log = await until("the event", () => {
          const text = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
          return text.includes("127.0.0.7") ? text : null;
        });
        t.notMatch(log, /192\.0\.2\.1/);
      },
    );
    appliance.assertAlive();
  });
}

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

/** The name that the guide's examples use. */
export const NAME = "desk.example.com";
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

/** Of that name and localhost, as cert.pem and cert.key. */
export async function certificate(dir: string): Promise<void> {
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-keyout", join(dir, "cert.key"), "-out", join(dir, "cert.pem"), "-subj", `/CN=${NAME}`],
    ...["-addext", `subjectAltName=DNS:${NAME},DNS:localhost`],
  ]);
}

const INSPECTOR = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", import.meta.url),
);

/** Calls a tool by MCP's own Inspector, which believes the certificate in `dir`; gives the result. */
export async function callByInspector(
  dir: string,
  url: string,
  token: string,
  call: readonly string[],
  transport: "http" | "sse" = "http",
): Promise<unknown> {
  const argv = [INSPECTOR, "--cli", url, "--transport", transport];
  argv.push("--header", `Authorization: Bearer ${token}`);
  argv.push("--method", "tools/call", "--tool-name", ...call);
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    cwd: dirname(INSPECTOR),
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dir, "cert.pem") },
    maxBuffer: 64 << 20,
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

/** Starts one that does what the guide says, `changed` where a test wants it so; gives its port. */
export async function startProxy(
  t: Owner,
  name: "nginx" | "caddy",
  dir: string,
  url: string,
  changed: (configuration: string) => string = (as) => as,
): Promise<number> {
  const port = await freePort();
  const file = join(dir, "proxy.conf");
  writeFileSync(file, changed(configured(name, dir, port, url)));
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

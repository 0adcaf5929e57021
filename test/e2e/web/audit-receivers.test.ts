import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";

const lineSchema = z.object({
  event_id: z.string(),
  event_type: z.string(),
  chain: z.object({ seq: z.number() }),
});

function linesOf(file: string): z.infer<typeof lineSchema>[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}}"))
    .map((line) => lineSchema.parse(JSON.parse(line.slice(line.indexOf("{")))));
}

/** One that was killed leaves its pid file behind. */
let nth = 0;

function rsyslog(t: Test, dir: string, port: number, isTls: boolean): Program {
  const tls = isTls
    ? [
        `global(defaultNetstreamDriverCAFile="${join(dir, "cert.pem")}"`,
        `  defaultNetstreamDriverCertFile="${join(dir, "cert.pem")}"`,
        `  defaultNetstreamDriverKeyFile="${join(dir, "key.pem")}")`,
      ]
    : [];
  const stream = isTls ? ' StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon"' : "";
  const lines = [
    `global(workDirectory="${dir}" maxMessageSize="64k")`,
    ...tls,
    `module(load="imtcp"${stream})`,
    'template(name="raw" type="string" string="%msg%\\n")',
    `input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="keep")`,
    `ruleset(name="keep") { action(type="omfile" file="${join(dir, "got.log")}" template="raw") }`,
  ];
  writeFileSync(join(dir, "rsyslog.conf"), `${lines.join("\n")}\n`);
  return new Program(t, "rsyslogd", [
    "-n",
    "-f",
    join(dir, "rsyslog.conf"),
    "-i",
    join(dir, `pid-${nth++}`),
    "-C",
  ]);
}

/** Whether a connection to a port of 127.0.0.1 waits for the other side's end alone: FIN_WAIT2, proc_net_tcp(5). */
function isEndedByUs(port: number): boolean {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 05 `;
  return readFileSync("/proc/net/tcp", "latin1").includes(remote);
}

for (const isTls of [false, true]) {
  const way = isTls ? "tls" : "tcp";
  t.test(
    `a real rsyslog gets all of the audit log by ${way}, though it was killed`,
    { timeout: 180_000 },
    async (t) => {
      if (!requirePeers(t, ["rsyslogd", "openssl"])) return;
      const dir = join(t.testdir(), way);
      mkdirSync(dir);
      const { stderr } = await promisify(execFile)("openssl", [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        ...["-keyout", join(dir, "key.pem"), "-out", join(dir, "cert.pem")],
      ]);
      t.comment(stderr.slice(-80));
      const port = await freePort();
      const appliance = await Appliance.start(t, {
        env: {
          AUDIT_SYSLOG_ENDPOINT: `${way}://127.0.0.1:${port}`,
          ...(isTls ? { AUDIT_SYSLOG_CA: join(dir, "cert.pem") } : {}),
        },
      });
      const [desktop] = z
        .array(z.object({ id: z.string() }))
        .parse(await (await appliance.fetch("/api/v1/desktops")).json());
      const id = desktop?.id ?? "";
      const got = (): number[] => linesOf(join(dir, "got.log")).map(({ chain }) => chain.seq);
      const written = (): number[] =>
        linesOf(join(appliance.dataDir, "audit.ndjson")).map(({ chain }) => chain.seq);
      const act = async (count: number): Promise<void> => {
        for (let n = 0; n < count; n++) {
          const { status } = await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "passive" });
          t.equal(status, 200);
        }
      };
      const hasAll = (): boolean => {
        const had = new Set(got());
        return written().every((seq) => had.has(seq));
      };
      await act(5);
      t.same(got(), [], "it is down");
      const first = rsyslog(t, dir, port, isTls);
      await until("all of it", () => hasAll(), 90_000);
      await first.stop("SIGKILL");
      await act(5);
      t.notOk(hasAll(), "what was written meanwhile waits");
      const second = rsyslog(t, dir, port, isTls);
      await until("the rest", () => hasAll(), 90_000);
      if (!isTls) {
        // The kernel takes a whole batch, and our end of the connection, for a program that reads none of it and is killed.
        second.freeze(true);
        await act(5);
        await until("a batch that the kernel has alone", () => isEndedByUs(port), 90_000);
        await second.stop("SIGKILL");
        t.notOk(hasAll(), "nobody read it");
        rsyslog(t, dir, port, isTls);
        await until("all of it again", () => hasAll(), 90_000);
      }
      t.ok(written().length >= 10);
    },
  );
}

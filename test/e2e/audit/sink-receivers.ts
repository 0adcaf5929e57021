import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";

/** A receiver of the audit log, and the lines it was sent, in order, with those that came twice. */
export interface SinkReceiver {
  readonly name: string;
  readonly port: number;
  lines(): readonly string[];
}

const exportSchema = z.object({
  resourceLogs: z.array(
    z.object({
      scopeLogs: z.array(
        z.object({ logRecords: z.array(z.object({ body: z.object({ stringValue: z.string() }) })) }),
      ),
    }),
  ),
});

const READERS: Readonly<Record<string, (body: string) => readonly string[]>> = {
  http: (body) => body.split("\n").filter((line) => line !== ""),
  otlp: (body) =>
    exportSchema
      .parse(JSON.parse(body))
      .resourceLogs.flatMap(({ scopeLogs }) => scopeLogs)
      .flatMap(({ logRecords }) => logRecords)
      .map(({ body: { stringValue } }) => stringValue),
};

/** Takes NDJSON, or OTLP's logs as JSON. Keeps each complete request, whether or not its answer arrives. */
export async function openPostReceiver(owner: Owner, name: "http" | "otlp"): Promise<SinkReceiver> {
  const lines: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    request.on("error", () => undefined);
    request.on("end", () => {
      lines.push(...(READERS[name]?.(body) ?? []));
      response.writeHead(200, { connection: "close" }).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return { name, port: address.port, lines: () => lines };
}

/** Debian's rsyslog, over TCP. */
export async function openRsyslog(owner: Owner, dir: string): Promise<SinkReceiver> {
  mkdirSync(dir, { recursive: true });
  const port = await freePort();
  const got = join(dir, "got.log");
  const config = [
    `global(workDirectory="${dir}" maxMessageSize="64k")`,
    'module(load="imtcp")',
    'template(name="raw" type="string" string="%msg%\\n")',
    `input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="keep")`,
    `ruleset(name="keep") { action(type="omfile" file="${got}" template="raw") }`,
  ];
  writeFileSync(join(dir, "rsyslog.conf"), `${config.join("\n")}\n`);
  const files = ["-f", join(dir, "rsyslog.conf"), "-i", join(dir, "pid")];
  new Program(owner, "rsyslogd", ["-n", ...files, "-C"]);
  return {
    name: "syslog",
    port,
    lines: () =>
      existsSync(got)
        ? readFileSync(got, "utf8")
            .split("\n")
            // rsyslog keeps the part of a message that came before a connection broke off.
            .filter((line) => line.endsWith("}}"))
            .map((line) => line.slice(line.indexOf("{")))
        : [],
  };
}

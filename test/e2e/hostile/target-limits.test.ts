import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import t, { type Test } from "tap";
import * as z from "zod";
import { connectionsCommand } from "../../../src/cli/connections-cli.ts";
import { ConfigError } from "../../../src/config/config-schema.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { freePort } from "../../support/free-port.ts";
import { SPELLINGS } from "../../support/loopback-spellings.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const desktopsSchema = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    state: z.object({ kind: z.string(), code: z.string().nullable() }),
  }),
);
const errorSchema = z.object({ error: z.object({ code: z.string() }) });
const reportSchema = z.object({ success: z.boolean(), message: z.string() });

const PATIENCE_MS = 120_000;

/** As --connect and the commands take it. */
function urlOf(scheme: string, port: number): (host: string) => string {
  return (host) => `${scheme}://${host.includes(":") && !host.includes("[") ? `[${host}]` : host}:${port}`;
}

/** Counts who comes to a port of both kinds of loopback. */
async function openTrap(t: Test): Promise<{ readonly port: number; readonly visits: () => number }> {
  const port = await freePort();
  let visits = 0;
  for (const host of ["127.0.0.1", "::1"]) {
    const server = createServer((socket) => {
      visits += 1;
      socket.on("error", () => undefined).end();
    }).listen(port, host);
    await new Promise<void>((resolve, reject) => {
      server.once("listening", resolve).once("error", reject);
    });
    t.teardown(() => server.close());
  }
  return { port, visits: () => visits };
}

t.test(
  "a denied target is reached by nobody, an administrator included, in no spelling",
  { timeout: 300_000 },
  async (t) => {
    const trap = await openTrap(t);
    const { port } = trap;
    const file = join(t.testdir(), "config.yaml");
    const env = { OC_TARGETS_DENY: `127.0.0.0/8:${port}, [::1]:${port}` };
    const sources = { env, flags: {}, file: undefined, connect: [], isDemo: false, isStdio: false };
    const isTaken = (connect: readonly string[], inFile?: string): boolean => {
      try {
        loadConfig({ ...sources, connect, file: inFile });
        return true;
      } catch (error) {
        // What cannot be an address at all stops the start, and says which it is.
        t.ok(error instanceof ConfigError || error instanceof RefusedError, String(error));
        return false;
      }
    };
    const inFile = (hosts: readonly string[]): string => {
      const connections = hosts.map((host) => ({ name: `file ${host}`, protocol: "vnc", host, port }));
      writeFileSync(file, JSON.stringify({ connections }));
      return file;
    };
    const written = SPELLINGS.filter((host) => isTaken([], inFile([host])));
    const flags = SPELLINGS.map(urlOf("vnc", port)).filter((url) => isTaken([url]));
    t.ok(
      written.length >= 60 && flags.length >= 60,
      `${written.length} in the file, ${flags.length} by flag`,
    );
    const appliance = await Appliance.start(t, {
      env,
      hasVnc: true,
      args: ["--config", inFile(written)],
      connect: [
        ...flags,
        ...[`vnc+ws://127.1:${port}`, `kasmvnc://[::ffff:127.0.0.1]:${port}`],
        ...[
          `rdp://ada:x@2130706433:${port}`,
          `vnc+repeater://0x7f000001:${port}/7`,
          `vnc://127.1:${port}?decoding=worker`,
        ],
      ],
    });
    const list = async () => desktopsSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());

    await t.test("by the configuration and the command line", async (t) => {
      const desktops = await until(
        "all were judged",
        async () => {
          const all = await list();
          return all.every(({ state }) => state.code !== null) ? all : null;
        },
        PATIENCE_MS,
      );
      t.equal(desktops.length, written.length + flags.length + 5);
      const refused = desktops.filter(({ state }) => state.code === "target_forbidden");
      t.ok(refused.length >= 120, `${refused.length} were refused for their address`);
      for (const { name, state } of desktops) {
        // Some spellings lead nowhere on this machine.
        t.ok(["target_forbidden", "unreachable"].includes(state.code ?? ""), `${name}: ${state.code}`);
      }
      t.equal(trap.visits(), 0);
    });

    await t.test("by REST, as the web app's form does: adding, testing, moving", async (t) => {
      const before = (await list()).length;
      const other = await freePort();
      const added = await appliance.fetch("/api/v1/desktops", {
        ...{ name: "movable", protocol: "vnc", host: "127.0.0.1", port: other },
      });
      t.equal(added.status, 201, "another port of this machine stays allowed");
      const { id } = z.object({ id: z.string() }).parse(await added.json());
      let refused = 0;
      for (const host of SPELLINGS) {
        const connection = { name: "trap", protocol: "vnc", host, port };
        const add = await appliance.fetch("/api/v1/desktops", connection);
        t.ok(add.status === 403 || add.status === 400, `add ${JSON.stringify(host)}: ${add.status}`);
        if (add.status === 403) refused += 1;
        t.ok(
          ["permission_denied", "invalid_parameters"].includes(
            errorSchema.parse(await add.json()).error.code,
          ),
        );
        const test = await appliance.fetch("/api/v1/desktops/test", { ...connection, protocol: "kasmvnc" });
        t.match(reportSchema.parse(await test.json()), { success: false }, `test ${host}`);
        const moved = await appliance.fetch(`/api/v1/desktops/${id}/connection`, connection, {
          method: "PUT",
        });
        t.ok([400, 403].includes(moved.status), `move ${host}: ${moved.status}`);
      }
      t.ok(refused >= 60, `${refused} were refused for their address`);
      t.equal((await list()).length, before + 1);
      t.equal(trap.visits(), 0);
    });

    await t.test("by MCP", async (t) => {
      const agent = await appliance.agent();
      for (const host of SPELLINGS)
        await t.rejects(agent.call("add_connection", { name: "trap", protocol: "vnc", host, port }), host);
      t.equal(trap.visits(), 0);
    });

    await t.test("by command", async (t) => {
      const dataDir = t.testdir();
      const config = loadConfig({ ...sources, flags: { "data-dir": dataDir } });
      let refused = 0;
      for (const url of SPELLINGS.map(urlOf("vnc", port))) {
        for (const action of ["add", "test"]) {
          const said = await Promise.resolve()
            .then(() => connectionsCommand([action, url], parseArgs({ options: {} }).values, config))
            .then((command) => (command.kind === "task" ? command.run() : "no task"))
            .then(
              () => "done",
              (error: unknown) => String(error),
            );
          // A name that is not found now may be there when the appliance connects, and is judged then.
          if (said !== "done") refused += 1;
          else t.equal(action, "add", `${action} ${url}`);
        }
      }
      t.ok(refused >= 120, `${refused} were refused`);
      const run = async (...words: string[]): Promise<string> =>
        promisify(execFile)(process.execPath, [MAIN, "connections", ...words, "--data-dir", t.testdir()], {
          env: { ...process.env, ...env },
        }).then(
          ({ stdout }) => stdout,
          (error: unknown) => String(error),
        );
      t.match(await run("add", `vnc://0x7f.1:${port}`), /targets\.deny refuses it/);
      t.match(await run("test", `vnc://127.1:${port}`), /targets\.deny refuses it/);
      t.equal(trap.visits(), 0);
    });

    await t.test("and our own ports and sockets are no targets either", async (t) => {
      for (const own of [new URL(appliance.url).port, `${appliance.vncPort}`]) {
        for (const host of ["127.0.0.1", "2130706433", "::1", "localhost"]) {
          const answer = await appliance.fetch("/api/v1/desktops", {
            ...{ name: "self", protocol: "vnc", host, port: Number(own) },
          });
          t.equal(answer.status, 403, `${host}:${own}`);
        }
      }
      const control = await appliance.fetch("/api/v1/desktops", {
        ...{
          name: "self",
          protocol: "vnc",
          transport: "unix",
          path: join(appliance.dataDir, "control.sock"),
        },
      });
      t.equal(control.status, 403);
    });
  },
);

import { once } from "node:events";
import { createServer } from "node:http";
import t, { type Test } from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget } from "../targets/target.ts";
import { healthyScript, rawUpdateHeader, type Script, startFakeTarget } from "./fake-target.ts";

const MIB = 1 << 20;
const FLOOD_BYTES = 300 * MIB;
/** Far below what the flood carries; far above what a connection's buffers may take. */
const MOST_GROWTH_BYTES = 120 * MIB;

const desktopSchema = z.object({
  generation: z.int(),
  state: z.object({ kind: z.string(), code: z.string().nullable() }),
});
const addedSchema = z.object({ connection: z.object({ id: z.string() }) });
const reportSchema = z.object({
  success: z.boolean(),
  message: z.string().min(1),
  steps: z.array(z.object({ ok: z.boolean(), detail: z.string() })).min(1),
});
const restErrorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string().min(1), hint: z.string().nullable() }),
});

/** One appliance that watches a target that behaves, for all that follows. */
async function startHouse(t: Test): Promise<{ appliance: Appliance; agent: Agent; healthyId: string }> {
  const port = await startFakeTarget(t, healthyScript);
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${port}`] });
  const agent = await appliance.agent();
  const listed = z
    .object({ connections: z.array(z.object({ id: z.string() })) })
    .parse(await agent.call("list_connections"));
  const healthyId = listed.connections[0]?.id ?? "";
  return { appliance, agent, healthyId };
}

async function desktop(appliance: Appliance, id: string): Promise<z.infer<typeof desktopSchema>> {
  return desktopSchema.parse(await (await appliance.fetch(`/api/v1/desktops/${id}`)).json());
}

/** The process runs, answers, and its other desktop's picture goes on. */
async function expectUntouched(t: Test, appliance: Appliance, healthyId: string): Promise<void> {
  appliance.assertAlive();
  const { generation } = await desktop(appliance, healthyId);
  await until("the other desktop's next picture", async () => {
    return (await desktop(appliance, healthyId)).generation > generation;
  });
  t.pass("the other desktop goes on");
}

/** Adds a target by MCP; gives its id. */
async function add(agent: Agent, port: number, password?: string): Promise<string> {
  const args = { name: `port ${port}`, host: "127.0.0.1", port, protocol: "vnc" };
  return addedSchema.parse(
    await agent.call("add_connection", password === undefined ? args : { ...args, password }),
  ).connection.id;
}

/** Waits until the desktop says that it lost its target; gives the code. */
async function lossOf(appliance: Appliance, id: string): Promise<string> {
  return await until("the loss of the target", async () => {
    const { kind, code } = (await desktop(appliance, id)).state;
    return kind === "failed" || kind === "reconnecting" ? code : null;
  });
}

async function expectRefusal(t: Test, code: string, call: Promise<unknown>): Promise<void> {
  const refusal = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal instanceof ToolRefusal) {
    t.equal(refusal.code, code, refusal.message);
    t.ok(refusal.hint.length > 0, "it says what to do next");
  } else {
    t.fail(`expected the refusal ${code}`, { got: refusal });
  }
}

t.test("a target that cannot be used is a typed error each, with the handshake's steps", async (t) => {
  const { appliance, agent, healthyId } = await startHouse(t);
  const web = createServer((_request, response) => response.end("not a desktop")).listen(0, "127.0.0.1");
  await once(web, "listening");
  t.teardown(() => web.close());
  const address = web.address();
  const webPort = typeof address === "object" && address !== null ? address.port : 0;
  const silent = await startFakeTarget(t, (wire) => wire.read(1).then(() => undefined));
  const mute = await startFakeTarget(t, async () => undefined);

  const ssh = await startFakeTarget(t, async (wire) => {
    await wire.write(Buffer.from("SSH-2.0-OpenSSH_9.2\r\n"));
    await wire.read(1);
  });

  const check = async (what: string, port: number, code: string): Promise<void> => {
    const id = await add(agent, port);
    const report = reportSchema.parse(await agent.call("test_connection", { connection_id: id }));
    t.equal(report.success, false, `${what}: ${report.message}`);
    t.equal(report.steps.at(-1)?.ok, false, `${what}: the last step is the one that failed`);
    t.equal(await lossOf(appliance, id), code, what);
    await expectRefusal(t, "target_down", agent.call("take_screenshot", { connection_id: id }));
    t.match(await agent.call("remove_connection", { connection_id: id }), { success: true });
  };
  // At once, for two of them are found out by waiting.
  await Promise.all([
    check("nothing listens", await freePort(), "unreachable"),
    check("an SSH server", ssh, "protocol_error"),
    check("a web server, which waits for us to speak", webPort, "handshake_timeout"),
    check("a server that says nothing", silent, "handshake_timeout"),
    check("a server that hangs up", mute, "target_closed"),
  ]);
  await expectUntouched(t, appliance, healthyId);
});

t.test("a wrong password is said to be wrong, and is not shown", async (t) => {
  if (!requirePeers(t, ["Xtigervnc"])) return;
  const { appliance, agent, healthyId } = await startHouse(t);
  const target = await startTarget(t, "tigervnc", t.testdir());
  for (const [password, code] of [
    ["wrong-pw", "auth_failed"],
    [undefined, "password_required"],
  ] as const) {
    const id = await add(agent, target.port, password);
    const answer = await agent.call("test_connection", { connection_id: id });
    t.equal(reportSchema.parse(answer).success, false);
    t.equal(await lossOf(appliance, id), code);
    t.notMatch(JSON.stringify([answer, await agent.call("list_connections")]), "wrong-pw");
  }
  t.notMatch(appliance.program.stderr, "wrong-pw");
  await expectUntouched(t, appliance, healthyId);
});

t.test("a target that dies in the middle of a frame keeps its last whole picture", async (t) => {
  const { appliance, agent, healthyId } = await startHouse(t);
  let connections = 0;
  const port = await startFakeTarget(t, async (wire) => {
    connections++;
    if (connections > 1) return;
    await wire.shakeHands(64, 64);
    await wire.nextRequest();
    await wire.write(Buffer.concat([rawUpdateHeader(0, 0, 64, 64), Buffer.alloc(64 * 64 * 4, 0x55)]));
    await wire.nextRequest();
    await wire.write(Buffer.concat([rawUpdateHeader(0, 0, 64, 64), Buffer.alloc(64 * 40 * 4 + 1, 0xaa)]));
  });
  const id = await add(agent, port);
  t.equal(await lossOf(appliance, id), "target_closed");
  await until("another try", () => connections > 1);
  const shot = await agent.shot({ connection_id: id });
  t.match(shot.facts, { context_metadata: { stale: true } });
  t.equal(shot.rgba.length, 64 * 64 * 4);
  const isWhole = shot.rgba.every((value, index) => value === (index % 4 === 3 ? 255 : 0x55));
  t.ok(isWhole, "nothing of the torn update is seen");
  await expectRefusal(t, "target_down", agent.call("click_at", { x: 1, y: 1, connection_id: id }));
  await expectUntouched(t, appliance, healthyId);
});

/** Hostile targets and the codes that may be said of them; null: the flood is skipped and the link lives. */
const FLOODS: Readonly<
  Record<string, { flood: (onMegabyte: () => void) => Script; codes: readonly string[] }>
> = {
  "a desktop name": {
    codes: ["protocol_error"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(64, 64, FLOOD_BYTES);
      await wire.flood(FLOOD_BYTES, onMegabyte);
    },
  },
  "a cut text": {
    codes: ["protocol_error"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(64, 64);
      const header = Buffer.alloc(8);
      header.writeUInt8(3, 0);
      header.writeInt32BE(FLOOD_BYTES, 4);
      await wire.write(header);
      await wire.flood(FLOOD_BYTES, onMegabyte);
    },
  },
  "cut texts of a size that is skipped": {
    // All of it is read and dropped; then the script ends and closes.
    codes: ["target_closed"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(64, 64);
      const size = 30 * MIB;
      for (let sent = 0; sent < FLOOD_BYTES; sent += size) {
        const header = Buffer.alloc(8);
        header.writeUInt8(3, 0);
        header.writeInt32BE(size, 4);
        await wire.write(header);
        await wire.flood(size, onMegabyte);
      }
    },
  },
  "rectangles that nobody asked for": {
    codes: ["target_closed"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(512, 512);
      const update = rawUpdateHeader(0, 0, 512, 512);
      for (let sent = 0; sent < FLOOD_BYTES; sent += MIB) {
        await wire.write(update);
        await wire.flood(512 * 512 * 4, onMegabyte);
      }
    },
  },
  "a picture of 65535x65535": {
    codes: ["protocol_error"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(65_535, 65_535);
      await wire.flood(FLOOD_BYTES, onMegabyte);
    },
  },
  "a rectangle outside the picture": {
    codes: ["protocol_error"],
    flood: (onMegabyte) => async (wire) => {
      await wire.shakeHands(64, 64);
      await wire.nextRequest();
      await wire.write(rawUpdateHeader(60, 60, 65_000, 65_000));
      await wire.flood(FLOOD_BYTES, onMegabyte);
    },
  },
};

t.test(
  "300 MiB from a hostile target take no memory and nobody else's time",
  { timeout: 240_000 },
  async (t) => {
    const { appliance, agent, healthyId } = await startHouse(t);
    // A first picture and a first call, so that what every process loads once is not counted as growth.
    await agent.shot();
    const before = appliance.residentBytes;
    for (const [what, { flood, codes }] of Object.entries(FLOODS)) {
      let most = 0;
      let connections = 0;
      const measured = flood(() => {
        most = Math.max(most, appliance.residentBytes);
      });
      const port = await startFakeTarget(t, async (wire) => {
        connections++;
        if (connections === 1) await measured(wire);
      });
      const { generation } = await desktop(appliance, healthyId);
      const id = await add(agent, port);
      const loss = await until(
        `the end of ${what}`,
        async () => {
          const { kind, code } = (await desktop(appliance, id)).state;
          return kind === "failed" || kind === "reconnecting" ? code : null;
        },
        60_000,
      );
      t.ok(codes.includes(loss), `${what}: ${loss}`);
      const goesOn = async (): Promise<boolean> =>
        (await desktop(appliance, healthyId)).generation > generation;
      t.ok(await until("the other desktop's next picture", goesOn), `${what}: the other desktop went on`);
      const growth = Math.max(most, appliance.residentBytes) - before;
      t.ok(growth < MOST_GROWTH_BYTES, `${what}: grew by ${Math.round(growth / MIB)} MiB`);
      await agent.call("remove_connection", { connection_id: id });
    }
    await expectUntouched(t, appliance, healthyId);
  },
);

t.test("bad arguments and unknown ids are refused by name", async (t) => {
  const { appliance, agent, healthyId } = await startHouse(t);
  await agent.shot();
  const unknown = "00000000-0000-4000-8000-000000000000";
  const box = { x: 10, y: 10, width: 20, height: 20 };
  const cases: [string, string, Record<string, unknown>][] = [
    ["out_of_bounds", "click_at", { x: 320, y: 10 }],
    ["out_of_bounds", "click_at", { x: 10, y: 65_535 }],
    ["invalid_parameters", "click_at", { x: -1, y: 10 }],
    ["invalid_parameters", "click_at", { x: 1e9, y: 10 }],
    ["invalid_parameters", "click_at", { x: 10, y: 10, clicks: 1.5 }],
    ["invalid_parameters", "click_at", { x: "10", y: 10 }],
    ["invalid_parameters", "click_at", { x: 10, y: 10, buton: "left" }],
    ["invalid_parameters", "draw_overlay", { ...box, color: "no-such-colour" }],
    ["invalid_parameters", "draw_overlay", { ...box, opacity: 2 }],
    ["invalid_parameters", "type_text", {}],
    ["not_found", "take_screenshot", { connection_id: unknown }],
    ["not_found", "click_at", { ...box, width: undefined, height: undefined, connection_id: unknown }],
    ["not_found", "test_connection", { connection_id: unknown }],
    ["not_found", "remove_connection", { connection_id: unknown }],
  ];
  for (const [code, tool, args] of cases) {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    await expectRefusal(t, code, agent.call(tool, given));
  }
  t.match(await agent.call("remove_overlay", { overlay_id: unknown }), { removed: false, not_found: true });
  await t.rejects(agent.raw("no_such_tool", {}), "an unknown tool is a protocol error");

  for (const path of [`/api/v1/desktops/${unknown}`, "/api/v1/no-such-route", "/api/v1/desktops/%00"]) {
    const response = await appliance.fetch(path);
    t.ok(response.status === 404 || response.status === 400, `${path}: ${response.status}`);
    restErrorSchema.parse(await response.json());
  }
  await expectUntouched(t, appliance, healthyId);
});

t.test("malformed JSON is answered, on every face", async (t) => {
  const { appliance, healthyId } = await startHouse(t);
  const post = (path: string, body: string): Promise<Response> =>
    appliance.fetch(path, undefined, {
      method: "POST",
      headers: {
        authorization: `Bearer ${appliance.adminToken}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body,
    });
  for (const body of ["{", "", "nul", '{"a":1}}', "[".repeat(100_000), "\u0000", '"\\ud800']) {
    const rest = await post("/api/v1/desktops", body);
    t.equal(rest.status, 400, `REST: ${JSON.stringify(body.slice(0, 10))}`);
    restErrorSchema.parse(await rest.json());
    const mcp = await post("/mcp", body);
    t.equal(mcp.status, 400, `MCP: ${JSON.stringify(body.slice(0, 10))}`);
    const answer = z.object({ error: z.object({ code: z.int() }) }).parse(await mcp.json());
    t.ok([-32700, -32600].includes(answer.error.code), `MCP: ${answer.error.code}`);
  }
  const large = await post("/api/v1/desktops", JSON.stringify({ name: "x".repeat(2 * MIB) }));
  t.equal(large.status, 413);
  await expectUntouched(t, appliance, healthyId);
});

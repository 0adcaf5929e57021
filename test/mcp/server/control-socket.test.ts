import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import t, { type Test } from "tap";
import { ControlSocket, relayToRunning } from "../../../src/mcp/server/control-socket.ts";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { servedTools } from "../../../src/mcp/tool/tool.ts";
import { selectTools, type Toolset } from "../../../src/mcp/tool/toolsets.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { AGENT, fakeHouse } from "../fake-house.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const CALL = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_connections" } };

/** The paths of t.testdir are longer than a socket's may be. */
function shortDir(test: Test): string {
  const dir = mkdtempSync(join(tmpdir(), "oc-"));
  test.teardown(() => rmSync(dir, { recursive: true }));
  return dir;
}

function lines(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}

t.test("a conversation is relayed to the server that runs, with its desktops, until its end", async (t) => {
  const dir = shortDir(t);
  const house = fakeHouse();
  const mcp = createMcp(house.ports);
  const control = await ControlSocket.open(dir, mcp, AGENT);
  t.ok(control);
  t.equal(statSync(join(dir, "control.sock")).mode & 0o777, 0o600);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  stdin.end(`${lines(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" }, CALL)}not json\n`);
  t.equal(await relayToRunning(dir, stdin, stdout), true);
  const answers = written.trim().split("\n");
  t.equal(answers.length, 3, "two answers and one parse error");
  t.match(written, /Build VM/);
  t.match(written, /-32700/);
  t.equal(house.records.at(-1)?.principal.id, AGENT.id);
  await control?.close();
  await mcp.close();
  t.equal(await relayToRunning(dir, new PassThrough(), stdout), false);
});

t.test("a relayed client has the tools that its process was started for", async (t) => {
  const dir = shortDir(t);
  const mcp = createMcp(fakeHouse().ports);
  const control = await ControlSocket.open(dir, mcp, AGENT);
  const listed = async (...toolsets: readonly Toolset[]): Promise<number> => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let written = "";
    stdout.on("data", (chunk: Buffer) => {
      written += chunk.toString();
    });
    const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    stdin.end(lines(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" }, LIST));
    t.equal(await relayToRunning(dir, stdin, stdout, toolsets), true);
    const answer = written.split("\n").find((line) => line.includes('"tools"') && line.includes('"id":2'));
    return JSON.parse(answer ?? "{}").result.tools.length;
  };
  t.equal(await listed(), servedTools(TOOLS, {}).length);
  t.equal(await listed("core"), selectTools(TOOLS, ["core"]).length);
  await control?.close();
  await mcp.close();
});

t.test("without a server nothing is read, and what a crashed one left is no server", async (t) => {
  const dir = shortDir(t);
  const stdin = new PassThrough();
  stdin.write("kept");
  t.equal(await relayToRunning(dir, stdin, new PassThrough()), false);
  t.equal(stdin.read().toString(), "kept");
  writeFileSync(join(dir, "control.sock"), "");
  t.equal(await relayToRunning(dir, stdin, new PassThrough()), false);
  const mcp = createMcp(fakeHouse().ports);
  const control = await ControlSocket.open(dir, mcp, AGENT);
  t.ok(control, "it is replaced");
  t.equal(await ControlSocket.open(dir, mcp, AGENT), null, "a second server leaves the first alone");
  await control?.close();
  await mcp.close();
});

t.test("a server that ends under way ends the relay", async (t) => {
  const dir = shortDir(t);
  const mcp = createMcp(fakeHouse().ports);
  const control = await ControlSocket.open(dir, mcp, AGENT);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const relay = relayToRunning(dir, stdin, stdout);
  stdin.write(lines(INITIALIZE));
  await new Promise((resolve) => {
    stdout.once("data", resolve);
  });
  await control?.close();
  t.equal(await relay, true);
  await mcp.close();
});

t.test("a data directory whose path is too long for a socket has its socket elsewhere", async (t) => {
  const dir = t.testdir({ ["long".repeat(20)]: {} });
  const long = join(dir, "long".repeat(20));
  const mcp = createMcp(fakeHouse().ports);
  const control = await ControlSocket.open(long, mcp, AGENT);
  const address = readFileSync(join(long, "control.address"), "utf8");
  t.equal(statSync(join(long, "control.address")).mode & 0o777, 0o600);
  t.equal(statSync(address).mode & 0o777, 0o600);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdin.end(lines(INITIALIZE));
  t.equal(await relayToRunning(long, stdin, stdout), true);
  t.match(stdout.read()?.toString(), /overlay-companion-mcp/);
  await control?.close();
  await mcp.close();
  t.notOk(existsSync(address));
});

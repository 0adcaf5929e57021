import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";

const ANSWER = "mole-hill 4711";

t.test("what a person wrote is found after the server was killed", { timeout: 600_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "oc-restart-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const kept = (): string => {
    try {
      return readFileSync(join(dir, "requests.json"), "utf8");
    } catch {
      return "";
    }
  };
  const start = () => Appliance.start(t, { args: ["--demo", "--data-dir", dir] });
  /** A resource as who holds the token reads it, or why they may not. */
  const read = async ({ url }: Appliance, holder: string, uri: string): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } });
    const types = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    const headers = { authorization: `Bearer ${holder}`, ...types };
    return (await fetch(`${url}/mcp`, { method: "POST", headers, body })).text();
  };
  const requestOf = z.object({ request_id: z.string() });
  const first = await start();
  const token = readFileSync(join(dir, "agent-token"), "utf8").trim();
  const agent = await first.agent({ token });
  const ask = async (reason: string): Promise<string> =>
    requestOf.parse(await agent.call("request_human", { kind: "code", reason })).request_id;
  const answered = await ask("the code of the door");
  await first.fetch(`/api/v1/requests/${answered}`, { do: "done", answer: ANSWER });
  const open = await ask("the code of the gate");
  await until("it is on the disk", () => kept().includes('"done"') && kept().includes("gate"));
  await first.program.stop("SIGKILL");
  t.notMatch(kept(), /mole-hill|4711/, "sealed");

  const second = await start();
  const back = await second.agent({ token });
  const found = await read(second, token, `requests://${answered}`);
  t.match(found, ANSWER);
  t.match(found, /done/);
  t.match(await read(second, token, `requests://${open}`), /open/);
  const subscribed = await back.call("subscribe_events", { events: ["request_ended"] });
  const { subscription_id } = z.object({ subscription_id: z.string() }).parse(subscribed);
  const polled = await back.call("poll_events", { subscription_id });
  t.match(polled["events"], [{ type: "request_ended", request_id: answered, state: "done", answer: ANSWER }]);
  t.match(await read(second, second.adminToken, `requests://${answered}`), /Resource not found/);
  const list = await (await second.fetch("/api/v1/requests")).json();
  t.match(list, [{ id: open, state: "open" }], "and people see what still waits");
  second.assertAlive();
});

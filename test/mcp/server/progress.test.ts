import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import t from "tap";
import { FakeClock } from "../../fake-clock.ts";
import { serveHouse } from "../fake-house.ts";

const INFO = { name: "test", version: "1" };

t.test("a client that asks for it is told that its call is still under way, in either era", async (t) => {
  const clock = new FakeClock();
  const { url, desktops, close } = await serveHouse({ clock });
  t.teardown(close);
  const modern = new Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await modern.connect(new StreamableHTTPClientTransport(url));
  t.teardown(() => modern.close());
  const legacy = new LegacyClient(INFO);
  await legacy.connect(new LegacyTransport(url));
  t.teardown(() => legacy.close());
  const desktop = desktops.get("one");
  for (const click of [
    (onprogress: (progress: { progress: number }) => void) =>
      modern.callTool({ name: "click_at", arguments: { x: 1, y: 1 } }, { onprogress }),
    (onprogress: (progress: { progress: number }) => void) =>
      legacy.callTool({ name: "click_at", arguments: { x: 1, y: 1 } }, undefined, { onprogress }),
  ]) {
    let allow: () => void = () => {};
    const asked = new Promise<void>((begun) => {
      desktop.onPerform = () => {
        begun();
        return new Promise((resolve) => {
          allow = () => resolve({});
        });
      };
    });
    let told: (progress: number) => void = () => {};
    const next = (): Promise<number> =>
      new Promise((resolve) => {
        told = resolve;
        clock.advance(5000);
      });
    const clicking = click(({ progress }) => told(progress));
    await asked;
    t.equal(await next(), 5);
    t.equal(await next(), 10);
    allow();
    t.match(await clicking, { structuredContent: { success: true } });
  }
});

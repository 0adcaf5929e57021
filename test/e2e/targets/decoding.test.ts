import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XScene } from "../harness/x-scene.ts";
import { differenceOf, shootDisplay } from "../harness/xwd.ts";
import { CrowdTarget } from "./crowd-target.ts";
import { startTarget, type Target } from "./target.ts";

const PEERS = ["Xtigervnc", "xterm", "xdotool", "xwd", "xsetroot"] as const;

t.test("a target that is decoded in a thread is exact, and takes input as any other", async (t) => {
  if (!requirePeers(t, PEERS)) return;
  const folder = folderOf(t);
  const target = await startTarget(t, "tigervnc", folder, { geometry: "800x600" });
  const appliance = await Appliance.start(t, { connect: [`${target.url}?decoding=worker`] });
  const agent = await appliance.agent();
  await until("a picture", () => agent.shot());
  const scene = new XScene(t, target.display.name, folder);
  await scene.open();
  await expectTruth(t, agent, target, "windows opened");
  await scene.move();
  await expectTruth(t, agent, target, "windows moved");
  const typewriter = await target.display.openTypewriter(folder, "60x8+100+300");
  await target.display.command("xdotool", "windowfocus", "--sync", typewriter.window);
  const text = "The quick brown fox; 42 times <over> the lazy dog? ".repeat(3);
  t.match(await agent.call("type_text", { text }), { success: true, not_typed: [] });
  await until("all that was typed", () => typewriter.read().length >= text.length);
  t.equal(typewriter.read(), text);
  await target.display.resize(1024, 768);
  // TigerVNC draws the pointer into the pictures of a viewer who did not put it where it is.
  await agent.call("move_mouse", { x: 5, y: 5 });
  await expectTruth(t, agent, target, "another size");
  const threads = (): number => readdirSync(`/proc/${appliance.program.pid}/task`).length;
  const before = threads();
  const [desktop] = await desktopsOf(appliance);
  await appliance.fetch(`/api/v1/desktops/${desktop?.id}`, undefined, {
    headers: { authorization: `Bearer ${appliance.adminToken}` },
    method: "DELETE",
  });
  await until("the thread to end", () => threads() < before || null);
});

t.test(
  "a target that sends all it can takes input in order, over one connection, and stays exact",
  { timeout: 240_000 },
  async (t) => {
    const target = await CrowdTarget.start(t, 80, 50);
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${target.port}?encodings=hextile`],
    });
    const agent = await appliance.agent();
    // Each look keeps the desktop watched, so that it is asked for all it has.
    await until("a picture", () => agent.shot({ region: { x: 0, y: 0, width: 32, height: 32 } }));
    let typed = "";
    const failures: unknown[] = [];
    const type = async (text: string): Promise<void> => {
      typed += text;
      await agent.call("type_text", { text }).catch((error: unknown) => failures.push(error));
    };
    for (let i = 0; i < 20; i++) await type("aB1 ");
    t.same(failures, []);
    t.equal(target.connections, 1);
    const expected = strokesOf(typed);
    await until("all that was typed", () => target.keys.length >= expected.length).catch(() => undefined);
    t.same(
      target.keys.map(({ isDown, keysym }) => `${isDown ? "down" : "up"} ${keysym}`),
      expected,
      "in order, nothing lost, doubled or left pressed",
    );
    target.rest();
    let difference: string | null = "not compared";
    await until("the last page", async () => {
      difference = differenceOf(await agent.shot({ wait_for_stable_ms: 100 }), target.shot());
      return difference === null;
    }).catch(() => undefined);
    t.equal(difference, null, "exactly what the target shows");
    const [desktop] = await desktopsOf(appliance);
    t.match(desktop, { state: { kind: "live" } });
  },
);

/** What typing a text comes to on the wire. */
function strokesOf(text: string): string[] {
  return [...text].flatMap((character) => {
    const keysym = character.codePointAt(0) ?? 0;
    return [`down ${keysym}`, `up ${keysym}`];
  });
}

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "oc-decoding-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function expectTruth(t: Test, agent: Agent, target: Target, after: string): Promise<void> {
  let difference: string | null = "not compared";
  await until("the same picture", async () => {
    const seen = await agent.shot({ wait_for_stable_ms: 100 });
    difference = differenceOf(seen, await shootDisplay(target.display.name));
    return difference === null || null;
  }).catch(() => undefined);
  t.equal(difference, null, `identical to xwd after ${after}`);
}

async function desktopsOf(appliance: Appliance): Promise<readonly { readonly id: string }[]> {
  return JSON.parse(await (await appliance.fetch("/api/v1/desktops")).text());
}

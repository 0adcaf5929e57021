import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { XDisplay } from "../harness/x-display.ts";

// What an agent is told is true, also where the desktop goes or changes under it.

async function open(t: Test) {
  const display = await XDisplay.start(t, { geometry: "1280x900" });
  const connect = [`vnc://127.0.0.1:${display.vncPort}`];
  const appliance = await Appliance.start(t, { connect });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  return { display, agent };
}

t.test("an agent that has only the computer tool gets on when the screen has another size", async (t) => {
  const { display, agent } = await open(t);
  await agent.call("computer", { action: "screenshot" });
  await display.resize(1024, 768);
  const click = { action: "left_click", coordinate: [100, 100] };
  await until("the new size", () =>
    agent.call("computer", click).then(
      () => false,
      () => true,
    ),
  );
  await t.rejects(agent.call("computer", click), { code: "stale_screenshot" });
  const looked = await agent.call("computer", { action: "screenshot" });
  t.match(looked, { screenshots: [{ width: 1024, height: 768 }] });
  t.match(await agent.call("computer", click), { success: true });
  t.same(await display.pointer(), { x: 100, y: 100 });
});

t.test("a target that is gone is not called stable, and its last picture is called that", async (t) => {
  const { display, agent } = await open(t);
  const stable = { condition: "stable", stable_ms: 100, timeout_ms: 300 };
  t.match(await agent.call("wait_for", { ...stable, timeout_ms: 10_000 }), { met: true, stale: false });
  await display.server.stop();
  await until("the loss", async () => {
    const { connections } = await agent.call("list_connections");
    return JSON.stringify(connections).includes('"reconnecting"');
  });
  t.match(await agent.call("wait_for", stable), { met: false, stale: true });
  t.match(await agent.call("zoom", { region: { x: 0, y: 0, width: 20, height: 20 } }), { stale: true });
});

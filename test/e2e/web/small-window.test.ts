import t from "tap";
import { until } from "../../support/until.ts";
import { outcome } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

t.test("approvals in a window above all others", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t, { mode: "assist", args: ["--demo"] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const { page, context, complaints } = await signIn(await openBrowser(t), appliance);
  await page.goto(`${appliance.url}/approvals`);
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: /small window/ }).click();
  const small = await opened;
  await small.getByText("Nothing waits for you").waitFor();

  const end = outcome(agent, "click_at", { x: 1240, y: 780, intent: "to see it" });
  await small.getByText("to see it").waitFor();
  const decoded = `(async (one) => { await one.decode(); return one.naturalWidth; })(
    document.querySelector(".approval-picture img"))`;
  t.ok((await small.evaluate<number>(decoded)) > 0, "its picture");
  await small.setViewportSize({ width: 420, height: 600 });
  await looksWell(t, small, "small-window");
  await small.getByRole("button", { name: "Approve" }).click();
  t.equal(await end, "done");
  await small.getByText("Nothing waits for you").waitFor();

  await small.close();
  await page.getByRole("button", { name: /small window/ }).waitFor();
  t.same(complaints, []);
});

import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { openChromium } from "./input-programs.ts";

// Elements of a real page are found in its pixels and clicked by the built server and its threads.

const PAGE = `<!doctype html><meta charset="utf-8"><title>inputs</title>
<style>
 body { margin: 0; font: 15px sans-serif; background: #f4f4f6; cursor: default }
 body > * { position: absolute; box-sizing: border-box }
 button { width: 120px; height: 34px; font: inherit; border: 1px solid #888; border-radius: 4px; background: #fdfdfd }
 #save { left: 160px; top: 180px; background: #1a73e8; color: #fff; border: 0 }
 #cancel { left: 300px; top: 180px }
 #name { left: 160px; top: 60px; width: 260px; height: 30px; border: 1px solid #777; padding: 0 8px; font: inherit }
 #street { left: 160px; top: 110px; width: 260px; height: 30px; border: 1px solid #777; padding: 0 8px; font: inherit }
 #remember { left: 160px; top: 152px; width: 15px; height: 15px; margin: 0 }
</style>
<span style="left: 40px; top: 66px">Full name</span><input id="name">
<span style="left: 40px; top: 116px">Street</span><input id="street">
<input id="remember" type="checkbox"><span style="left: 182px; top: 150px">Remember the address</span>
<button id="save">Save all</button><button id="cancel">Cancel</button>
<script>
 window.heard = [];
 addEventListener("click", ({ target }) => heard.push(target.id));
</script>`;

const elementSchema = z.object({
  id: z.string(),
  kind: z.string(),
  label: z.string().nullable(),
  box: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
});
const elementsSchema = z.object({ elements: z.array(elementSchema), untrusted: z.literal(true) });
const clickedSchema = z.object({ element: elementSchema, moved: z.boolean() });

const NAMES = {
  save: ["button", "Save all"],
  cancel: ["button", "Cancel"],
  name: ["field", "Full name"],
  street: ["field", "Street"],
  remember: ["check_box", "Remember the address"],
} as const;

t.test("elements of a page are found in its pixels, and clicked", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xdotool", "openbox", "chromium"])) return;
  const display = await XDisplay.start(t, { geometry: "1024x768" });
  await display.openWindowManager();
  const { page, place } = await openChromium(t, display, PAGE);
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const elements = async () => elementsSchema.parse(await agent.call("get_elements")).elements;
  const at = async (id: string) => {
    const { x, y } = await place(id);
    return (await elements()).find(
      ({ kind, box }) =>
        kind !== "text" && x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height,
    );
  };
  const heard = async () => await page.evaluate<string[]>("window.heard.splice(0)");
  const click = async (id: string) =>
    clickedSchema.parse(await agent.call("click_element", { element_id: id }));
  await until("the page", async () => (await at("cancel"))?.label === "Cancel");

  await t.test("each is told with its kind and its label, where it lies", async (t) => {
    for (const [id, [kind, label]] of Object.entries(NAMES)) t.match(await at(id), { kind, label }, id);
  });

  await t.test("each click reaches the element that was named", async (t) => {
    for (const id of Object.keys(NAMES)) {
      const element = await until(`element ${id}`, () => at(id));
      t.match(await click(element?.id ?? ""), { element: { id: element?.id }, moved: false });
      t.same(await until("the click", async () => ((one) => (one.length > 0 ? one : null))(await heard())), [
        id,
      ]);
    }
  });
});

import * as z from "zod";
import { siteOf } from "../../../browser/page/target.ts";
import { browserActingFields, tabIdField } from "../../tool/browser/page-acting.ts";
import { defineTool } from "../../tool/tool.ts";

export const browserCloseTab = defineTool({
  name: "browser_close_tab",
  title: "Close a browser tab",
  description: "Closes a shared tab, with what was typed into it and not sent.",
  effect: "input",
  isForeign: true,
  input: z.strictObject({
    tab_id: tabIdField,
    require_user_confirmation: browserActingFields.require_user_confirmation,
    intent: browserActingFields.intent,
  }),
  output: z.object({ success: z.literal(true), was_confirmed: z.boolean() }),
  async handle({ tab_id, intent, require_user_confirmation }, { browsers, actor, signal }) {
    const page = browsers.page(tab_id);
    const site = page.dialog === null ? await siteOf(page) : "a page that shows a dialog";
    const { wasConfirmed } = await browsers.gate.perform(
      {
        ...{ verb: "close_tab", classes: ["pointer"], site, browserId: page.browser.id },
        summary: `Close the tab with ${site}`,
        details: [{ name: "Browser", value: page.browser.name }],
      },
      actor,
      { intent: intent ?? null, isDemanded: require_user_confirmation === true, signal },
      () => page.peer.call("close_tab", { tab_id: page.number }, signal),
    );
    return {
      output: { success: true as const, was_confirmed: wasConfirmed },
      text: `Closed the tab ${tab_id}.`,
    };
  },
});

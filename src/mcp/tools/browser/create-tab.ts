import * as z from "zod";
import { numberIn } from "../../../browser/page/answers.ts";
import { arrived } from "../../../browser/page/effect.ts";
import { isWebAddress } from "../../../browser/wire/calls.ts";
import { RefusedError } from "../../../desktop/error.ts";
import { browserActingFields } from "../../tool/browser/page-acting.ts";
import { LISTED_AS } from "../../tool/fields.ts";
import { defineTool } from "../../tool/tool.ts";

/** A tab is told once its page is there, or after so long. */
const LOADING_MS = 5000;

export const browserCreateTab = defineTool({
  name: "browser_create_tab",
  title: "Open a browser tab",
  description: "Opens http, https or about:blank in a new shared tab, where the person lets agents do that.",
  effect: "input",
  isForeign: true,
  input: z.strictObject({
    url: z.string().min(1).max(2000).meta(LISTED_AS.bare).describe("http, https or about:blank."),
    browser_id: z
      .string()
      .max(20)
      .optional()
      .meta(LISTED_AS.bare)
      .describe("Default: the one that is connected."),
    require_user_confirmation: browserActingFields.require_user_confirmation,
    intent: browserActingFields.intent,
  }),
  output: z.object({ success: z.literal(true), was_confirmed: z.boolean(), tab_id: z.string() }),
  async handle({ url, browser_id, intent, require_user_confirmation }, { browsers, actor, signal }) {
    if (!isWebAddress(url)) {
      throw new RefusedError(
        "invalid_parameters",
        "url: expected an address of http or https, or about:blank",
      );
    }
    const { peer, short, pairing } = browsers.connected(browser_id);
    const site = new URL(url).host || "a blank page";
    const { result, wasConfirmed } = await browsers.gate.perform(
      {
        ...{ verb: "create_tab", classes: ["pointer"], site, browserId: pairing.id },
        summary: `Open a new tab at ${site}`,
        details: [
          { name: "Browser", value: pairing.name },
          { name: "Address", value: url },
        ],
      },
      actor,
      { intent: intent ?? null, isDemanded: require_user_confirmation === true, signal },
      async () => `${short}-${numberIn(await peer.call("create_tab", { url }, signal), "tab_id")}`,
    );
    if (url !== "about:blank") await arrived(browsers.page(result), LOADING_MS);
    return {
      output: { success: true as const, was_confirmed: wasConfirmed, tab_id: result },
      text: `Opened ${url} in the tab ${result}.`,
    };
  },
});

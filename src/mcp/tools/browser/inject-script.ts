import { createHash } from "node:crypto";
import * as z from "zod";
import { keepScript, runScript } from "../../../browser/page/script.ts";
import {
  actOnPage,
  browserActingFields,
  pageActedFields,
  tabIdField,
} from "../../tool/browser/page-acting.ts";
import { defineTool } from "../../tool/tool.ts";

export const browserInjectScript = defineTool({
  name: "browser_inject_script",
  title: "Inject a script into a browser tab",
  description:
    "Fetches a script by this server and runs it in a page, whatever that forbids. Asked as browser_execute_js.",
  effect: "input",
  isForeign: true,
  input: z.strictObject({
    tab_id: tabIdField,
    script_url: z.string().min(1).max(2000),
    keep_injected: z.boolean().optional().describe("Also in what it loads later."),
    ...browserActingFields,
  }),
  output: z.object({ sha256: z.string().describe("Of the script, hex."), ...pageActedFields }),
  async handle({ script_url, keep_injected = false, ...args }, context) {
    // Nothing is fetched for what would be refused anyway.
    context.browsers.gate.checkMay(["script"]);
    context.browsers.page(args.tab_id);
    const code = await context.browsers.fetchScript(script_url, context.signal);
    const sha256 = createHash("sha256").update(code).digest("hex");
    const acted = await actOnPage(context, args, {
      verb: "inject_script",
      classes: ["script"],
      words: "Inject a script",
      details: [
        { name: "Address", value: script_url },
        { name: "SHA-256", value: sha256 },
        ...(keep_injected ? [{ name: "Stays", value: "runs in every page that this tab loads" }] : []),
      ],
      text: code,
      work: async (page) => {
        if (keep_injected) await keepScript(page, code);
        await runScript(page, code);
      },
    });
    return { output: { sha256, ...acted.output }, text: `Injected the script. ${acted.text}` };
  },
});

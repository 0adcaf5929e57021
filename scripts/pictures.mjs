// `npm run pictures [-- FOLDER]`: pictures of every page and state of the web app, in both themes and five widths.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { runE2e } from "./e2e.mjs";

const [folder = "pictures"] = process.argv.slice(2);
/** Tests that look at what they show: `looksWell` and the sweep take pictures where this is named. */
process.env.OC_SCREENSHOTS = resolve(folder);
mkdirSync(process.env.OC_SCREENSHOTS, { recursive: true });

const { code } = await runE2e(
  [
    ...["web/all-pages", "web/all-pages-wide", "web/desktops-page", "web/live-list", "web/holder"],
    ...["web/agent-live", "web/approval-series", "web/kept-and-told", "web/password-card", "web/push"],
    ...["web/admin-pages", "web/guests", "web/vnc-add-page", "web/edit-desktop", "web/small-window"],
    ...["browser/setup-page", "recording/player-stage", "recording/player-page", "recording/text-hits-page"],
    ...["viewers/masks-by-role", "agents/four-eyes"],
  ].map((name) => `test/e2e/${name}.test.ts`),
);
process.exitCode = code;

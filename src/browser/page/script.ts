import { BrowserError } from "../error.ts";
import { objectIn, textIn } from "./answers.ts";
import type { Page } from "./page.ts";

const WITHIN_MS = 10_000;
/** Of a result as JSON. */
const MOST_RESULT_CHARS = 50_000;

/** Runs code in the page itself, as its own scripts are; gives its last value as JSON. Rejects with script_failed. */
export async function runScript(page: Page, code: string): Promise<string> {
  const answer = await page.send("Runtime.evaluate", {
    expression: code,
    awaitPromise: true,
    returnByValue: true,
    replMode: true,
    userGesture: true,
    timeout: WITHIN_MS,
  });
  const { exceptionDetails } = objectIn(answer);
  if (exceptionDetails !== undefined) {
    const said =
      textIn(exceptionDetails, "exception", "description") ||
      textIn(exceptionDetails, "text") ||
      "an exception";
    throw new BrowserError("script_failed", `the script threw ${JSON.stringify(said.slice(0, 500))}`);
  }
  const json = JSON.stringify(objectIn(answer, "result")["value"]) ?? "undefined";
  return json.length <= MOST_RESULT_CHARS
    ? json
    : `${json.slice(0, MOST_RESULT_CHARS)}… (${json.length} characters)`;
}

/** Runs code in each document that this tab loads from now on, before its own scripts. */
export async function keepScript(page: Page, code: string): Promise<void> {
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source: code });
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const LANGUAGE = new URL("../../../../src/web/client/language/language.ts", import.meta.url).href;

/** What an expression gives in a browser of these languages, whose storage has `kept`: the app reads both once. */
function inBrowser(languages: readonly string[], kept: string | null, expression: string): unknown {
  const code = `
    Object.defineProperty(globalThis, "navigator", { value: { languages: ${JSON.stringify(languages)} } });
    globalThis.localStorage = { getItem: (name) => name === "overlay-companion.language" ? ${JSON.stringify(kept)} : null };
    const app = await import(${JSON.stringify(LANGUAGE)});
    const { t, rich, counted, decimal, ofServer, language, locale, otherLanguage } = app;
    process.stdout.write(JSON.stringify(${expression}));
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", code],
    {
      encoding: "utf8",
      cwd: fileURLToPath(new URL("../../../..", import.meta.url)),
    },
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const TEXTS =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code that runs elsewhere
  "[language, t`Approve`, t`${3} of ${7}`, t`No such message ${1}`, counted(1, t`# action|# actions`), \
  counted(123, t`# action|# actions`), counted(0, t`# action|# actions`), decimal(1.25, 1), ofServer('operator'), \
  ofServer('nobody_knows', 'as it came'), rich`Run ${'this'}.`, locale, otherLanguage]";

t.test("German where it is the browser's first language that the app speaks", async (t) => {
  t.same(inBrowser(["fr-FR", "de-AT", "en-US"], null, TEXTS), [
    ...["de", "Erlauben", "3 von 7", "No such message 1"],
    ...["1 Aktion", "123 Aktionen", "0 Aktionen", "1,3", "Bediener", "as it came"],
    ...[["Run ", "this", "."], "de-AT", "en"],
  ]);
});

t.test("English without any, and where it was chosen", async (t) => {
  t.same(inBrowser(["de-DE"], "en", TEXTS), [
    ...["en", "Approve", "3 of 7", "No such message 1"],
    ...["1 action", "123 actions", "0 actions", "1.3", "operator", "as it came"],
    ...[["Run ", "this", "."], "en", "de"],
  ]);
  t.equal(inBrowser(["fr"], null, "language"), "en", "no language that it speaks");
  t.equal(inBrowser([], "fr", "language"), "en", "nor one that was kept");
  t.equal(inBrowser(["en-GB"], "de", "language"), "de", "a choice is before the browser's");
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { appTexts, textsOf } from "../../../../scripts/visible-texts.ts";

const CLIENT = fileURLToPath(new URL("../../../../src/web/client", import.meta.url));
const { messages, serverWords }: { messages: Record<string, string>; serverWords: Record<string, string> } =
  JSON.parse(readFileSync(`${CLIENT}/language/german.json`, "utf8"));

/** In any order, for another language may need another one. */
function placeholders(text: string): string[] {
  return (text.match(/\{\d\}|#/g) ?? []).sort();
}

t.test("all that people read is translated", async (t) => {
  const app = appTexts(CLIENT);
  t.ok(app.messages.size > 1000, "the app's texts are found");
  t.same(app.untranslated, [], "every visible text is a message: t`…`, or rich`…` with elements in it");
  t.same(
    [...app.messages].filter((text) => !Object.hasOwn(messages, text)),
    [],
    "German has every message",
  );
  t.same(
    Object.keys(messages).filter((text) => !app.messages.has(text)),
    [],
    "and none that the app has no more",
  );
});

t.test("what was stiff, or a second word for one thing, is not said", async (t) => {
  const stiff =
    /not the desktop it was|ask for pictures by|way and security|the best that it|granted|intact|bookmark/i;
  t.same(
    Object.keys(messages).filter((text) => stiff.test(text)),
    [],
  );
});

t.test("German texts have the values, forms and edges of the English ones", async (t) => {
  for (const [english, german] of Object.entries(messages)) {
    const forms = german.split("|");
    t.equal(forms.length, english.split("|").length, `as many forms as “${english}”`);
    t.same(
      placeholders(forms.at(-1) ?? ""),
      placeholders(english.split("|").at(-1) ?? ""),
      `${english} => ${german}`,
    );
    t.equal(german.startsWith(" "), english.startsWith(" "), `the space before “${english}”`);
    t.equal(german.endsWith(" "), english.endsWith(" "), `the space after “${english}”`);
    t.not(german.trim(), "", `${english} has words`);
  }
});

t.test("the server's words are ones that it uses", async (t) => {
  const errors = readFileSync(fileURLToPath(new URL("../../../../docs/errors.md", import.meta.url)), "utf8");
  const names = ["tools.md", "roles.md"].map((page) =>
    readFileSync(fileURLToPath(new URL(`../../../../docs/${page}`, import.meta.url)), "utf8"),
  );
  for (const [word, german] of Object.entries(serverWords)) {
    t.ok(
      errors.includes(`| \`${word}\` |`) || new RegExp(`\\b${word}\\b`).test(names.join()),
      `${word} (${german}) is a code or a name`,
    );
  }
});

t.test("what is not translated is found", async (t) => {
  const untranslated = (code: string): readonly string[] => textsOf("page.tsx", code).untranslated;
  t.same(untranslated("const a = <p>Go away</p>;"), ["page.tsx:1: Go away"], "text of an element");
  t.same(untranslated('const a = <b aria-label="Close" />;'), ["page.tsx:1: Close"], "what is said of it");
  t.same(
    untranslated("const a = <b>{is ? 'on' : 'off'}</b>;"),
    ["page.tsx:1: on", "page.tsx:1: off"],
    "a choice",
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code that is read
  t.same(untranslated("notice(`Removed the ${name}`);"), ["page.tsx:1: Removed the {0}"], "a message");
  t.same(untranslated('const w = ["12 hours"];'), ["page.tsx:1: 12 hours"], "a term");
  t.same(untranslated('if (key === "Escape then") go();'), [], "what is compared is code");
  t.same(untranslated('const a = <p class="big one">{t`Go away`}</p>;'), [], "what is translated");
  t.same(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code that is read
    [...textsOf("page.tsx", "t`${a} of ${t`b`}`; rich`See ${<b>{t`c`}</b>}`").messages],
    ["{0} of {1}", "b", "See {0}", "c"],
    "keys, those within others too",
  );
});

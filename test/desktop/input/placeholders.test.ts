import t from "tap";
import { partsOf, plainText, secretsIn } from "../../../src/desktop/input/placeholders.ts";

const bank = { kind: "secret", name: "bank", placeholder: "{{secret:bank}}" } as const;
const code = { kind: "totp", name: "a.B_c-9", placeholder: "{{totp:a.B_c-9}}" } as const;

t.test("a text falls into literal parts and the secrets that it names", async (t) => {
  const cases: readonly (readonly [string, readonly unknown[]])[] = [
    ["", []],
    ["plain", ["plain"]],
    ["{{secret:bank}}", [bank]],
    ["a{{secret:bank}}\tb{{totp:a.B_c-9}}\n", ["a", bank, "\tb", code, "\n"]],
    ["{{secret:bank}}{{secret:bank}}", [bank, bank]],
    // Templates and code.
    ["{{ user }} {{#if}} {% x %} {{other:bank}}", ["{{ user }} {{#if}} {% x %} {{other:bank}}"]],
    ["{{ secret:bank }} {secret:bank} {{Secret:bank}}", ["{{ secret:bank }} {secret:bank} {{Secret:bank}}"]],
    ["{{{secret:bank}}}", ["{", bank, "}"]],
    // Doubled braces stand for themselves.
    ["{{{{secret:bank}}", ["{{secret:", "bank}}"]],
    ["{{{{totp:", ["{{totp:"]],
    ["{{{{{secret:bank}}", ["{", "{{secret:", "bank}}"]],
    ["x{{{{secret:a}}{{secret:bank}}", ["x", "{{secret:", "a}}", bank]],
  ];
  for (const [text, parts] of cases) t.same(partsOf(text), parts, JSON.stringify(text));
});

t.test("a placeholder that is not well-formed is refused, for it was meant to be one", async (t) => {
  for (const text of [
    "{{secret:}}",
    "{{secret:bank}",
    "{{secret:bank",
    "{{secret: bank}}",
    "{{secret:a b}}",
    "{{totp:ä}}",
    `{{secret:${"x".repeat(65)}}}`,
    "{{secret:-a}}",
    "ok {{secret:bank}} {{totp:",
  ]) {
    t.throws(() => partsOf(text), { code: "invalid_parameters" }, text);
    t.same(secretsIn(text), [], text);
  }
  t.throws(() => partsOf("{{secret:a}}".repeat(17)), { message: /more than 16 secrets/ });
  t.equal(partsOf("{{secret:a}}".repeat(16)).length, 16);
});

t.test("a text for the clipboard may name none, and doubled braces are meant there too", async (t) => {
  t.throws(() => plainText("x {{secret:bank}}"), { code: "invalid_parameters", message: /use type_text/ });
  t.throws(() => plainText("{{totp:bank}}"), { code: "invalid_parameters" });
  t.equal(plainText("{{{{secret:bank}} {{ user }}"), "{{secret:bank}} {{ user }}");
});

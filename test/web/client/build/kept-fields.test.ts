import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { filesOf } from "../../../support/files-of.ts";

// Browsers write what stands in a field to the disk, to show it again after a restart, unless the page says that it is
// not to be completed.

const CLIENT = fileURLToPath(new URL("../../../../src/web/client", import.meta.url));
const TAG = /<(textarea|input|form)\b((?:=>|[^>])*)>/g;

t.test("no browser keeps texts that are written or shown to be copied", (t) => {
  let fields = 0;
  for (const path of filesOf(CLIENT).filter((path) => path.endsWith(".tsx"))) {
    const text = readFileSync(path, "utf8");
    const tags = Array.from(text.matchAll(TAG), ([, name = "", attributes = ""]) => ({ name, attributes }));
    const isOff = ({ attributes }: { readonly attributes: string }): boolean =>
      /\bautocomplete="/.test(attributes);
    // A form says it for all that is in it.
    const hasForm = tags.some((tag) => tag.name === "form" && isOff(tag));
    for (const tag of tags) {
      if (tag.name !== "textarea" && !(tag.name === "input" && /\breadOnly\b/.test(tag.attributes))) continue;
      fields++;
      t.ok(hasForm || isOff(tag), `${path.slice(CLIENT.length)}: ${tag.name}`);
    }
  }
  t.ok(fields >= 5, `${fields} fields`);
  t.end();
});

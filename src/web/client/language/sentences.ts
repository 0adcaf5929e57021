/**
 * What the server says in sentences, and recordings keep, in another language: by the English sentence, whose values are
 * `{0}`, `{1}` and so on; `{#0}` is a number, `{@0}` one word, `{~0}` a chord of keys, and `{=0}` somebody else's words, which
 * stay as they are. The first that fits.
 */
export function sentencesOf(catalogue: Readonly<Record<string, string>>): (text: string) => string {
  const patterns = Object.entries(catalogue).map(([english, wording]) => {
    const pattern = english
      .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
      .replace(/\{([#@~=]?)(\d)\}/g, (_, kind, name) => `(?<v${name}>${VALUES[kind] ?? "[^]+?"})`);
    return { pattern: new RegExp(`^${pattern}$`), wording };
  });
  return function say(text): string {
    for (const { pattern, wording } of patterns) {
      const found = pattern.exec(text);
      if (found === null) continue;
      return wording.replace(/\{([#@~=]?)(\d)\}/g, (_, kind, name) => {
        const value = found.groups?.[`v${name}`] ?? "";
        return kind === "" || kind === "@" ? say(value) : value;
      });
    }
    return text;
  };
}

/** Of one thing that is asked about: values are words of ours only where they are no name. */
const OWN_VALUE = /^(?:\d[\d.]* \D*|no|yes, not shown)$/;

/** What a value may be, by its sign. */
const VALUES: Readonly<Record<string, string>> = { "#": "[\\d.]+", "@": "[a-z]+", "~": "[^ ]+" };

/** For `JSON.parse`: the fields in which the server words something. */
export function reviverOf(say: (text: string) => string): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if ((key === "summary" || key === "scope") && typeof value === "string") return say(value);
    if (key === "details" && Array.isArray(value)) return value.map((one) => detailIn(say, one));
    // A mark that the desktop itself set.
    if (isObject(value) && value["is_set"] === false) return { ...value, label: say(String(value["label"])) };
    return value;
  };
}

function detailIn(say: (text: string) => string, detail: unknown): unknown {
  if (!isObject(detail)) return detail;
  const [name, value] = [String(detail["name"]), String(detail["value"])];
  return { name: say(name), value: OWN_VALUE.test(value) ? say(value) : value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

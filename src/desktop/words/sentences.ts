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

/** What a value may be, by its sign. */
const VALUES: Readonly<Record<string, string>> = { "#": "[\\d.]+", "@": "[a-z]+", "~": "[^ ]+" };

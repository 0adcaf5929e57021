/**
 * Which elements of a page are so plain that what Chromium's accessibility tree says of them is known without asking: cells,
 * items, buttons and links of which nothing but their own words tells what they are. Written as text, for it is sent, and
 * run in our own isolated world. Whatever else may have a say (ARIA, titles, labels, generated content, what is hidden, or a
 * shadow root, which of the elements below none can have) makes an element one that is asked for.
 */

/** What the elements are, in the order of their numbers; "none" for what only looks different. */
export const PLAIN_ROLES = [
  "none",
  "row",
  "cell",
  "listitem",
  "link",
  "button",
  "strong",
  "emphasis",
  "code",
] as const;

/** So much more is told than about `nodes` nodes, for what is asked for may be less than it is taken for. */
const MORE = 1.1;
/** Longer texts are cut elsewhere, where their whole is known. */
const LONGEST_TEXT = 1000;

/**
 * Gives of elements, in their order and until about `nodes` nodes are told, those that are plain with all that is in them:
 * {tops: [[nodes, …], …], unknown: [element, …]}. `nodes` are in the order of the page: [role, number, children, name] of
 * an element, where `number` is the browser's own, or -1 for those in `unknown`, in their order; and the text of a text.
 */
export const PLAIN = `((elements, nodes) => {
  const ROLES = {b: 0, i: 0, u: 0, small: 0, tr: 1, td: 2, li: 3, a: 4, button: 5, strong: 6, em: 7, code: 8};
  const DISPLAYS = {1: /^table-row$/, 2: /^table-cell$/, 3: /^(list-item|block)$/, other: /^(inline|inline-block|block)$/};
  const HARMLESS = /^(class|style|id|dir|lang|width|height|align|valign|bgcolor|nowrap|(col|row)span|headers|target|rel|hreflang|download|data-.*|on.*)$/;
  const OWN = {a: /^href$/, button: /^(type|name)$/};
  const WITHIN = /^(button|a|label|select|datalist|canvas|object|video|audio|textarea|meter|progress|summary|legend|caption|figcaption)$/;
  const LANDMARK = /^(main|region|navigation|banner|contentinfo|complementary|article|form|search)$/;
  const ODD = /[\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]/;
  const known = (globalThis.ocNumbers ??= new WeakMap());
  const tops = [], unknown = [];
  if (document.designMode === "on" || document.querySelector(":modal, [aria-owns], [aria-activedescendant], [aria-modal]")) return {tops, unknown};
  const around = new Map();
  const isPlainAround = (element) => {
    if (around.has(element)) return around.get(element);
    const isPlain = element instanceof HTMLElement && element.shadowRoot === null && !element.localName.includes("-") && !WITHIN.test(element.localName) && !element.isContentEditable &&
      [...element.attributes].every(({name, value}) => name === "role" ? LANDMARK.test(value) && !/^(table|tbody|thead|tfoot|ul|ol)$/.test(element.localName)
        : !/^(inert|contenteditable|tabindex|aria-(?!label$|labelledby$|describedby$).*)$/.test(name)) &&
      (element === document.documentElement || isPlainAround(element.parentElement));
    around.set(element, isPlain);
    return isPlain;
  };
  const isPlainBox = (element, role) => {
    if (!element.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true})) return false;
    const style = getComputedStyle(element);
    return (DISPLAYS[role] ?? DISPLAYS.other).test(style.display) && style.contentVisibility === "visible" && style.textTransform === "none" && (style.webkitTextSecurity ?? "none") === "none" &&
      (style.interactivity ?? "auto") === "auto" && /^(none|normal)$/.test(getComputedStyle(element, "::before").content) && /^(none|normal)$/.test(getComputedStyle(element, "::after").content);
  };
  // Gives the texts in it; null where it is not plain.
  const tell = (element, told, fresh) => {
    const role = ROLES[element.localName];
    if (role === undefined || !(element instanceof HTMLElement)) return null;
    for (const {name} of element.attributes) if (!HARMLESS.test(name) && !OWN[element.localName]?.test(name)) return null;
    if (role === 4 && !element.hasAttribute("href")) return null;
    if (role === 5 && (element.labels.length > 0 || element.matches(":disabled"))) return null;
    const parent = element.parentElement.localName;
    if (role === 1 ? !/^(tbody|thead|tfoot|table)$/.test(parent) : role === 2 ? told.length === 0 : role === 3 && !/^(ul|ol)$/.test(parent)) return null;
    if (!isPlainBox(element, role)) return null;
    const own = [role, known.get(element) ?? -1, 0, ""];
    if (own[1] === -1) fresh.push(element);
    told.push(own);
    const texts = [];
    for (const child of element.childNodes) {
      if (child.nodeType === 8 || child.localName === "br") continue;
      if (child.nodeType === 3) {
        const text = child.data.replace(/\\s+/g, " ").trim();
        if (text === "") continue;
        if (role === 1 || text.length > ${LONGEST_TEXT} || ODD.test(text)) return null;
        told.push(text);
        texts.push(text);
      } else if (child.nodeType === 1) {
        if (role === 1 ? child.localName !== "td" : ROLES[child.localName] > 0 && ROLES[child.localName] < 4) return null;
        const inner = tell(child, told, fresh);
        if (inner === null) return null;
        texts.push(...inner);
      } else return null;
      own[2]++;
    }
    // How names are made of several texts, the browser knows.
    if (role === 2 || role === 4 || role === 5) {
      if (texts.length > 1 || (role !== 2 && texts.length === 0)) return null;
      own[3] = texts[0] ?? "";
    }
    return texts;
  };
  const active = document.activeElement;
  let count = 0;
  for (const element of elements) {
    if (count >= nodes * ${MORE}) break;
    const told = [], fresh = [];
    const isPlain = element !== active && isPlainAround(element.parentElement) && !element.contains(active) && tell(element, told, fresh) !== null;
    // What is asked for is about as much.
    count += isPlain ? told.length : 2 * (element.getElementsByTagName("*").length + 1);
    if (!isPlain) continue;
    tops.push(told);
    unknown.push(...fresh);
  }
  return {tops, unknown};
})`;

/** The texts of the web app's code: those that are translated, and those that people see and that are not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** `{0}` and `{1}` stand for the values, as in `language.ts`. */
export interface AppTexts {
  /** Keys of the catalogues. */
  readonly messages: ReadonlySet<string>;
  /** "file:line: text" of what people see in English whatever they chose. */
  readonly untranslated: readonly string[];
}

const TAGS = new Set(["t", "rich"]);

/** What JSX shows or says of an element. */
const SHOWN_ATTRIBUTES = new Set([
  "aria-label",
  "aria-valuetext",
  "title",
  "placeholder",
  "label",
  "alt",
  "legend",
  "action",
]);
/** What an element or a component of ours does not show, whatever it looks like. */
const UNSEEN_ATTRIBUTES = new Set([
  "class",
  "style",
  "href",
  "key",
  "id",
  "pattern",
  "type",
  "points",
  "viewBox",
  "aria-describedby",
  "aria-labelledby",
]);

/** Names, examples and what is typed as it stands: the same in all languages. */
const SAME_EVERYWHERE = new Set([
  "Overlay Companion",
  "Overlay Companion needs JavaScript to show a live desktop.",
  "Chrome, Chromium",
  "Edge",
  "Brave",
  "KasmVNC",
  "https://example.org",
  "Tight",
  "Hextile",
  "Raw",
  "Zlib",
  "TightPNG",
  "CoRRE",
  "Super",
  "Authorization: Bearer …",
  "X-Forwarded-User: ada",
  "https://bank.example/",
  "stdio",
  "overlay-companion audit verify",
  "recording.policy: always",
  "recording.policy: on_agent_activity",
  "{{secret:NAME}}",
  "{{totp:NAME}}",
  "mode: custom",
  "{0}{1} · Overlay Companion",
  "--connect vnc://:password@host:5901",
]);

/** Words of the browser, of protocols and of code, which nobody sees. */
const CODE_WORDS = new Set([
  ...[
    "Alt",
    "AltGraph",
    "CapsLock",
    "Control",
    "Meta",
    "NumLock",
    "Shift",
    "Compose",
    "Dead",
    "Process",
    "Unidentified",
  ],
  ...[
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ControlLeft",
    "ControlRight",
    "AltLeft",
    "AltRight",
  ],
  ...["ShiftLeft", "ShiftRight", "End", "Enter", "Escape", "Home", "Tab", "KeyA", "KeyS"],
  ...["ApiError", "Notification", "PushManager", "VideoEncoder", "(min-width: 56.25em)"],
  // Of an error that the picture of a tile handles.
  "the thumbnail's answer was {0}, expected 200",
]);

/** Files whose texts nobody sees: errors of decoding, which the code itself handles, and names of the protocol. */
const UNSEEN_FILES = /(?:^|\/)(?:inflator|icon-shapes|keyboard-field|push-worker|language|german)\.tsx?$/;

/** Of these functions the arguments are code. */
const TAKES_CODE =
  /(?:^|\.)(?:addEventListener|removeEventListener|querySelector|querySelectorAll|closest|matches|matchMedia|getContext|createElementNS|dispatchEvent|request|setProperty|execCommand|RegExp|CSS\.supports)$/;

/** Two words, a sentence's beginning, or a count of something. */
function looksLikeProse(text: string): boolean {
  return (
    /\p{L}{2,}[,:;.?!”)]* [“"(\p{L}\d]/u.test(text) ||
    /^\s*\p{Lu}\p{Ll}+/u.test(text) ||
    /\d \p{L}{3,}/u.test(text) ||
    text.includes("…")
  );
}

/** A template's text with its values as numbers in braces; null where an expression is no text. */
function keyOf(node: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return node.templateSpans.reduce((head, { literal }, i) => `${head}{${i}}${literal.text}`, node.head.text);
}

function attributeOf(node: ts.Node): ts.JsxAttribute | null {
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (ts.isJsxAttribute(at)) return at;
    if (ts.isFunctionLike(at) || ts.isJsxElement(at)) return null;
  }
  return null;
}

/** A value that is looked up or compared is no text for people. */
function isCode(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) {
    return /^[!=]==$/.test(parent.operatorToken.getText()) || /\.className$/.test(parent.left.getText());
  }
  if (ts.isPropertyAssignment(parent)) return parent.name === node;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    return parent.expression !== node && TAKES_CODE.test(parent.expression.getText());
  }
  return ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isImportDeclaration(parent);
}

/** Shown as it stands, whatever chooses it. */
function isChild({ parent }: ts.Node): boolean {
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) return isChild(parent);
  if (ts.isBinaryExpression(parent))
    return /^(?:&&|\|\||\?\?)$/.test(parent.operatorToken.getText()) && isChild(parent);
  return ts.isJsxExpression(parent);
}

function isShown(node: ts.StringLiteral | ts.TemplateLiteral, text: string): boolean {
  if (!/\p{L}/u.test(text) || SAME_EVERYWHERE.has(text) || isCode(node)) return false;
  const attribute = attributeOf(node);
  const name = attribute?.name.getText();
  if (name !== undefined && UNSEEN_ATTRIBUTES.has(name)) return false;
  // A pattern of nothing but values and signs says the same everywhere.
  const words = text.replace(/\{\d\}/g, "");
  if (name !== undefined && SHOWN_ATTRIBUTES.has(name) && node.parent === attribute)
    return /\p{L}{2}/u.test(words);
  if (isChild(node) && !attribute) return /\p{L}{2}/u.test(words);
  if (CODE_WORDS.has(text)) return false;
  if (/^\/|^https?:|^[\w-]+\/[\w.*+-]+$|\b[a-z]+\(|[{}<>]\w|\w=|\dpx|%$/.test(words)) return false;
  return looksLikeProse(text);
}

function textsIn(file: string, code: string, found: { messages: Set<string>; untranslated: string[] }): void {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, kind);
  const miss = (node: ts.Node, text: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.untranslated.push(`${file}:${line + 1}: ${text.replace(/\s+/g, " ").trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isTaggedTemplateExpression(node) && TAGS.has(node.tag.getText())) {
      found.messages.add(keyOf(node.template));
      if (ts.isTemplateExpression(node.template))
        for (const { expression } of node.template.templateSpans) visit(expression);
      return;
    }
    if (ts.isJsxText(node)) {
      const element = ts.isJsxElement(node.parent) ? node.parent.openingElement.tagName.getText() : "";
      const text = node.text.trim();
      if (/\p{L}/u.test(text) && !SAME_EVERYWHERE.has(text) && element !== "code" && element !== "kbd")
        miss(node, text);
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (isShown(node, node.text)) miss(node, node.text);
    } else if (ts.isTemplateExpression(node)) {
      if (isShown(node, keyOf(node))) miss(node, keyOf(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** The texts of one piece of code. */
export function textsOf(file: string, code: string): AppTexts {
  const found = { messages: new Set<string>(), untranslated: [] };
  textsIn(file, code, found);
  return found;
}

/** The texts of all the app's code below a folder. */
export function appTexts(root: string): AppTexts {
  const found = { messages: new Set<string>(), untranslated: [] };
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" }).sort()) {
    if (!/\.tsx?$/.test(file) || file.endsWith(".d.ts") || UNSEEN_FILES.test(file)) continue;
    textsIn(file, readFileSync(join(root, file), "utf8"), found);
  }
  return found;
}

import { nextTurn } from "../../platform/loop-turns.ts";
import type { TreeNode } from "../wire/tree-nodes.ts";
import type { ElementPlace, Session } from "./refs.ts";

/** The accessibility tree of one frame, the root first. */
export interface FrameTree {
  readonly session: Session;
  readonly nodes: readonly TreeNode[];
  /** Subtrees after the nodes that were not loaded; absent: none. */
  readonly left?: number;
}

export interface TreeLine {
  readonly depth: number;
  readonly text: string;
  /** null for text. */
  readonly ref: string | null;
  readonly role: string;
  readonly name: string;
  /** Its line ends with what is in it. */
  readonly hasValue: boolean;
  /** It is in a frame of the page. */
  readonly isFramed: boolean;
  /** Whether it can be acted on, or is a heading. */
  readonly isActedOn: boolean;
}

export interface LinesPorts {
  refOf(place: ElementPlace): string;
  /** The tree of the frame in an iframe element. */
  frameIn(place: ElementPlace): FrameTree | undefined;
  /** What is in this element is told to nobody; absent: nothing is. */
  isHidden?(place: ElementPlace): boolean;
  /** Told of so many subtrees that there are no lines of; what there are lines of comes before all of them. */
  leftOut?(count: number): void;
  /** A text of the page without what such elements say. */
  scrub?(text: string): string;
}

/** What is neither told nor has a ref: its children stand in its place. */
const PASSED: ReadonlySet<string> = new Set([
  "InlineTextBox",
  "LabelText",
  "LineBreak",
  "RootWebArea",
  "Section",
  "none",
  "paragraph",
]);

/** What only looks different, or groups what has refs of its own: nobody acts on it. */
const UNMARKED: ReadonlySet<string> = new Set([
  ...["list", "table", "row", "rowgroup", "group", "time", "code", "mark"],
  ...["emphasis", "strong", "subscript", "superscript", "insertion", "deletion"],
]);

/** What is named after its content: a name that a line in it says is not said twice. */
const NAMED_BY_CONTENT: ReadonlySet<string> = new Set([
  ...["cell", "columnheader", "gridcell", "heading", "listitem", "row", "rowheader"],
]);

/** What can be acted on, and what says where it is. */
const ACTED_ON: ReadonlySet<string> = new Set([
  "Iframe",
  "DisclosureTriangle",
  "PopUpButton",
  "button",
  "checkbox",
  "combobox",
  "gridcell",
  "heading",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

const LONGEST_NAME = 200;
const LONGEST_TEXT = 1000;
const NODES_A_TURN = 1000;

/** The elements of a page as lines, frames within the element that shows them. Takes a turn of the loop now and then. */
export async function linesOf(tree: FrameTree, ports: LinesPorts): Promise<TreeLine[]> {
  const lines: TreeLine[] = [];
  let seen = 0;
  let isCut = false;
  const print = async (frame: FrameTree, depth: number, frames: number): Promise<void> => {
    const nodes = new Map(frame.nodes.map((node) => [node.nodeId, node]));
    // A stack and no recursion: pages nest as deep as they like. The last one is the next.
    const open: {
      readonly id: string;
      readonly depth: number;
      readonly above: string;
      readonly isField: boolean;
    }[] = [];
    const root = frame.nodes[0];
    if (root !== undefined) open.push({ id: root.nodeId, depth, above: "", isField: false });
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (++seen % NODES_A_TURN === 0) await nextTurn();
      const node = nodes.get(next.id);
      if (node === undefined) continue;
      // Each once, however the tree is knotted.
      nodes.delete(next.id);
      if (node.role === "ListMarker") continue;
      // The inner editor of a field is the field.
      const isInner = next.isField && node.role === "generic" && !isHiddenIn(ports, frame.session, node);
      const told = isInner ? null : lineOf(node, frame.session, next.above, ports);
      if (told !== null) lines.push({ ...told, depth: next.depth, isFramed: frames > 0 });
      // What it says and what is in it stays there.
      if (isHiddenIn(ports, frame.session, node)) continue;
      const said = [node.name, node.value].filter((one) => one !== undefined);
      const inner = {
        depth: told === null ? next.depth : next.depth + 1,
        above: said.length === 0 ? next.above : said.join(" "),
        isField: FIELDS.has(node.role ?? "") || (isInner && next.isField),
      };
      const place = { session: frame.session, node: node.backendDOMNodeId ?? -1 };
      const child = node.role === "Iframe" && frames < MOST_NESTED ? ports.frameIn(place) : undefined;
      if (child !== undefined) {
        await print(child, inner.depth, frames + 1);
        // What follows would stand as if it followed what is loaded.
        if (isCut) break;
        continue;
      }
      for (const id of [...(node.childIds ?? [])].reverse()) open.push({ id, ...inner });
    }
    const left = (frame.left ?? 0) + open.length;
    if (left > 0) ports.leftOut?.(left);
    isCut ||= left > 0;
  };
  await print(tree, 0, 0);
  return compacted(lines);
}

/** Without names that a line within says again, and with a text that is all that is in an element on its own line. */
function compacted(lines: readonly TreeLine[]): TreeLine[] {
  const short: TreeLine[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const next = lines[index + 1];
    const hasInner = next !== undefined && next.depth > line.depth;
    if (!hasInner) {
      short.push(line);
      continue;
    }
    const isSaid = line.role === "row" || next.name === line.name;
    const isUnnamed = NAMED_BY_CONTENT.has(line.role) && isSaid;
    const text = isUnnamed ? line.text.replace(namedAs(line.name), "") : line.text;
    const after = lines[index + 2];
    const isAlone = next.role === "text" && (after === undefined || after.depth <= line.depth);
    if (!isAlone || line.hasValue) {
      short.push({ ...line, text });
      continue;
    }
    short.push({ ...line, text: `${text}: ${next.name.slice(0, LONGEST_TEXT)}` });
    index++;
  }
  return short;
}

/** Frames in frames that are followed. */
const MOST_NESTED = 20;

function lineOf(
  node: TreeNode,
  session: Session,
  above: string,
  ports: LinesPorts,
): Omit<TreeLine, "depth" | "isFramed"> | null {
  const { refOf, scrub = (text: string) => text } = ports;
  const { states = {} } = node;
  const isHidden = isHiddenIn(ports, session, node);
  const isField = FIELDS.has(node.role ?? "");
  // Of text that is hidden there would be no line, and nobody knew that something is there.
  const isBare = node.role === undefined || node.role === "StaticText" || PASSED.has(node.role);
  const role = isHidden && isBare ? "generic" : (node.role ?? "");
  const name = isHidden && !isField ? "" : scrub((node.name ?? "").replace(/\s+/g, " ").trim());
  if (role === "StaticText") {
    if (name === "" || above.includes(name)) return null;
    const text = `text: ${name.slice(0, LONGEST_TEXT)}`;
    return { text, ref: null, isActedOn: false, role: "text", name, hasValue: false };
  }
  const isPlain =
    !isHidden && role === "generic" && states["focusable"] !== true && states["editable"] === undefined;
  if ((node.ignored === true && !isHidden) || role === "" || PASSED.has(role) || isPlain) return null;
  const canHaveRef = node.backendDOMNodeId !== undefined && (isHidden || !UNMARKED.has(role));
  const ref = canHaveRef ? refOf({ session, node: node.backendDOMNodeId ?? -1 }) : null;
  const marks = Object.entries(states)
    .filter(([state]) => !QUIET.has(state) && (state !== "level" || role === "heading"))
    .map(([state, value]) => ` [${value === true || value === "true" ? state : `${state}=${value}`}]`);
  const said = node.value === undefined ? "" : scrub(node.value);
  const value =
    isHidden || said === "" || said === name ? "" : `: ${JSON.stringify(said.slice(0, LONGEST_NAME))}`;
  return {
    text: `${role}${namedAs(name)}${isHidden ? " [hidden]" : ""}${marks.join("")}${ref === null ? "" : ` [ref=${ref}]`}${value}`,
    ref,
    isActedOn: ACTED_ON.has(role),
    role,
    name: name.slice(0, LONGEST_NAME),
    hasValue: value !== "",
  };
}

const namedAs = (name: string): string =>
  name === "" ? "" : ` ${JSON.stringify(name.slice(0, LONGEST_NAME))}`;

function isHiddenIn({ isHidden }: LinesPorts, session: Session, { backendDOMNodeId }: TreeNode): boolean {
  return backendDOMNodeId !== undefined && isHidden?.({ session, node: backendDOMNodeId }) === true;
}

/** What says what it is for by its name, and holds something else. */
const FIELDS: ReadonlySet<string> = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

/** States that say nothing to who acts. */
const QUIET: ReadonlySet<string> = new Set(["editable", "focusable", "multiline", "invalid"]);

/** `root`: only the element of this ref and what is in it; null where it is not there. */
export function subtreeOf(lines: readonly TreeLine[], root: string): readonly TreeLine[] | null {
  const start = lines.findIndex(({ ref }) => ref === root);
  const first = lines[start];
  if (first === undefined) return null;
  const after = lines.findIndex(({ depth }, index) => index > start && depth <= first.depth);
  return lines
    .slice(start, after === -1 ? undefined : after)
    .map((line) => ({ ...line, depth: line.depth - first.depth }));
}

/** As text of at most `mostChars`; what does not fit is counted. */
export function textOfLines(
  lines: readonly TreeLine[],
  mostChars: number,
): { readonly text: string; readonly left: number } {
  const told: string[] = [];
  let length = 0;
  for (const one of lines) {
    const line = printed(one);
    if (length + line.length + 1 > mostChars) break;
    length += line.length + 1;
    told.push(line);
  }
  return { text: told.join("\n"), left: lines.length - told.length };
}

/** Characters of lines as text. */
export function charsOf(lines: readonly TreeLine[]): number {
  return lines.reduce((sum, line) => sum + printed(line).length + 1, 0);
}

const printed = ({ depth, text }: TreeLine): string => `${"  ".repeat(Math.min(depth, 40))}- ${text}`;

/** Nodes of one message: what is parsed at once stays short. */
export const NODES_A_MESSAGE = 200;

/** A node of an accessibility tree with what is read of it; the rest, three quarters of its bytes, stays in the browser. */
export interface TreeNode {
  readonly nodeId: string;
  readonly ignored?: boolean | undefined;
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  readonly states?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly childIds?: readonly string[] | undefined;
  readonly backendDOMNodeId?: number | undefined;
}

/** The properties of a node that are told. */
const STATES: ReadonlySet<string> = new Set([
  "checked",
  "disabled",
  "editable",
  "expanded",
  "focusable",
  "focused",
  "invalid",
  "level",
  "multiline",
  "pressed",
  "readonly",
  "required",
  "selected",
]);

const LONGEST_TEXT = 2000;

/**
 * The nodes of an answer of the Accessibility domain, slim, and without the boxes that a text is laid out in, which say it
 * again. What is no such answer gives none.
 */
export function slimNodes(result: unknown): TreeNode[] {
  const nodes: unknown = Object(result).nodes;
  return Array.isArray(nodes)
    ? nodes.filter((node) => Object(node).role?.value !== "InlineTextBox").map(slimNode)
    : [];
}

function slimNode(node: unknown): TreeNode {
  const { nodeId, ignored, role, name, value, properties, childIds, backendDOMNodeId } = Object(node);
  const states: Record<string, string | number | boolean> = {};
  for (const property of Array.isArray(properties) ? properties : []) {
    const state: unknown = property?.value?.value;
    const isTold = STATES.has(property?.name) && state !== false && state !== "false";
    if (isTold && (typeof state === "string" || typeof state === "number" || typeof state === "boolean")) {
      states[property.name] = typeof state === "string" ? state.slice(0, 40) : state;
    } else if (property?.name === "expanded" && state === false) states["expanded"] = false;
  }
  const told = { name: textOf(name), value: textOf(value) };
  return {
    nodeId: String(nodeId),
    ...(ignored === true ? { ignored: true } : {}),
    ...(role === undefined ? {} : { role: textOf(role) }),
    ...(told.name === "" ? {} : { name: told.name }),
    ...(told.value === "" ? {} : { value: told.value }),
    ...(Object.keys(states).length === 0 ? {} : { states }),
    ...(Array.isArray(childIds) && childIds.length > 0 && role?.value !== "StaticText"
      ? { childIds: childIds.map(String) }
      : {}),
    ...(typeof backendDOMNodeId === "number" ? { backendDOMNodeId } : {}),
  };
}

function textOf(field: unknown): string {
  const text: unknown = Object(field).value;
  return text === undefined || text === null ? "" : String(text).slice(0, LONGEST_TEXT);
}

import { TOOLSETS } from "../../auth/principal.ts";

/** What a tool does to the world; also the name of its toolset in `?toolsets=`. */
export const EFFECTS = ["read", "overlay", "input", "admin"] as const;
export type ToolEffect = (typeof EFFECTS)[number];

export type Toolset = (typeof TOOLSETS)[number];

/** Looking, acting and pointing things out on one desktop or several, in few words for a model to read. */
const CORE: ReadonlySet<string> = new Set([
  "take_screenshot",
  "zoom",
  "click_at",
  "type_text",
  "press_keys",
  "scroll",
  "move_mouse",
  "drag",
  "paste_text",
  "wait_for",
  "batch_actions",
  "draw_overlay",
  "clear_overlays",
  "get_clipboard",
  "request_human",
  "list_connections",
]);

export type Toolsets =
  | { readonly toolsets: readonly Toolset[] | null; readonly fault: null }
  | { readonly toolsets: null; readonly fault: string };

/** The names in `text`, separated by commas; null for none, which means every tool. */
export function readToolsets(text: string | null): Toolsets {
  if (text === null || text.trim() === "") return { toolsets: null, fault: null };
  const toolsets: Toolset[] = [];
  for (const name of text.split(",")) {
    const toolset = TOOLSETS.find((known) => known === name.trim());
    if (toolset === undefined) {
      const got = JSON.stringify(name.slice(0, 40));
      return { toolsets: null, fault: `got toolset ${got}, expected ${TOOLSETS.join(", ")}` };
    }
    toolsets.push(toolset);
  }
  return { toolsets, fault: null };
}

/** The names of `?toolsets=` in a request's URL. */
export function toolsetsOfUrl(url: string | undefined): Toolsets {
  return readToolsets(new URLSearchParams((url ?? "").split("?", 2)[1] ?? "").get("toolsets"));
}

/** The tools that are in one of the sets; null or no set leaves them all. */
export function selectTools<Tool extends { readonly name: string; readonly effect: ToolEffect }>(
  all: readonly Tool[],
  toolsets: readonly string[] | null,
): readonly Tool[] {
  if (toolsets === null || toolsets.length === 0) return all;
  return all.filter(
    ({ name, effect }) => toolsets.includes(effect) || (toolsets.includes("core") && CORE.has(name)),
  );
}

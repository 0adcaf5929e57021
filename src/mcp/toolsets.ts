import { EFFECTS, type Tool, type ToolEffect } from "./tool.ts";

export type Toolsets =
  | { readonly tools: readonly Tool[]; readonly fault: null }
  | { readonly tools: null; readonly fault: string };

/** The tools that `?toolsets=read,overlay` leaves; without the parameter all of them. */
export function selectTools(all: readonly Tool[], url: string | undefined): Toolsets {
  const query = (url ?? "").split("?", 2)[1] ?? "";
  const named = new URLSearchParams(query).get("toolsets");
  if (named === null || named === "") return { tools: all, fault: null };
  const wanted = new Set<ToolEffect>();
  for (const name of named.split(",")) {
    const effect = EFFECTS.find((known) => known === name.trim());
    if (effect === undefined) {
      const got = JSON.stringify(name.slice(0, 40));
      return { tools: null, fault: `Bad Request: got toolset ${got}, expected ${EFFECTS.join(", ")}` };
    }
    wanted.add(effect);
  }
  return { tools: all.filter(({ effect }) => wanted.has(effect)), fault: null };
}

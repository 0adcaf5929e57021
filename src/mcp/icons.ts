import type { ToolEffect } from "./tool.ts";

/** Outlines on a grid of 24, drawn for this server. */
const PATHS: Readonly<Record<ToolEffect, string>> = {
  // An eye, a frame with a pen, a pointer, a cog of three sliders.
  read: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  overlay: "M4 4h16v9M4 4v16h8M13 20l1-4 6-6 3 3-6 6-4 1z",
  input: "M5 3l14 8-6 2-3 7z",
  admin: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4M4 12h16",
};

/** Icons of a tool, by what it does to the world: an SVG within the list, so that no client fetches anything. */
export function iconsOf(effect: ToolEffect): { src: string; mimeType: string; sizes: string[] }[] {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#64748b" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${PATHS[effect]}"/></svg>`;
  const src = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  return [{ src, mimeType: "image/svg+xml", sizes: ["any"] }];
}

import type { ToolEffect } from "../tool/toolsets.ts";

/** What has an icon: tools by their effect, and everything else that is listed. */
export type IconName = ToolEffect | "screen" | "screenshot" | "recording" | "settings" | "prompt";

/** Outlines on a grid of 24, drawn for this server. Commas stay as they are in an address, blanks take three letters. */
const PATHS: Readonly<Record<IconName, string>> = {
  // An eye, a frame with a pen, a pointer, a cog of three sliders.
  read: "M2,12s4-7,10-7,10,7,10,7-4,7-10,7S2,12,2,12zM12,9a3,3,0,1,1,0,6,3,3,0,0,1,0-6z",
  overlay: "M4,4h16v9M4,4v16h8M13,20l1-4,6-6,3,3-6,6-4,1z",
  input: "M5,3l14,8-6,2-3,7z",
  admin: "M4,7h10M18,7h2M4,17h2M10,17h10M16,5v4M8,15v4M4,12h16",
  // A monitor, a picture with a hill, a ring with a dot, a wheel, a speech bubble.
  screen: "M3,4h18v12H3zM8,20h8M12,16v4",
  screenshot: "M3,5h18v14H3zM3,16l5-5,4,4,3-3,6,5",
  recording: "M12,4a8,8,0,1,1,0,16,8,8,0,0,1,0-16zM12,10a2,2,0,1,1,0,4,2,2,0,0,1,0-4z",
  settings: "M12,8a4,4,0,1,1,0,8,4,4,0,0,1,0-8zM12,3v3M12,18v3M3,12h3M18,12h3",
  prompt: "M4,5h16v11H10l-4,4v-4H4z",
};

/**
 * An SVG within the list, so that no client fetches anything; not as base64, which is longer. The type stands in the
 * URL alone: each byte is there once a tool.
 */
export function iconsOf(name: IconName): { src: string }[] {
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0,0,24,24'><path fill='none' stroke='gray' d='${PATHS[name]}'/></svg>`;
  return [{ src: `data:image/svg+xml,${encodeURI(svg)}` }];
}

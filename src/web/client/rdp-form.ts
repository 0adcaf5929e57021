import { placesIn } from "../../framebuffer/places.ts";
import type { ConnectionBody } from "../api.ts";
import type { FilledForm } from "./connection-form.ts";

type Wishes = NonNullable<ConnectionBody["rdp"]>;

/** Keyboards that texts can be typed on key by key, by Windows' number, in the words of the form. */
export const KEYBOARDS = {
  "1033": "English (United States)",
  "2057": "English (United Kingdom)",
  "1031": "German",
  "1036": "French",
} as const;

/** How a host may draw, in the words of the form; "" is our own choice. */
export const GRAPHICS = {
  "": "Exact pixels",
  pipeline: "The graphics pipeline, which newer GNOME insists on and which may lose detail",
} as const;

const SIZE = /^(\d{1,4})x(\d{1,4})$/;

/** "1280x800", or several screens as "1280x800+0+0, 1024x768+1280+0"; null for anything else. Empty asks for nothing. */
export function screensIn(text: string): Pick<Wishes, "width" | "height" | "monitors"> | null {
  if (text.trim() === "") return {};
  const [, width, height] = SIZE.exec(text.trim()) ?? [];
  if (width !== undefined && height !== undefined) return { width: Number(width), height: Number(height) };
  const monitors = placesIn(text);
  return monitors === null ? null : { monitors };
}

/** What the fields for an RDP host ask of it; nothing where all were left alone. */
export function rdpFromForm(form: FilledForm): Pick<ConnectionBody, "rdp"> {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value : "";
  };
  const keyboard = text("rdp_keyboard");
  const rdp: Wishes = {
    ...(screensIn(text("rdp_screens")) ?? {}),
    ...(keyboard === "" || !Object.hasOwn(KEYBOARDS, keyboard) ? {} : { keyboard_layout: Number(keyboard) }),
    ...(text("rdp_graphics") === "pipeline" ? { graphics: "pipeline" } : {}),
    ...(text("rdp_nla") === "on" ? { require_nla: true } : {}),
  };
  return Object.keys(rdp).length === 0 ? {} : { rdp };
}

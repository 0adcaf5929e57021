import { placesIn } from "../../../framebuffer/places.ts";
import type { ConnectionBody } from "../../api/api.ts";
import type { FilledForm } from "./connection-form.ts";

type Wishes = NonNullable<ConnectionBody["rdp"]>;

/**
 * Keyboards that texts can be typed on key by key, by Windows' number, in the words of the form. The first is what hosts
 * are asked for unless a person chooses another: an object would put the lowest number first.
 */
export const KEYBOARDS = [
  [1033, "English (United States)"],
  [2057, "English (United Kingdom)"],
  [1031, "German"],
  [1036, "French"],
] as const;

/** How a host may draw, in the words of the form; "" is our own choice. */
export const GRAPHICS = {
  "": "Exact pixels",
  pipeline: "The graphics pipeline, which newer GNOME insists on and which may lose detail",
} as const;

const SIZE = /^(\d{1,4})x(\d{1,4})$/;
/** Of a screen that hosts are asked for. */
const LEAST_SIDE = 200;
const MOST_SIDE = 8192;

const isSide = (side: number): boolean => side >= LEAST_SIDE && side <= MOST_SIDE;

/** "1280x800", or several screens as "1280x800+0+0, 1024x768+1280+0"; null for anything else. Empty asks for nothing. */
export function screensIn(text: string): Pick<Wishes, "width" | "height" | "monitors"> | null {
  if (text.trim() === "") return {};
  const [, width, height] = SIZE.exec(text.trim()) ?? [];
  if (width !== undefined && height !== undefined) {
    const size = { width: Number(width), height: Number(height) };
    return isSide(size.width) && isSide(size.height) ? size : null;
  }
  const monitors = placesIn(text);
  const isSound = monitors?.every((screen) => isSide(screen.width) && isSide(screen.height));
  return monitors !== null && isSound ? { monitors } : null;
}

/** What the fields for an RDP host ask of it; nothing where all were left alone. */
export function rdpFromForm(form: FilledForm): Pick<ConnectionBody, "rdp"> {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value : "";
  };
  const keyboard = KEYBOARDS.find(([number]) => String(number) === text("rdp_keyboard"))?.[0];
  const rdp: Wishes = {
    ...(screensIn(text("rdp_screens")) ?? {}),
    ...(keyboard === undefined ? {} : { keyboard_layout: keyboard }),
    ...(text("rdp_graphics") === "pipeline" ? { graphics: "pipeline" } : {}),
    ...(text("rdp_nla") === "on" ? { require_nla: true } : {}),
  };
  return Object.keys(rdp).length === 0 ? {} : { rdp };
}

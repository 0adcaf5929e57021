import { placesIn } from "../../../framebuffer/places.ts";
import type { ConnectionBody, ConnectionInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { type FilledForm, field } from "./filled-form.ts";

type Wishes = NonNullable<ConnectionBody["rdp"]>;

/**
 * Keyboards that texts can be typed on key by key, by Windows' number, in the words of the form. The first is what hosts
 * are asked for unless a person chooses another: an object would put the lowest number first.
 */
export const KEYBOARDS = [
  [1033, t`English (United States)`],
  [2057, t`English (United Kingdom)`],
  [1031, t`German`],
  [1036, t`French`],
] as const;

/** As the form offers them; "" is not to ask for any, which is the first of them. */
export const KEYBOARD_OPTIONS: readonly (readonly [string, string])[] = [
  ["", t`As usual: ${KEYBOARDS[0][1]}`],
  ...KEYBOARDS.map(([number, words]) => [String(number), words] as const),
];

/** How a host may draw, in the words of the form; "" is our own choice. */
export const GRAPHICS = {
  "": t`Exact pixels`,
  pipeline: t`The graphics pipeline, which newer GNOME insists on and which may lose detail`,
} as const;

/** A side that is left out is the host's usual one. */
const SIZE = /^(?=.*\d)(\d{1,4})?x(\d{1,4})?$/;
/** Of a screen that hosts are asked for. */
const LEAST_SIDE = 200;
const MOST_SIDE = 8192;

const isSide = (side: number): boolean => side >= LEAST_SIDE && side <= MOST_SIDE;

/** "1280x800", one of its sides as "1280x" or "x800", or several screens as "1280x800+0+0, 1024x768+1280+0"; null for anything else. Empty asks for nothing. */
export function screensIn(text: string): Pick<Wishes, "width" | "height" | "monitors"> | null {
  if (text.trim() === "") return {};
  const sides = SIZE.exec(text.trim());
  if (sides !== null) {
    const [, width, height] = sides;
    const size = {
      ...(width === undefined ? {} : { width: Number(width) }),
      ...(height === undefined ? {} : { height: Number(height) }),
    };
    return Object.values(size).every(isSide) ? size : null;
  }
  const monitors = placesIn(text);
  const isSound = monitors?.every((screen) => isSide(screen.width) && isSide(screen.height));
  return monitors !== null && isSound ? { monitors } : null;
}

/** Whether people send files to a host and take files from it, in the words of the form. */
export const FILES = [
  ["off", t`Stay where they are`],
  ["on", t`People send and take them`],
] as const;

/** What the fields for an RDP host ask of it; nothing where all were left alone. */
export function rdpFromForm(form: FilledForm): Pick<ConnectionBody, "rdp" | "files"> {
  const text = (name: string): string => field(form, name);
  const rdp: Wishes = { ...screensIn(text("rdp_screens")) };
  if (/^\d{1,10}$/.test(text("rdp_keyboard"))) rdp.keyboard_layout = Number(text("rdp_keyboard"));
  const graphics = (["bitmaps", "pipeline"] as const).find((name) => name === text("rdp_graphics"));
  if (graphics !== undefined) rdp.graphics = graphics;
  if (text("rdp_nla") === "on" || text("rdp_nla") === "off") rdp.require_nla = text("rdp_nla") === "on";
  const depth = ([32, 24, 16, 15, 8] as const).find((bits) => String(bits) === text("rdp_depth"));
  if (depth !== undefined) rdp.depth = depth;
  const [files] = FILES.find(([word]) => word === text("files")) ?? [];
  return {
    ...(files === undefined ? {} : { files }),
    ...(Object.keys(rdp).length === 0 ? {} : { rdp }),
  };
}

/** The fields as they stand for what is asked of a host already. */
export function rdpValues(rdp: ConnectionInfo["connection"]["rdp"] = {}): Readonly<Record<string, string>> {
  const { width, height, monitors = [], require_nla, graphics = "", depth = "", keyboard_layout = "" } = rdp;
  const size = width === undefined && height === undefined ? "" : `${width ?? ""}x${height ?? ""}`;
  const places = monitors.map((screen) => `${screen.width}x${screen.height}+${screen.x}+${screen.y}`);
  return {
    rdp_screens: places.length === 0 ? size : places.join(", "),
    rdp_keyboard: String(keyboard_layout),
    rdp_graphics: graphics,
    rdp_nla: require_nla === undefined ? "" : require_nla ? "on" : "off",
    rdp_depth: String(depth),
  };
}

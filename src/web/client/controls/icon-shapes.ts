import arrowDown from "lucide-static/icons/arrow-down.svg?raw";
import arrowLeft from "lucide-static/icons/arrow-left.svg?raw";
import arrowUp from "lucide-static/icons/arrow-up.svg?raw";
import bookmark from "lucide-static/icons/bookmark.svg?raw";
import check from "lucide-static/icons/check.svg?raw";
import chevronsRight from "lucide-static/icons/chevrons-right.svg?raw";
import circle from "lucide-static/icons/circle-dot.svg?raw";
import clipboard from "lucide-static/icons/clipboard.svg?raw";
import copy from "lucide-static/icons/copy.svg?raw";
import download from "lucide-static/icons/download.svg?raw";
import ellipsis from "lucide-static/icons/ellipsis.svg?raw";
import eye from "lucide-static/icons/eye.svg?raw";
import eyeOff from "lucide-static/icons/eye-off.svg?raw";
import film from "lucide-static/icons/film.svg?raw";
import folder from "lucide-static/icons/folder.svg?raw";
import hand from "lucide-static/icons/hand.svg?raw";
import info from "lucide-static/icons/info.svg?raw";
import keyboard from "lucide-static/icons/keyboard.svg?raw";
import layers from "lucide-static/icons/layers.svg?raw";
import link from "lucide-static/icons/link.svg?raw";
import logOut from "lucide-static/icons/log-out.svg?raw";
import maximize from "lucide-static/icons/maximize.svg?raw";
import monitor from "lucide-static/icons/monitor.svg?raw";
import monitorOff from "lucide-static/icons/monitor-off.svg?raw";
import moon from "lucide-static/icons/moon.svg?raw";
import mousePointerClick from "lucide-static/icons/mouse-pointer-click.svg?raw";
import panelRight from "lucide-static/icons/panel-right.svg?raw";
import pause from "lucide-static/icons/pause.svg?raw";
import pencil from "lucide-static/icons/pencil.svg?raw";
import play from "lucide-static/icons/play.svg?raw";
import plus from "lucide-static/icons/plus.svg?raw";
import scaling from "lucide-static/icons/ratio.svg?raw";
import refresh from "lucide-static/icons/refresh-cw.svg?raw";
import search from "lucide-static/icons/search.svg?raw";
import shieldCheck from "lucide-static/icons/shield-check.svg?raw";
import skipBack from "lucide-static/icons/skip-back.svg?raw";
import skipOn from "lucide-static/icons/skip-forward.svg?raw";
import square from "lucide-static/icons/square.svg?raw";
import frameBack from "lucide-static/icons/step-back.svg?raw";
import frameOn from "lucide-static/icons/step-forward.svg?raw";
import sun from "lucide-static/icons/sun.svg?raw";
import sunMoon from "lucide-static/icons/sun-moon.svg?raw";
import trash from "lucide-static/icons/trash-2.svg?raw";
import warning from "lucide-static/icons/triangle-alert.svg?raw";
import userPlus from "lucide-static/icons/user-plus.svg?raw";
import volume from "lucide-static/icons/volume-2.svg?raw";
import cross from "lucide-static/icons/x.svg?raw";

/** The product's icons, from lucide (ISC): the build makes one path of each. */
const ICON_SHAPES = {
  arrowDown,
  arrowLeft,
  arrowUp,
  bookmark,
  check,
  chevronsRight,
  circle,
  clipboard,
  copy,
  cross,
  download,
  ellipsis,
  eye,
  eyeOff,
  film,
  folder,
  frameBack,
  frameOn,
  hand,
  info,
  keyboard,
  layers,
  link,
  logOut,
  maximize,
  monitor,
  monitorOff,
  moon,
  mousePointerClick,
  panelRight,
  pause,
  play,
  plus,
  refresh,
  scaling,
  search,
  shieldCheck,
  skipBack,
  skipOn,
  square,
  sun,
  sunMoon,
  pencil,
  trash,
  userPlus,
  volume,
  warning,
} as const;

export type IconShape = keyof typeof ICON_SHAPES;

/** What all of lucide's icons have in common. */
const FRAME =
  '<svg xmlns="http://www.w3.org/2000/svg" class="icon" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">';

const drawn = new Map<IconShape, Element>();

/** A new SVG element of the icon, hidden from screen readers: the control that holds it has the name. */
export function drawIcon(shape: IconShape): Element {
  let master = drawn.get(shape);
  if (!master) {
    const source = `${FRAME}<path d="${ICON_SHAPES[shape]}"/></svg>`;
    master = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
    drawn.set(shape, master);
  }
  return document.importNode(master, true);
}

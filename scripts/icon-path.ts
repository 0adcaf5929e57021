/** Icons of lucide as one path each: their circles, lines and rectangles in its words. */
import type { Plugin } from "vite";

const NUMBER = String.raw`(-?(?:\d+\.?\d*|\.\d+))`;
/** How a path may begin: the first pair is a place of the picture whether the letter is m or M. */
const BEGINNING = new RegExp(String.raw`^[mM]\s*${NUMBER}[\s,]*${NUMBER}[\s,]*`);

/** `d` of a path that draws what an icon's elements do. Throws where it has one that is not known here. */
export function iconPath(svg: string): string {
  const shapes = svg.replace(/^.*?<svg[^>]*>|<\/svg>.*$|<!--.*?-->/gs, "");
  const drawn = Array.from(shapes.matchAll(/<(\w+)([^>]*?)\/?>/g), ([, name = "", said = ""]) => {
    const attributes = new Map(
      Array.from(said.matchAll(/([\w-]+)="([^"]*)"/g), ([, key, value]) => [key, value]),
    );
    return shapeOf(name, (key) => attributes.get(key) ?? "0");
  });
  if (drawn.length === 0) throw new Error(`got an icon without a shape: ${svg}`);
  return drawn.join("");
}

function shapeOf(name: string, said: (key: string) => string): string {
  const [x, y] = [Number(said("x")), Number(said("y"))];
  switch (name) {
    case "path":
      // After others a small m would begin where those ended, and what follows a big one without a letter be a place.
      return said("d").replace(BEGINNING, (begun, x, y, _at, whole: string) => {
        const hasLetter = !/^[-.\d]/.test(whole.slice(begun.length));
        return `M${x} ${y}${hasLetter ? "" : begun.startsWith("m") ? "l" : "L"}`;
      });
    case "line":
      return `M${said("x1")} ${said("y1")}L${said("x2")} ${said("y2")}`;
    case "circle": {
      const r = Number(said("r"));
      const half = (by: number): string => `a${r} ${r} 0 1 0 ${by} 0`;
      return `M${Number(said("cx")) - r} ${said("cy")}${half(2 * r)}${half(-2 * r)}z`;
    }
    case "rect": {
      const r = Number(said("rx"));
      const [width, height] = [Number(said("width")) - 2 * r, Number(said("height")) - 2 * r];
      const corner = (dx: number, dy: number): string => (r === 0 ? "" : `a${r} ${r} 0 0 1 ${dx} ${dy}`);
      const top = `M${x + r} ${y}h${width}${corner(r, r)}v${height}${corner(-r, r)}`;
      return `${top}h${-width}${corner(-r, -r)}v${-height}${corner(r, -r)}z`;
    }
    default:
      throw new Error(`got an icon with <${name}>, expected path, line, circle or rect`);
  }
}

/** Icons travel as one path's `d`: what all have in common is said once in the app. */
export function slimIcons(): Plugin {
  return {
    name: "slim-icons",
    enforce: "pre",
    transform: {
      filter: { id: /lucide-static.*\.svg\?raw$/ },
      handler: (code) => ({
        code: `export default ${JSON.stringify(iconPath(JSON.parse(code.replace(/^export default /, "").replace(/;?\s*$/, ""))))}`,
        map: null,
      }),
    },
  };
}

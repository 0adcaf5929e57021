import type { Point, Rect, Size } from "../framebuffer/rect.ts";
import type { Action } from "./action.ts";

/** An action in words for people, without the text it types. */
export function summaryOf(action: Action): string {
  switch (action.kind) {
    case "pointer":
      return action.buttons === 0 ? `Move to ${action.x},${action.y}` : `Press at ${action.x},${action.y}`;
    case "key":
      return action.isDown ? "Press a key" : "Release a key";
    case "click": {
      const times = ["", "Click", "Double-click", "Triple-click"][action.clicks] ?? "Click";
      const held = action.holdKeysyms.length > 0 ? " with keys held" : "";
      const where =
        action.x === null || action.y === null ? "where the pointer is" : `at ${action.x},${action.y}`;
      return `${times} ${action.button} ${where}${held}`;
    }
    case "type":
      return `${action.clearExisting ? "Replace the field with" : "Type"} ${countOf(action.text)}`;
    case "read_clipboard":
      return "Read the clipboard";
    case "write_clipboard":
      return `Set the clipboard to ${countOf(action.text)}`;
    case "resize":
      return `Resize the desktop to ${action.width}x${action.height}`;
  }
}

function countOf(text: string): string {
  const count = Array.from(text).length;
  return count === 1 ? "1 character" : `${count} characters`;
}

/** Where an action happens, null where it has no place. */
export function pointOf(action: Action, pointer: Point): Point | null {
  if (action.kind === "pointer") return { x: action.x, y: action.y };
  if (action.kind === "click") return { x: action.x ?? pointer.x, y: action.y ?? pointer.y };
  return null;
}

const CROP: Size = Object.freeze({ width: 320, height: 180 });

/** What an approval card shows of the desktop: 320x180 pixels around the point, moved to lie within. */
export function cropAround(point: Point, desktop: Size): Rect {
  const width = Math.min(CROP.width, desktop.width);
  const height = Math.min(CROP.height, desktop.height);
  return {
    x: Math.max(0, Math.min(point.x - (width >> 1), desktop.width - width)),
    y: Math.max(0, Math.min(point.y - (height >> 1), desktop.height - height)),
    width,
    height,
  };
}

import { defineMouseButton } from "../tool/mouse-button.ts";

export const mouseUp = defineMouseButton({
  name: "mouse_up",
  title: "Let go of mouse button",
  description:
    "Lets go of a mouse button, at a point or where the pointer is. `success: false` where it was not down.",
  isDown: false,
  tell: (button, where, wasNeeded) =>
    wasNeeded
      ? `Let go of ${button} at ${where}.`
      : `${button} was not down: only the pointer moved, to ${where}.`,
});

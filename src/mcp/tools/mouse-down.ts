import { defineMouseButton } from "../tool/mouse-button.ts";

export const mouseDown = defineMouseButton({
  name: "mouse_down",
  title: "Press mouse button",
  description:
    "Presses a mouse button and keeps it down until mouse_up, for a minute at most. move_mouse then drags.",
  isDown: true,
  tell: (button, where) => `Pressed ${button} at ${where}.`,
});

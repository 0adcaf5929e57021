import { drawIcon, type IconShape } from "./icon-shapes.ts";

/** An icon beside or inside something that has a name. */
export function Icon({ shape }: { readonly shape: IconShape }) {
  return <span key={shape} class="icon-box" ref={(box) => box?.replaceChildren(drawIcon(shape))} />;
}

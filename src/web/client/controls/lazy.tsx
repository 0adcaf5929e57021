import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../language/language.ts";
import { showError } from "../shell/notices.ts";

type Draw<Props> = (props: Props) => VNode | null;

/** A component whose code is loaded when it is first drawn; nothing stands in its place until then. */
export function lazy<Props extends object>(load: () => Promise<Draw<Props>>): Draw<Props> {
  let loaded: Draw<Props> | null = null;
  return function Later(props: Props) {
    const drawn = useSignal(loaded);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (draw) => {
          loaded = draw;
          drawn.value = draw;
        },
        (error: unknown) => showError(t`A part of the page could not be loaded`, error),
      );
    }, [drawn]);
    const Drawn = drawn.value;
    return Drawn && <Drawn {...props} />;
  };
}

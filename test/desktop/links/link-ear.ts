import type { LinkError } from "../../../src/desktop/error.ts";
import type { LinkEvents } from "../../../src/desktop/link.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import type { Region } from "../../../src/framebuffer/region.ts";
import type { Screen } from "../../../src/framebuffer/screen.ts";

type Said =
  | { readonly type: "ready"; readonly name: string }
  | { readonly type: "update"; readonly painted: Region }
  | { readonly type: "resize"; readonly screens: readonly Screen[] }
  | { readonly type: "clipboard"; readonly text: string | null }
  | { readonly type: "closed"; readonly error: LinkError }
  | { readonly type: "cursor" | "name" | "bell" | "stalled" | "step" };

type SaidOf<Type extends Said["type"]> = Extract<Said, { readonly type: Type }>;

/** Hears what a link says; `next` waits for what has not been waited for. */
export class LinkEar {
  readonly said: Said[] = [];
  /** Where the pointer may be drawn in, as last said. */
  drawnPointer: Rect | null = null;
  readonly #left: Said[] = [];
  #onSaid: () => void = () => {};

  readonly events: LinkEvents = {
    ready: ({ name }) => this.#hear({ type: "ready", name }),
    update: ({ painted }) => {
      this.#hear({ type: "update", painted });
    },
    resize: (screens) => this.#hear({ type: "resize", screens }),
    cursor: () => this.#hear({ type: "cursor" }),
    drawnPointer: (area) => {
      this.drawnPointer = area;
    },
    clipboard: (text) => this.#hear({ type: "clipboard", text }),
    name: () => this.#hear({ type: "name" }),
    bell: () => this.#hear({ type: "bell" }),
    stalled: () => this.#hear({ type: "stalled" }),
    step: () => this.#hear({ type: "step" }),
    closed: (error) => this.#hear({ type: "closed", error }),
  };

  /** Resolves with the next thing of a type; rejects where the link ended instead. */
  next<Type extends Said["type"]>(type: Type): Promise<SaidOf<Type>> {
    const isWanted = (said: Said): said is SaidOf<Type> => said.type === type;
    return new Promise((resolve, reject) => {
      this.#onSaid = () => {
        const found = this.#left.find(isWanted);
        const end = this.#left.find((said) => said.type === "closed");
        if (found !== undefined) {
          this.#left.splice(this.#left.indexOf(found), 1);
          resolve(found);
        } else if (end !== undefined) reject(end.error);
      };
      this.#onSaid();
    });
  }

  #hear(said: Said): void {
    this.said.push(said);
    this.#left.push(said);
    this.#onSaid();
  }
}

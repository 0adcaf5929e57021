import type { Audience } from "../view.ts";
import { EVERYWHERE, type MaskSpec } from "./mask.ts";
import type { PrivateKind } from "./private-kinds.ts";
import type { TextTerms } from "./text-reader.ts";

/** What the schema of the fields gives. */
interface MaskSaid {
  readonly rect?: MaskSpec["rect"];
  readonly text?: {
    readonly kinds: readonly PrivateKind[];
    readonly pattern?: string;
    readonly secrets?: readonly string[];
  };
  readonly element?: string;
  readonly monitor?: number;
  readonly audiences: readonly Audience[];
  readonly label?: string;
}

/** What was said as the desktop takes it. */
export function maskOf({ rect, text, element, monitor, audiences, label }: MaskSaid): Omit<MaskSpec, "mark"> {
  return {
    rect: rect ?? EVERYWHERE,
    ...{ audiences, monitor: monitor ?? null, label: label ?? null },
    ...(text === undefined ? {} : { text: { ...text, pattern: text.pattern ?? null } }),
    ...(element === undefined ? {} : { element }),
  };
}

/** The same in the words of the wire. */
export function saidOf({ rect, text, element, monitor, audiences, label }: Omit<MaskSpec, "mark">) {
  return {
    ...(element === undefined ? { rect } : { element }),
    audiences,
    ...(monitor === null ? {} : { monitor }),
    ...(label === null ? {} : { label }),
    ...(text === undefined ? {} : { text: wireText(text) }),
  };
}

/** What text a mask looks for, in the words of the wire. */
export function wireText({ kinds, pattern, secrets }: TextTerms): {
  kinds: PrivateKind[];
  pattern?: string;
  secrets?: string[];
} {
  return {
    kinds: [...kinds],
    ...(pattern === null ? {} : { pattern }),
    ...(secrets === undefined ? {} : { secrets: [...secrets] }),
  };
}

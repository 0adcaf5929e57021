import type { Action } from "../control/action.ts";
import { RefusedError } from "../error.ts";

/** A stored secret that a text names: `{{secret:NAME}}` its value, `{{totp:NAME}}` its one-time code. */
export interface SecretUse {
  readonly kind: "secret" | "totp";
  readonly name: string;
  /** As it stands in the text. */
  readonly placeholder: string;
}

/** What is typed for a part of a text; `placeholder`: what stands for it everywhere else, null where it is itself. */
export type TypedPart =
  | { readonly text: string; readonly placeholder: null }
  /** Code points, and never a string, which could not be wiped. */
  | { readonly letters: Uint32Array; readonly placeholder: string };

/** More in one text than anybody needs: each may be long. */
const MOST_USES = 16;
const NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
/** Braces twice before a placeholder stand for themselves: `{{{{secret:` is typed as `{{secret:`. */
const OPENING = /(\{\{)?\{\{(?:secret|totp):/g;
const PLACEHOLDER = new RegExp(`\\{\\{(secret|totp):(${NAME})\\}\\}`, "y");
/** What a secret may be called. */
export const SECRET_NAME: RegExp = new RegExp(`^${NAME}$`);

/**
 * The literal parts of a text and the secrets it names, in order. Other braces, as in templates, are themselves. Throws
 * RefusedError invalid_parameters for a placeholder that is not well-formed, or too many.
 */
export function partsOf(text: string): readonly (string | SecretUse)[] {
  const parts: (string | SecretUse)[] = [];
  let uses = 0;
  let from = 0;
  for (const { 0: opening, 1: doubled, index } of text.matchAll(OPENING)) {
    if (doubled !== undefined) {
      parts.push(text.slice(from, index), opening.slice(doubled.length));
      from = index + opening.length;
      continue;
    }
    PLACEHOLDER.lastIndex = index;
    const [placeholder, kind, name] = PLACEHOLDER.exec(text) ?? [];
    if (placeholder === undefined || (kind !== "secret" && kind !== "totp") || name === undefined) {
      throw new RefusedError(
        "invalid_parameters",
        `got ${opening} without a name of 1 to 64 letters, digits, ".", "_" or "-" and }} behind it: correct it, or write {{${opening} for the braces themselves`,
      );
    }
    if (++uses > MOST_USES) {
      throw new RefusedError(
        "invalid_parameters",
        `got a text with more than ${MOST_USES} secrets, expected fewer: type it in parts`,
      );
    }
    parts.push(text.slice(from, index), { kind, name, placeholder });
    from = index + placeholder.length;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== "");
}

/** The secrets that a text names; none where it is not well-formed, for then nothing of it is typed. */
export function secretsIn(text: string): readonly SecretUse[] {
  try {
    return partsOf(text).filter((part) => typeof part !== "string");
  } catch (error) {
    if (error instanceof RefusedError) return [];
    throw error;
  }
}

/**
 * A text without secrets as it is meant, for the clipboard, whose content anybody there may read. Throws RefusedError
 * invalid_parameters for one that names a secret.
 */
export function plainText(text: string): string {
  return partsOf(text)
    .map((part) => {
      if (typeof part === "string") return part;
      throw new RefusedError(
        "invalid_parameters",
        `got ${part.placeholder} in a text for the clipboard, where every program could read it: use type_text for secrets, or write {{${part.placeholder} for that text itself`,
      );
    })
    .join("");
}

/** As an agent's text for the clipboard is meant. */
export function withPlainClipboard(action: Action): Action {
  if (action.kind !== "write_clipboard" && action.kind !== "paste") return action;
  return { ...action, text: plainText(action.text) };
}

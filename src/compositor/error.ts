export type CompositorErrorCode =
  | "bad_colour"
  | "bad_overlay"
  | "unknown_kind"
  | "too_many"
  | "stopped"
  | "closed";

/** An overlay that cannot be drawn as asked; nothing was drawn. The message says what was expected. */
export class CompositorError extends Error {
  override readonly name = "CompositorError";
  readonly code: CompositorErrorCode;

  constructor(code: CompositorErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A caller's word as it may stand in a message: quoted, without control characters, at most 40 characters. */
export function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");
  return JSON.stringify(plain.length > 40 ? `${plain.slice(0, 40)}…` : plain);
}

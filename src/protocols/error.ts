/** The peer broke the protocol, refused us, or asks for what is not allowed: the connection ends. */
export abstract class ProtocolError<Code extends string, Phase extends string> extends Error {
  readonly code: Code;
  readonly phase: Phase;
  /** Bytes read from the peer when it was found, where known. */
  offset: number | null = null;

  /** `message`: what was got and what was expected, lower case, no dot, never a secret. */
  constructor(code: Code, phase: Phase, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.phase = phase;
  }
}

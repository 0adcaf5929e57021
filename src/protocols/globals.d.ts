// The few globals that every JavaScript host has and that GROUND may use beside the language itself.
// Node's and the DOM's own declarations, where they are present, say the same.
interface TextDecoder {
  decode(input?: Uint8Array): string;
}
declare var TextDecoder: { new (label?: string, options?: { fatal?: boolean }): TextDecoder };
interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare var TextEncoder: { new (): TextEncoder };

/** The part that is used of the package's decoder, which comes without types. */
declare module "@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs" {
  export class JPEGDecoder {
    /** Memory for `length` bytes of a JPEG file; older views of it are void. */
    getEncodedBuffer(length: number): Uint8Array;
    /** Throws a number (the address of a C++ exception) where the file cannot be decoded. */
    decode(): void;
    getFrameInfo(): { readonly width: number; readonly height: number; readonly componentCount: number };
    /** RGB, 3 bytes a pixel, rows without a gap; grey images as well. */
    getDecodedBuffer(): Uint8Array;
  }
  /** What the factory fills; `instantiateWasm` may do its part at once, then the class is there on return. */
  export interface DecoderModule {
    JPEGDecoder?: typeof JPEGDecoder;
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance) => void,
    ): WebAssembly.Exports;
  }
  export default function createModule(module: DecoderModule): Promise<DecoderModule>;
}

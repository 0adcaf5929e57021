import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import createModule, {
  type DecoderModule,
  type JPEGDecoder,
} from "@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs";
import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";

/** Bytes of a pixel as the decoder gives it. */
const RGB_BYTES = 3;

/** Compiled once for a thread; an instance has up to 50 MB of address space, of which it touches what it needs. */
let compiled: WebAssembly.Module | undefined;
let decoder: JPEGDecoder | undefined;

/**
 * RGBA (alpha 255) of a JPEG file of width x height pixels, written to `into`: decoded with libjpeg's accurate
 * integer DCT, exact to its rounding, in about twice the time of the fast one. Throws an Error where the file cannot
 * be decoded or has another size. The only file that knows the WebAssembly build.
 */
export function decodeAccurately(jpeg: Uint8Array, width: number, height: number, into: Uint8Array): void {
  decoder ??= createDecoder();
  let rgb: Uint8Array;
  try {
    decoder.getEncodedBuffer(jpeg.length).set(jpeg);
    decoder.decode();
    const found = decoder.getFrameInfo();
    if (found.width !== width || found.height !== height) {
      throw new Error(`jpeg decoded to ${found.width}x${found.height}, its header said ${width}x${height}`);
    }
    rgb = decoder.getDecodedBuffer();
    if (rgb.length < width * height * RGB_BYTES) {
      throw new Error(`jpeg decoded to ${rgb.length} bytes, expected ${width * height * RGB_BYTES}`);
    }
  } catch (error) {
    // What a C++ exception left on the instance's stack stays there: the next image gets a new instance.
    decoder = undefined;
    throw error instanceof Error ? error : new Error("jpeg is damaged or of a kind that is not decoded");
  }
  copyAsRgba(rgb, into, width * height);
}

function copyAsRgba(rgb: Uint8Array, into: Uint8Array, pixels: number): void {
  for (let from = 0, to = 0; to < pixels * BYTES_PER_PIXEL; from += RGB_BYTES, to += BYTES_PER_PIXEL) {
    into[to] = rgb[from] as number;
    into[to + 1] = rgb[from + 1] as number;
    into[to + 2] = rgb[from + 2] as number;
    into[to + 3] = 255;
  }
}

/** Synchronous, when the first image that needs it comes, so that nobody else pays for it at the start. */
function createDecoder(): JPEGDecoder {
  const require = createRequire(import.meta.url);
  compiled ??= new WebAssembly.Module(
    readFileSync(require.resolve("@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm")),
  );
  const code = compiled;
  const module: DecoderModule = {
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(code, imports);
      done(instance);
      return instance.exports;
    },
  };
  void createModule(module);
  if (module.JPEGDecoder === undefined) throw new Error("the JPEG decoder's WebAssembly did not start");
  return new module.JPEGDecoder();
}

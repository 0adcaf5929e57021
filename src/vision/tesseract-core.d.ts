/** The part that is used of the package's engine, which comes without types. */
declare module "tesseract.js-core/tesseract-core-simd-lstm.js" {
  /** Tesseract's C++ class of this name, as its binding has it. */
  export interface TessBaseAPI {
    /** `mode` 1: the LSTM engine alone. 0 where the models were loaded. */
    Init(dataPath: string, languages: string, mode: number): number;
    SetVariable(name: string, value: string): boolean;
    SetPageSegMode(mode: number): void;
    /** Takes the picture in the file /input; 1 where it cannot be read. `rotation`: radians. */
    SetImageFile(exif: number, rotation: number): number;
    SetSourceResolution(pixelsAnInch: number): void;
    /** 0 where it was read. */
    Recognize(progress: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
    End(): void;
  }
  export interface TesseractCore {
    readonly FS: {
      mkdir(path: string): void;
      writeFile(path: string, bytes: Uint8Array): void;
      unlink(path: string): void;
    };
    readonly TessBaseAPI: new () => TessBaseAPI;
    readonly HEAPU8: Uint8Array;
  }
  interface Settings {
    readonly wasmBinary: Uint8Array;
    print(line: string): void;
    printErr(line: string): void;
  }
  export default function createCore(settings: Settings): Promise<TesseractCore>;
}

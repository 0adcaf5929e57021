import { KERNELS_WASM } from "./kernels-wasm.ts";

/**
 * The kernels of assembly/, which describes each. Addresses are bytes in their memory, widths pixels, strides bytes.
 * Every one has a twin in TypeScript that yields the same bytes, for hosts without WebAssembly SIMD.
 */
export interface Kernels {
  publishCells(
    from: number,
    fromStride: number,
    to: number,
    toStride: number,
    left: number,
    width: number,
    height: number,
    cell: number,
    flags: number,
  ): number;
  moveCells(
    pixels: number,
    stride: number,
    fromX: number,
    fromY: number,
    toX: number,
    toY: number,
    width: number,
    height: number,
    cell: number,
    flags: number,
  ): void;
  differCells(
    a: number,
    aStride: number,
    b: number,
    bStride: number,
    left: number,
    width: number,
    height: number,
    cell: number,
    flags: number,
  ): void;
  hashRows(source: number, stride: number, width: number, rows: number, out: number): void;
  hashColumns(source: number, stride: number, width: number, rows: number, out: number): void;
  blendFill(target: number, count: number, word: number): void;
  blendWords(target: number, source: number, count: number): void;
  packRows(
    source: number,
    strideBytes: number,
    target: number,
    width: number,
    rows: number,
    filter: number,
  ): void;
  countNear(
    source: number,
    strideBytes: number,
    width: number,
    rows: number,
    step: number,
    near: number,
  ): number;
  adler32(bytes: number, length: number): number;
  deflateRows(
    rows: number,
    rowBytes: number,
    count: number,
    tables: number,
    tokens: number,
    target: number,
  ): number;
  paintHextile(
    wire: number,
    end: number,
    at: number,
    stride: number,
    width: number,
    height: number,
    state: number,
  ): number;
  sumRow(source: number, sums: number, pixels: number, weight: number, isFirst: number): void;
  meanLine(
    sums: number,
    origin: number,
    target: number,
    first: number,
    head: number,
    last: number,
    tail: number,
    from: number,
    to: number,
    whole: number,
    area: number,
  ): void;
  findExact(
    frame: number,
    stride: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    patch: number,
    width: number,
    height: number,
    ax: number,
    ay: number,
    out: number,
    most: number,
    budget: number,
  ): number;
  toGrey(
    source: number,
    stride: number,
    target: number,
    greyStride: number,
    width: number,
    rows: number,
  ): void;
  findSamples(
    grey: number,
    greyStride: number,
    columns: number,
    rows: number,
    samples: number,
    count: number,
    tolerance: number,
    misses: number,
    x0: number,
    y0: number,
    out: number,
    found: number,
    most: number,
  ): number;
  compareAt(
    place: number,
    stride: number,
    patch: number,
    width: number,
    height: number,
    tolerance: number,
    limit: number,
    sum: number,
  ): number;
}

/** Memory of a fixed size with the kernels that work in it. */
export interface KernelMemory {
  readonly kernels: Kernels;
  readonly buffer: ArrayBuffer;
}

const PAGE_BYTES = 65_536;

const NAMES = [
  "publishCells",
  "moveCells",
  "differCells",
  "hashRows",
  "hashColumns",
  "blendFill",
  "blendWords",
  "packRows",
  "countNear",
  "adler32",
  "deflateRows",
  "paintHextile",
  "sumRow",
  "meanLine",
  "findExact",
  "toGrey",
  "findSamples",
  "compareAt",
] as const satisfies readonly (keyof Kernels)[];

let compiled: WebAssembly.Module | null | undefined;

/** Zeroed memory of at least so many bytes; null where the host has no WebAssembly SIMD or no room for it. */
export function openKernelMemory(sizeBytes: number): KernelMemory | null {
  const module = kernelModule();
  if (module === null) return null;
  try {
    const pages = Math.ceil(sizeBytes / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    return isKernels(exports) ? { kernels: exports, buffer: memory.buffer } : null;
  } catch {
    // No address space or memory left: the twins work on any memory.
    return null;
  }
}

function kernelModule(): WebAssembly.Module | null {
  if (compiled !== undefined) return compiled;
  compiled = null;
  if (typeof WebAssembly === "object") {
    const bytes = decodeBase64(KERNELS_WASM.join(""));
    if (WebAssembly.validate(bytes)) compiled = new WebAssembly.Module(bytes);
  }
  return compiled;
}

function isKernels(exports: object): exports is Kernels {
  const found = new Map<string, unknown>(Object.entries(exports));
  return NAMES.every((name) => typeof found.get(name) === "function");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648 section 4; GROUND has neither Buffer nor atob. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/=+$/, "");
  const bytes = new Uint8Array(Math.floor((digits.length * 6) / 8));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = (bits >>> count) & 255;
  }
  return bytes;
}

/** Columns or rows, half-open. */
export type Span = readonly [from: number, to: number];

/** How far each pixel of a box differs from its ground. */
export class Contrast {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.values = new Float32Array(width * height);
  }

  /** The most of each column. */
  columns(): Float32Array {
    const { width, height, values } = this;
    const most = new Float32Array(width);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) if (values[y * width + x]! > most[x]!) most[x] = values[y * width + x]!;
    }
    return most;
  }

  clear(y: number, from: number, to: number): void {
    this.values.fill(0, y * this.width + from, y * this.width + to);
  }
}

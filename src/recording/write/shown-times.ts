/** So many pictures are remembered: a text is read within a minute, and ten are taken a second. */
const MOST_PICTURES = 1024;

/** When the last pictures of a recording were taken, by the generation of the desktop that each shows. */
export class ShownTimes {
  readonly #pictures: { readonly generation: number; readonly atMs: number }[] = [];

  /** Generations never fall. */
  add(generation: number, atMs: number): void {
    this.#pictures.push({ generation, atMs });
    if (this.#pictures.length > MOST_PICTURES) this.#pictures.shift();
  }

  /**
   * When the first picture was taken that is of a generation or later. Where there is none, and no other is to come
   * (`isOwed` false), nothing of it differs from the last one, which is meant then; null: it is not known yet.
   */
  since(generation: number, isOwed: boolean): number | null {
    const first = this.#pictures.find((picture) => picture.generation >= generation);
    if (first !== undefined) return first.atMs;
    return isOwed ? null : (this.#pictures.at(-1)?.atMs ?? null);
  }
}

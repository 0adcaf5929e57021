import type { OcrLine } from "../../../vision/ocr-messages.ts";
import type { OcrPool } from "../../../vision/ocr-pool.ts";

/** Of one picture: its parts and languages. */
const MOST_OF_A_PICTURE = 8;

/**
 * What was read in pictures, kept as long as the picture itself: who reads one as a resource, then by a tool, waits once.
 * INVARIANT: by the memory of the picture and not by a name, so that it is found by who has the picture alone.
 */
export class ReadPictures {
  readonly #reader: Pick<OcrPool, "read">;
  readonly #known = new WeakMap<Uint8Array, Map<string, readonly OcrLine[]>>();

  constructor(reader: Pick<OcrPool, "read">) {
    this.#reader = reader;
  }

  /** See OcrPool. */
  readonly read: OcrPool["read"] = async (request, signal) => {
    const { file, part, languages } = request;
    const key = JSON.stringify([part, languages]);
    const known = this.#known.get(file)?.get(key);
    if (known !== undefined) return known;
    const lines = await this.#reader.read(request, signal);
    const ofPicture = this.#known.get(file) ?? new Map<string, readonly OcrLine[]>();
    this.#known.set(file, ofPicture.set(key, lines));
    const [oldest] = ofPicture.keys();
    if (oldest !== undefined && ofPicture.size > MOST_OF_A_PICTURE) ofPicture.delete(oldest);
    return lines;
  };
}

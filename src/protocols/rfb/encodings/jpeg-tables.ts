/** Of each kind at most so many bytes: four tables of either kind take less than 1.2 KiB. */
const MOST_BYTES = 8 * 1024;

/** The tables of a connection's last JPEG image, for images that come without: whole DQT and DHT segments. */
export class JpegTables {
  quantisation = new Uint8Array(0);
  huffman = new Uint8Array(0);

  /** The segments `known` and one more; null where that is too much. */
  static joined(known: Uint8Array, segment: Uint8Array): Uint8Array<ArrayBuffer> | null {
    if (known.length + segment.length > MOST_BYTES) return null;
    const all = new Uint8Array(known.length + segment.length);
    all.set(known);
    all.set(segment, known.length);
    return all;
  }
}

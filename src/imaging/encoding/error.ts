/** The thread that had the pixels is gone: who still has the picture encodes it again. */
export class EncodingLostError extends Error {
  override readonly name = "EncodingLostError";
}

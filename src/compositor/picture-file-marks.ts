import { type Annotation, annotate } from "./annotate.ts";
import { decodePicture, encodePicture } from "./picture-file.ts";

/** A picture file with marks on it, as a PNG in memory of its own; ends with the signal's reason. */
export async function annotateFile(
  file: Uint8Array,
  annotations: readonly Annotation[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const picture = await decodePicture(file);
  const marked = await annotate(picture, annotations, signal);
  return Uint8Array.from(await encodePicture(marked, "png"));
}

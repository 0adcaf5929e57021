/** Letters, as what has them typed gets them, as a text. */
export const plain = (letters: Uint32Array): string => String.fromCodePoint(...letters);

/** What a secret that was found has typed. */
export async function opened(
  found: { open(): Promise<Uint32Array> } | null | undefined,
): Promise<string | null> {
  return found == null ? null : plain(await found.open());
}

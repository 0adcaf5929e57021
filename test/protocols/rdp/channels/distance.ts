/** How far two RGBA pictures are apart: the worst channel, and the peak signal to noise in dB (infinite: the same). */
export function distance(a: Uint8Array, b: Uint8Array): { readonly worst: number; readonly psnr: number } {
  let worst = 0;
  let squares = 0;
  for (let i = 0; i < a.length; i++) {
    const off = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    worst = Math.max(worst, off);
    squares += off * off;
  }
  // Three channels of four count: alpha is always the same.
  return { worst, psnr: 10 * Math.log10((255 * 255 * a.length * 0.75) / squares) };
}

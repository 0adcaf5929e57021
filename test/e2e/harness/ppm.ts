import type { Shot } from "./xwd.ts";

/** Reads a binary portable pixmap of 8 bits a colour, as QEMU's screendump and grim write it. */
export function readPpm(file: Uint8Array): Shot {
  const head = /^P6\s+(?:#[^\n]*\n)?(\d+)\s+(\d+)\s+255\s/.exec(
    Buffer.from(file.subarray(0, 64)).toString("latin1"),
  );
  if (head === null) throw new Error("not a portable pixmap of 8 bits a colour");
  const [start = "", width = "", height = ""] = head;
  const shot = { width: Number(width), height: Number(height) };
  const size = shot.width * shot.height;
  if (file.length < start.length + size * 3) {
    throw new Error(`pixmap of ${file.length} bytes, expected ${start.length + size * 3}`);
  }
  const rgba = new Uint8Array(size * 4).fill(255);
  for (let i = 0; i < size; i++) {
    rgba.set(file.subarray(start.length + i * 3, start.length + i * 3 + 3), i * 4);
  }
  return { ...shot, rgba };
}

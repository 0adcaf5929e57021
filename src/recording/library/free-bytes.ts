import { statfs } from "node:fs/promises";

/** What a folder's file system has left for us. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

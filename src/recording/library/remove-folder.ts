import { readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";

/** Begins the name of what is being deleted: no recording has one. */
const REMOVED = ".removed-";

/** Deletes a recording's folder, at once for whoever looks: a crash leaves no half of it. */
export async function removeFolder(parent: string, folder: string): Promise<void> {
  const removed = join(parent, REMOVED + basename(folder));
  await rename(folder, removed);
  await rm(removed, { recursive: true });
}

/** Ends what a crash interrupted. */
export async function sweepRemoved(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (name.startsWith(REMOVED)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

import type { FilesInfo, SendingInfo } from "../../api/files/files-api.ts";
import { t } from "../language/language.ts";
import { desktopPath, errorOf, request } from "../shell/api-client.ts";
import { below } from "../shell/base-path.ts";
import { saveFile } from "../shell/save-file.ts";

/** The server takes no part that needs more than half a minute: over slow lines too. */
const PART_BYTES = 1024 * 1024;
/** What the server takes at once, and together. */
const MOST_FILES = 100;
const MOST_BYTES = 2 * 1024 ** 3;

export function filesPath(desktopId: string, rest = ""): string {
  return desktopPath(desktopId, `/files${rest}`);
}

export async function listFiles(desktopId: string): Promise<FilesInfo> {
  return (await request("GET", filesPath(desktopId))).json();
}

/**
 * Sends files part by part; `told`: how far that is, at the beginning and after each. Rejects with ApiError, or Error for
 * what is too much or cannot be read.
 */
export async function sendFiles(
  desktopId: string,
  files: readonly File[],
  told: (sending: SendingInfo) => void,
): Promise<void> {
  if (files.length > MOST_FILES || files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) {
    throw new Error(t`at most ${MOST_FILES} files go at once, and 2 GB`);
  }
  for (const file of files) {
    await file
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw new Error(t`${file.name} cannot be read: a folder cannot be sent`);
      });
  }
  const offered = files.map(({ name, size }) => ({ name, size }));
  const sending: SendingInfo = await (await request("POST", filesPath(desktopId), { files: offered })).json();
  told(sending);
  for (const [index, file] of files.entries()) {
    for (let offset = 0; offset < file.size; offset += PART_BYTES) {
      const path = filesPath(desktopId, `/${sending.id}/${index}?offset=${offset}`);
      told(await (await request("PUT", path, file.slice(offset, offset + PART_BYTES))).json());
    }
  }
}

/**
 * Takes a file of the desktop and lets the browser save it; `told`: how many bytes have come. Rejects with ApiError, Error
 * where it broke off, or what ended it by `signal`.
 */
export async function takeFile(
  path: string,
  name: string,
  { signal, told }: { readonly signal: AbortSignal; readonly told: (bytes: number) => void },
): Promise<void> {
  try {
    const response = await fetch(below(path), { signal });
    if (!response.ok) throw await errorOf(response);
    let bytes = 0;
    const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, to) {
        bytes += part.length;
        told(bytes);
        to.enqueue(part);
      },
    });
    // Not in memory: what is large a browser keeps on its disk.
    saveFile(await new Response(response.body?.pipeThrough(counting)).blob(), name);
  } catch (cause) {
    // All that fetch itself says: that it failed.
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error(t`it broke off: copy it on the desktop once more`);
  }
}

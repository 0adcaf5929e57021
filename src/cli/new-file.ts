import { open, rename, rm, stat } from "node:fs/promises";
import { RefusedError } from "../desktop/error.ts";

/**
 * Writes a file of mode 0600 that is not there yet, beside its place first: half a file is never found under the name of a whole one. Gives its
 * bytes. Throws RefusedError invalid_parameters, whose message ends in `advice` where another place would do.
 */
export async function writeNewFile(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  advice: string,
): Promise<number> {
  if (await exists(path)) {
    throw new RefusedError("invalid_parameters", `${path} is there already: ${advice}`);
  }
  const draft = `${path}.part`;
  const toldOf = (place: string) => (cause: unknown) => {
    throw isSystemError(cause) ? unwritable(place, cause, advice) : cause;
  };
  const file = await open(draft, "wx", 0o600).catch(toldOf(draft));
  let bytes = 0;
  try {
    for await (const part of parts) {
      await file.writeFile(part).catch(toldOf(path));
      bytes += part.length;
    }
    await file.sync().catch(toldOf(path));
    await file.close().catch(toldOf(path));
    await rename(draft, path).catch(toldOf(path));
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
  return bytes;
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

function unwritable(path: string, cause: Error & { readonly code: string }, advice: string): RefusedError {
  const why =
    cause.code === "EEXIST"
      ? "is there already: another one is being written, or one was cut off: wait, or remove it"
      : `cannot be written (${cause.code}): ${advice}`;
  return new RefusedError("invalid_parameters", `${path} ${why}`, { cause });
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

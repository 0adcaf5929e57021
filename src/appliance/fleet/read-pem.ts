import { readFile } from "node:fs/promises";
import { ConfigError } from "../../config/config-schema.ts";

/** Throws ConfigError, which names the key of the configuration. */
export async function readPem(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`${what}: cannot read the file ${path}: check that it exists and may be read`, {
      cause,
    });
  }
}

import { RfbError } from "../error.ts";

/** The error of every decoder here: `message` says which encoding, what was got and what was expected. */
export function badData(message: string, cause?: unknown): RfbError {
  return new RfbError("bad_data", "rectangle", message, cause === undefined ? {} : { cause });
}

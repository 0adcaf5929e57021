import { RdpError } from "../error.ts";

/** The error of a picture that its codec cannot have made; `message`: what was got and what was expected. */
export function badData(message: string): RdpError {
  return new RdpError("bad_data", "graphics", message);
}

/** The error of a picture that is cut off; `codec` is its name. */
export function cutOff(codec: string): RdpError {
  return badData(`${codec} data is cut off, expected more bytes`);
}

/** The error of a picture, a cache or a message that takes more memory than we give it. */
export function tooLarge(message: string): RdpError {
  return new RdpError("too_large", "graphics", message);
}

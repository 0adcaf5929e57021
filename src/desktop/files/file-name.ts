import { RefusedError } from "../error.ts";

/** CLIPRDR_FILEDESCRIPTOR has 260 units of UTF-16 with a zero at their end. */
const MOST_UNITS = 255;
/** Controls, halves of characters, and what turns the direction of a text around or has no width. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
/** What no name has. */
const BROKEN = /[\p{Cc}\p{Cs}]/u;
/** What Windows has in no name. */
const NOT_IN_WINDOWS = /[<>:"|?*]/g;

/** The last part of a host's path, as a name that is shown and saved under; never empty, a folder or a way elsewhere. */
export function nameOf(path: string): string {
  const last = path.split(/[\\/]/).at(-1) ?? "";
  const name = last.replace(HIDDEN, "_").slice(0, MOST_UNITS).trim();
  return /^\.*$/.test(name) ? "file" : name;
}

/** The folders above the last part of a host's path, for people to read: "a/b"; empty for none. */
export function folderOf(path: string): string {
  return path
    .split(/[\\/]/)
    .slice(0, -1)
    .map((part) => part.replace(HIDDEN, "_"))
    .filter((part) => part !== "")
    .join("/");
}

/** A name that a person gave a file, as hosts take it. Throws RefusedError invalid_parameters. */
export function sentName(name: string): string {
  // What the name is stays out of the message: names are what is sent.
  const refuse = (what: string): never => {
    throw new RefusedError("invalid_parameters", `got a file's name ${what}, expected a name alone`);
  };
  if (name.length > MOST_UNITS) refuse(`of ${name.length} characters, more than ${MOST_UNITS}`);
  if (/[\\/]/.test(name)) refuse("with / or \\");
  if (BROKEN.test(name)) refuse("with control characters");
  if (/^\.*$/.test(name.trim())) refuse("of nothing but dots");
  return name
    .replace(HIDDEN, "_")
    .replace(NOT_IN_WINDOWS, "_")
    .replace(/[. ]+$/, "_");
}

import { isIPv6 } from "node:net";
import { type Span, spansOf, withDigits } from "./span.ts";

/** Behind a dot and a blank, where readers part an address, only these end one: else every sentence might. */
export const KNOWN_ENDS =
  "com|org|net|edu|gov|mil|int|info|io|dev|app|co|ai|de|at|ch|fr|it|es|nl|be|pl|uk|us|eu|se|no|dk|fi|cz|pt|ie|jp|cn|in|br|au|ca|ru|test|example|invalid|local";

const LOCAL = "(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+'-]{1,64}";

/** Mailboxes (RFC 5321 section 4.1.2, without quotes), with the blanks that readers put around the signs. */
const MAILBOX = new RegExp(
  `${LOCAL} ?[@©®] ?[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){0,6}` +
    `(?: ?\\.\\p{L}{2,24}|[.,] (?:${KNOWN_ENDS}))(?![\\p{L}\\p{N}])`,
  "gu",
);

/**
 * Where the sign itself was read, with a name on both sides of it, the end need not be one: readers take a caret or a frame
 * behind it for another letter, part it, or lose its dot (seen: "bob@example. conf", "bob@example. con]").
 */
const MISREAD_END = new RegExp(
  `${LOCAL}[@©®]\\p{L}[\\p{L}\\p{N}-]{1,62}(?:\\.[\\p{L}\\p{N}-]{1,63}){0,6}` +
    "(?: ?[.,·] ?\\p{L}{2,24}| ?(?:com|org|net|edu|gov|info)(?![\\p{L}\\p{N}]))",
  "gu",
);

/**
 * Readers take the sign for a letter as well (seen: "bobGexample.com", DejaVu Sans Mono 10 in xterm). A capital within small
 * letters, and a host's name with a known end behind it, is a mailbox: a few names such as "neoGeo.com" are hidden too.
 */
const MISREAD_MAILBOX = new RegExp(
  "(?<![\\p{L}\\p{N}._%+-])[\\p{Ll}\\p{N}._%+'-]{0,63}[\\p{Ll}\\p{N}][GQO€&][\\p{Ll}\\p{N}-]{1,63}" +
    `(?:\\.[\\p{Ll}\\p{N}-]{1,63}){0,6} ?[.,] ?(?:(?:${KNOWN_ENDS})(?![\\p{L}\\p{N}])|co[mn]\\S?(?!\\S))`,
  "gu",
);

export function mailboxes(text: string): Span[] {
  return [MAILBOX, MISREAD_END, MISREAD_MAILBOX].flatMap((shape) => spansOf(text, shape));
}

/** Addresses of hosts, without those that every host has. */
export function hostAddresses(text: string): Span[] {
  return [...versionFour(text), ...versionSix(text)];
}

function versionFour(text: string): Span[] {
  // One of the dots may be read as a comma.
  const shape = /(?<![\p{L}\p{N}.,])\d{1,3}(?:[.,]\d{1,3}){3}(?![\p{L}\p{N}]|[.,]\d)/gu;
  return spansOf(withDigits(text), shape, (found) => {
    if (found[0].split(",").length > 2) return false;
    const octets = found[0].split(/[.,]/).map(Number);
    if (octets.some((octet) => octet > 255) || octets[0] === 0 || octets[0] === 127) return false;
    // Programs have versions of four parts as well, and say so before.
    return !/(?:version|release|build|ver\.?)[: ]{0,2}$/i.test(text.slice(0, found.index));
  });
}

function versionSix(text: string): Span[] {
  return spansOf(text, /(?<![\p{L}\p{N}.:])[0-9A-Fa-f:]{4,39}(?![\p{L}\p{N}:])/gu, ([found]) => {
    const groups = found.split(":").filter((group) => group !== "");
    // Scopes of programs, as a::b, are addresses by their shape.
    return isIPv6(found) && groups.length > 1 && groups.some((group) => group.length > 2 && /\d/.test(group));
  });
}

/** The most that a request's body may have, less than HTTP_LIMITS.bodyBytes by what is around. */
const BODY_BYTES = 1_000_000;

export interface DearBody {
  readonly name: string;
  /** JSON, or what begins like it. */
  readonly text: string;
}

/** Names whose FNV-1 hashes are the same in 16 bits: the last letter makes up for all before it. */
export function collidingNames(count: number): string[] {
  const prime = 0x01000193;
  const names: string[] = [];
  for (let i = 0; names.length < count; i++) {
    const name = `n${i}`;
    let hash = 0;
    for (const letter of name) hash = Math.imul(hash, prime) ^ letter.charCodeAt(0);
    hash = Math.imul(hash, prime);
    const last = (hash ^ (hash >>> 16)) & 0xffff;
    if (last > 0x7f && (last < 0xd800 || last > 0xdfff)) names.push(name + String.fromCharCode(last));
  }
  return names;
}

/** `part` again and again, as often as `most` and a body allow. */
function repeated(part: (index: number) => string, most = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let length = 0;
  for (let i = 0; i < most && length < BODY_BYTES; i++) {
    const next = part(i);
    parts.push(next);
    length += next.length + 1;
  }
  return parts.slice(0, length > BODY_BYTES ? -1 : undefined).join(",");
}

function namesOf(names: readonly string[]): string {
  return `{${names.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`;
}

/**
 * JSON of up to a mebibyte that takes as long to read as its bytes can: what a server accepts at its limits, and what it
 * has to refuse before it is parsed.
 */
export function dearBodies(): readonly DearBody[] {
  const numbered = Array.from({ length: 1000 }, (_, i) => String(i));
  const nest = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  const thousand = collidingNames(1000);
  const bodies: readonly (readonly [name: string, value: string])[] = [
    ["half a million values", `[${repeated(() => "0")}]`],
    ["31,000 values", `[${repeated(() => "0", 31_000)}]`],
    ["31,000 numbers of many digits", `[${repeated((i) => `${i}.12345678901234567890123`, 31_000)}]`],
    ["31,000 small numbers", `[${repeated((i) => `4.${i}0123456789e-308`, 31_000)}]`],
    ["31,000 short texts", `[${repeated((i) => `"${i}"`, 31_000)}]`],
    ["31,000 texts", `[${repeated((i) => `"text ${i} \\u0041"`, 31_000)}]`],
    ["one long number", "1".repeat(BODY_BYTES)],
    ["a text of nothing but escapes", `"${"\\u0041".repeat(BODY_BYTES / 6)}"`],
    ["nested arrays", `[${repeated(() => nest(58))}]`],
    ["arrays of nothing", `[${repeated(() => "[]")}]`],
    ["objects of nothing", `[${repeated(() => "{}")}]`],
    ["15,000 names that are known", `[${repeated(() => '{"x":1}', 15_000)}]`],
    ["a thousand names, again and again", `[${repeated(() => namesOf(thousand), 15)}]`],
    ["a thousand numbers as names, again and again", `[${repeated(() => namesOf(numbered), 15)}]`],
    ["names without end", namesOf(collidingNames(60_000)).slice(0, BODY_BYTES)],
    ["a name that is looked for", `[{"constructor":1},${repeated(() => '{"x":1}', 15_000)}]`],
    ["a name as long as the body", `{"${"x".repeat(BODY_BYTES)}":0}`],
    [
      "15 names of a thousand letters, again and again",
      `[${repeated((i) => `{"${"y".repeat(990)}${i % 15}":0}`)}]`,
    ],
    ["quotes and colons", `{"${":".repeat(BODY_BYTES / 2)}"${":".repeat(BODY_BYTES / 2)}`],
    ["white space", " ".repeat(BODY_BYTES)],
  ];
  return bodies.map(([name, value]) => ({ name, text: value }));
}

/** A body as the arguments of a call: what reads messages and what checks arguments have their part of it too. */
export function asCall({ text }: DearBody): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"draw_overlay","arguments":{"points":${text}}}}`;
}

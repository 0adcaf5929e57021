// Says which links of the Markdown files lead nowhere, and which commands of this program they show that it does not know.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readCommand } from "../src/cli/cli.ts";

/** A link or command, and what is wrong with it. */
export interface DocFault {
  /** From the root, with the line: "docs/tools.md:12". */
  readonly place: string;
  readonly fault: string;
}

const SKIPPED_FOLDERS = new Set(["node_modules", "dist", ".git", ".tap", "test"]);

/** Markdown files below `folder`, but for tests and what is installed or built. */
function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** What GitHub makes of a heading: lower case, without what is neither letter, digit, space, `_` nor `-`. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** The lines of a file outside its code blocks; those within are empty. */
function proseOf(text: string): string[] {
  let isCode = false;
  return text.split("\n").map((line) => {
    const isFence = /^\s*```/.test(line);
    const isProse = !isCode && !isFence;
    if (isFence) isCode = !isCode;
    return isProse ? line : "";
  });
}

function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const line of proseOf(readFileSync(path, "utf8"))) {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

function linkFault(root: string, file: string, target: string): string | null {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return null;
  const [path = "", anchor] = target.split("#");
  const to = path === "" ? file : resolve(dirname(file), decodeURIComponent(path));
  if (!existsSync(to)) return `${target}: there is no ${relative(root, to)}`;
  if (anchor === undefined || anchor === "" || !to.endsWith(".md")) return null;
  return anchorsOf(to).has(anchor) ? null : `${target}: ${relative(root, to)} has no such heading`;
}

/** The words of a line of shell: quotes taken off, up to a comment, a pipe or what follows. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, plain, single, double] of line.matchAll(/([^\s'"]+)|'([^']*)'|"([^"]*)"/g)) {
    if (plain !== undefined && /^(#|\||&|;|>|<)/.test(plain)) break;
    words.push(plain ?? single ?? double ?? "");
  }
  return words;
}

function commandFault(line: string): string | null {
  const args = /^(?:.*[|;&] *)?(?:[A-Z_]+=\S+ )*(?:npm start --|overlay-companion)\s+(?=[a-z-])(.*)$/.exec(
    line,
  )?.[1];
  if (args === undefined || args.includes("…")) return null;
  try {
    readCommand(wordsOf(args), {});
    return null;
  } catch (error) {
    return `${line.trim()}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Lines of the shell blocks of a text, those that go on in the next made one, with their numbers from 1 on. */
function shellLines(text: string): { line: string; number: number }[] {
  type Line = ReturnType<typeof shellLines>[number];
  const found: Line[] = [];
  let language: string | null = null;
  let begun: Line | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^\s*```(\w*)/.exec(line)?.[1];
    if (fence !== undefined) language = language === null ? fence : null;
    else if (language === "sh") {
      const whole: Line = { line: (begun?.line ?? "") + line, number: begun?.number ?? index + 1 };
      begun = line.endsWith("\\") ? { ...whole, line: whole.line.slice(0, -1) } : null;
      if (begun === null) found.push(whole);
    }
  }
  return found;
}

/** Everything wrong in the Markdown files below `root`. */
export function findDocFaults(root: string): DocFault[] {
  return markdownFiles(root).flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const place = (number: number): string => `${relative(root, file)}:${number}`;
    const links = proseOf(text).flatMap((line, index) =>
      [...line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        const fault = linkFault(root, file, target);
        return fault === null ? [] : [{ place: place(index + 1), fault }];
      }),
    );
    const commands = shellLines(text).flatMap(({ line, number }) => {
      const fault = commandFault(line);
      return fault === null ? [] : [{ place: place(number), fault }];
    });
    return [...links, ...commands];
  });
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const faults = findDocFaults(resolve(fileURLToPath(import.meta.url), "../.."));
  for (const { place, fault } of faults) process.stderr.write(`${place}: ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

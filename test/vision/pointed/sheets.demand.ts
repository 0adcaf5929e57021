// Makes the sheets beside this file anew: `npx tsx test/vision/pointed/sheets.demand.ts`. Needs Xtigervnc, xterm, xwd and
// Chromium; what is private on them is made up, from a seed.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import * as z from "zod";
import { Wording } from "../../../bench/text/wording.ts";
import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import { privateIn } from "../../../src/vision/private/find-private.ts";
import { openBrowser } from "../../e2e/harness/browser.ts";
import { XDisplay } from "../../e2e/harness/x-display.ts";
import type { Shot } from "../../e2e/harness/xwd.ts";
import { plantedTexts, randomOf } from "../../e2e/privacy/planted.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { type SheetLine, STORED } from "./sheet.ts";

const FOLDER = new URL("sheets/", import.meta.url);
const [WIDTH, HEIGHT] = [820, 940];
/** Of each built-in kind as many. */
const OF_EACH_KIND = 3;
const KINDS = 7;

/** A line of text, and what of it is private. */
interface Wanted {
  readonly text: string;
  readonly secret: { readonly kind: string; readonly from: number; readonly to: number } | null;
}

/** What terminals and people write, as it is written nothing of it private. */
function cleanLine(wording: Wording, isShell: boolean): string {
  for (;;) {
    const line = (isShell ? wording.shellLine() : wording.sentence()).slice(0, 90).trimEnd();
    if (privateIn(line, PRIVATE_KINDS).length === 0) return line;
  }
}

/** Lines with and without something private, in turn. */
function wanted(seed: number): Wanted[] {
  const planted = [
    ...plantedTexts(randomOf(seed), KINDS * OF_EACH_KIND),
    ...Array.from({ length: OF_EACH_KIND }, () => ({ kind: "stored", text: STORED })),
    ...Array.from({ length: OF_EACH_KIND }, (_, i) => ({
      kind: "own",
      text: `PRJ-${304_711 + 104_729 * i}`,
    })),
  ];
  const wording = new Wording(seed);
  return planted.flatMap(({ kind, text }, i) => {
    const before = i % 2 === 0 ? `Customer ${i}: ` : `${wording.word()} has `;
    const after = i % 3 === 0 ? "" : ` ${wording.word()} ${wording.word()}`;
    const clean = cleanLine(wording, i % 2 === 0);
    return [
      {
        text: `${before}${text}${after}`,
        secret: { kind, from: before.length, to: before.length + text.length },
      },
      { text: clean, secret: null },
    ];
  });
}

async function save(name: string, { width, height, rgba }: Shot, lines: readonly SheetLine[]): Promise<void> {
  const png = sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png({ compressionLevel: 9 });
  writeFileSync(new URL(`${name}.png`, FOLDER), await png.toBuffer());
  const inParts = ({ secret, ...line }: SheetLine): unknown => ({
    ...line,
    secret: secret && { ...secret, text: [secret.text.slice(0, 4), secret.text.slice(4)] },
  });
  const rows = lines.map((line) => JSON.stringify(inParts(line))).join(",\n");
  writeFileSync(new URL(`${name}.json`, FOLDER), `{"lines":[\n${rows}\n]}\n`);
}

async function terminal(owner: Owner, name: string, font: readonly string[], seed: number): Promise<void> {
  const lines = wanted(seed);
  const display = await XDisplay.start(owner, { geometry: `${WIDTH}x${HEIGHT}`, hasVnc: false });
  const file = join(mkdtempSync(join(tmpdir(), "oc-sheet-")), "lines.txt");
  writeFileSync(file, lines.map(({ text }) => text).join("\n"));
  const [columns, rows] = [100, lines.length + 1];
  const script = `printf '\\033[?25l'; cat '${file}'; printf '\\033]2;written\\007'; exec sleep 600`;
  const look = ["-u8", "+sb", "-b", "0", "-bw", "0", ...font, "-geometry", `${columns}x${rows}+0+0`];
  display.program("xterm", ...look, "-e", "sh", "-c", script);
  const { x, y, width, height } = await display.placeOf(await display.windowOf("written"));
  const shot = await until("a picture that stays", async () => {
    const [first, second] = [await display.shot(), await display.shot()];
    return Buffer.compare(first.rgba, second.rgba) === 0 ? second : null;
  });
  const [wide, high] = [width / columns, height / rows];
  await save(
    name,
    shot,
    lines.map(({ text, secret }, row) => ({
      ...{ top: y + row * high, bottom: y + (row + 1) * high, left: x, right: x + text.length * wide },
      secret: secret && {
        ...{ kind: secret.kind, text: text.slice(secret.from, secret.to) },
        edges: Array.from({ length: secret.to - secret.from + 1 }, (_, i) => x + (secret.from + i) * wide),
      },
    })),
  );
}

const placed = z.array(
  z.object({
    top: z.number(),
    bottom: z.number(),
    left: z.number(),
    right: z.number(),
    edges: z.array(z.number()),
  }),
);

async function page(owner: Owner, name: string, css: string, seed: number): Promise<void> {
  const lines = wanted(seed);
  const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const browser = await openBrowser(owner);
  const tab = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
  const body = lines.map(({ text }) => `<p>${escaped(text)}</p>`).join("");
  await tab.setContent(
    `<!doctype html><meta charset=utf-8><style>body{margin:8px 12px;${css}}p{margin:0;white-space:pre}</style>${body}`,
  );
  // Where the page's own layout puts each letter.
  const told = placed.parse(
    await tab.evaluate(
      `${JSON.stringify(lines.map(({ secret }) => secret))}.map((secret, i) => {
        const node = document.querySelectorAll("p")[i].firstChild;
        const range = document.createRange();
        const of = (from, to) => (range.setStart(node, from), range.setEnd(node, to), range.getBoundingClientRect());
        const { top, bottom, left, right } = of(0, node.length);
        const edges = [];
        if (secret !== null) {
          for (let at = secret.from; at < secret.to; at++) edges.push(of(at, at + 1).left);
          edges.push(of(secret.from, secret.to).right);
        }
        return { top, bottom, left, right, edges };
      })`,
    ),
  );
  const { data, info } = await sharp(await tab.screenshot({ type: "png" }))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  await save(
    name,
    { width: info.width, height: info.height, rgba: data },
    lines.map(({ text, secret }, i) => {
      const { edges = [], ...box } = told[i] ?? { top: 0, bottom: 0, left: 0, right: 0 };
      return {
        ...box,
        secret: secret && { kind: secret.kind, text: text.slice(secret.from, secret.to), edges },
      };
    }),
  );
}

const teardowns: (() => unknown)[] = [];
const owner: Owner = { teardown: (call) => void teardowns.push(call) };
mkdirSync(FOLDER, { recursive: true });
try {
  await terminal(
    owner,
    "xterm-dejavu",
    ["-fa", "DejaVu Sans Mono", "-fs", "10", "-bg", "white", "-fg", "black"],
    11,
  );
  await terminal(owner, "xterm-6x13", ["-fn", "6x13", "-bg", "#0c1021", "-fg", "#e0e0d0"], 12);
  await page(owner, "chromium-dejavu", "font:14px/17px 'DejaVu Sans';color:#222;background:#fff", 13);
  await page(
    owner,
    "chromium-liberation",
    "font:13px/17px 'Liberation Sans';color:#ddd;background:#1b2530",
    14,
  );
} finally {
  for (const teardown of teardowns.reverse()) await teardown();
}

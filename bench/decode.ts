import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ENCODING } from "../src/protocols/rfb/numbers.ts";
import type { Owner } from "../test/support/program.ts";
import { type Capture, capture, replay } from "./capture.ts";
import type { Goal } from "./goal.ts";
import { judged, type Line } from "./line.ts";
import { scrollingPage, scrollingText } from "./scene.ts";

const run = promisify(execFile);

/** Quality level 8, rfbproto: pseudo-encodings -32 to -23 are levels 0 to 9. */
const JPEG_QUALITY_8 = -24;

interface Kind {
  readonly name: string;
  readonly encodings: readonly number[];
  readonly goal: Goal;
  /** The most an intensity may differ between the two decoders. */
  readonly tolerance: number;
}

const KINDS: readonly Kind[] = [
  { name: "Tight", encodings: [ENCODING.copyRect, ENCODING.tight], goal: { atLeast: 1 }, tolerance: 0 },
  { name: "ZRLE", encodings: [ENCODING.copyRect, ENCODING.zrle], goal: { atLeast: 1 }, tolerance: 0 },
  {
    name: "Tight with JPEG",
    encodings: [ENCODING.copyRect, ENCODING.tight, JPEG_QUALITY_8],
    goal: { atLeast: 0.9 },
    // Chroma is upsampled and transformed with more or less care; a wrong table or place shows as far more.
    tolerance: 24,
  },
  { name: "Hextile", encodings: [ENCODING.copyRect, ENCODING.hextile], goal: { atLeast: 0.5 }, tolerance: 0 },
];

/** P6: the CPU that decoding takes, of the same recorded traffic through a socket. */
export async function benchDecode(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  const program = join(folder, "libvncclient-decode");
  const source = fileURLToPath(new URL("libvncclient-decode.c", import.meta.url));
  await run("gcc", ["-O2", "-o", program, source, "-lvncclient"]);
  const scenes = [
    { name: "text", display: await scrollingText(owner), updates: isShort ? 4 : 150 },
    { name: "page", display: await scrollingPage(owner, folder), updates: isShort ? 3 : 60 },
  ];
  const captures: { readonly scene: string; readonly kind: Kind; readonly taken: Capture }[] = [];
  for (const { name, display, updates } of scenes) {
    for (const kind of KINDS) {
      captures.push({ scene: name, kind, taken: await capture(display.vncPort, kind.encodings, updates) });
    }
  }
  const compared = captures.map(
    ({ scene, kind, taken }) =>
      () =>
        compare(owner, program, folder, kind, scene, taken, isShort ? 1 : 15),
  );
  if (isShort) {
    // No time counts: what scrolls may end, and all may decode at once.
    await Promise.all(scenes.map(({ display }) => display.server.stop()));
    return await Promise.all(compared.map((run) => run()));
  }
  const lines: Line[] = [];
  for (const run of compared) lines.push(await run());
  return lines;
}

async function compare(
  owner: Owner,
  program: string,
  folder: string,
  kind: Kind,
  scene: string,
  taken: Capture,
  rounds: number,
): Promise<Line> {
  const port = await replay(owner, taken);
  const script = fileURLToPath(new URL("ours-decode.ts", import.meta.url));
  const name = `${scene}-${kind.name}`;
  const pictures = { ours: join(folder, `${name}-ours.rgbx`), theirs: join(folder, `${name}-theirs.rgbx`) };
  const args = (picture: string): string[] => [`${port}`, `${taken.updates}`, `${rounds}`, picture];
  const ours = await run(process.execPath, ["--import=tsx", script, ...args(pictures.ours)]);
  const theirs = await run(program, args(pictures.theirs));
  checkSame(readFileSync(pictures.ours), readFileSync(pictures.theirs), kind, scene);
  const megabytes = (taken.sizeBytes / 1e6).toFixed(1);
  return judged({
    id: "P6",
    metric: `decode ${kind.name}, ${scene}, ${taken.updates} updates, ${megabytes} MB, CPU`,
    unit: "ms",
    ours: best(ours.stdout),
    peer: "libvncclient",
    theirs: best(theirs.stdout),
    goal: kind.goal,
  });
}

/** The least CPU of all rounds, in milliseconds: what else the machine does only ever adds. */
function best(output: string): number {
  const rounds = output
    .trim()
    .split("\n")
    .map((round) => round.split(" ").reduce((sum, part) => sum + Number(part), 0));
  return Math.min(...rounds) / 1000;
}

function checkSame(ours: Buffer, theirs: Buffer, kind: Kind, scene: string): void {
  if (ours.length !== theirs.length) {
    throw new Error(
      `${kind.name}, ${scene}: got ${ours.length} bytes, expected libvncclient's ${theirs.length}`,
    );
  }
  let most = 0;
  for (let i = 0; i < ours.length; i++) {
    if ((i & 3) === 3) continue; // libvncclient leaves the fourth byte as it comes
    most = Math.max(most, Math.abs((ours[i] ?? 0) - (theirs[i] ?? 0)));
  }
  if (most > kind.tolerance) {
    throw new Error(
      `${kind.name}, ${scene}: got a picture ${most} off libvncclient's, expected ${kind.tolerance}`,
    );
  }
}

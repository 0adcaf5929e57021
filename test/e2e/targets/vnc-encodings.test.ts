import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { ENCODING_NAMES, encodingByName } from "../../../src/protocols/rfb/encodings/list.ts";
import { until } from "../../support/until.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { EncodingClient } from "./encoding-client.ts";
import { SERVERS, type ServerKind, type VncServer } from "./vnc-servers.ts";

/** What scripts/docs.ts makes the matrix of docs/compatibility.md from. */
const MATRIX = fileURLToPath(new URL("../../../docs/compatibility.json", import.meta.url));

/** What dpkg-query calls it. */
const VERSION_FIELD = `$\{Version}`;

/** Of one server: by the encoding asked for, the encodings its pixels came in; exact but for LOSSY ones. */
interface Row {
  readonly debian: string;
  readonly encodings: Readonly<Record<string, readonly string[]>>;
}

/** Encodings that lose by their nature, and how far they may be off on average, of 255. */
const LOSSY: Readonly<Record<string, number>> = { zywrle: 6 };

const isWriting = process.env["OC_WRITE_COMPATIBILITY"] === "1";
const known: Readonly<Record<string, Row>> = existsSync(MATRIX)
  ? JSON.parse(readFileSync(MATRIX, "utf8"))
  : {};
const found: Record<string, Row> = { ...known };

for (const kind of SERVERS) {
  t.test(
    `${kind.name}: pixels are exact in each encoding, asked for alone`,
    { timeout: 300_000 },
    async (t) => {
      if (!requirePrograms(t, kind)) return;
      const server = await kind.start(t, t.testdir());
      const encodings: Record<string, readonly string[]> = {};
      for (const name of ENCODING_NAMES) {
        await t.test(name, async (t) => {
          encodings[name] = await follow(t, server, name);
        });
      }
      const row: Row = { debian: versionOf(kind.debianPackage), encodings };
      found[kind.name] = row;
      if (isWriting) return;
      t.same(known[kind.name]?.encodings, encodings, "docs/compatibility.json says what it sends");
    },
  );
}

t.teardown(() => {
  if (isWriting) writeFileSync(MATRIX, `${JSON.stringify(found, null, 2)}\n`);
});

/** Follows the server through changes; gives the encodings it used, by name. */
async function follow(t: Test, server: VncServer, name: string): Promise<readonly string[]> {
  const number = encodingByName(name)?.number ?? 0;
  const client = await EncodingClient.open(t, server.port, server.password, [number]);
  await until("the handshake", () => client.isReady);
  // TigerVNC draws the pointer into the pictures of a viewer whose pointer is elsewhere: put it somewhere first.
  client.pointer(2, 2);
  client.pointer(3, 3);
  let truth = await expectTruth(t, client, server, name, "connecting");
  for (const turn of [1, 2]) {
    const before = truth;
    await server.change();
    truth = await expectTruth(t, client, server, name, `change ${turn}`, before);
  }
  client.close();
  return [...client.counts.keys()].sort();
}

/** Waits for the picture to be the server's own in every pixel, and for that to differ from the one before. */
async function expectTruth(
  t: Test,
  client: EncodingClient,
  server: VncServer,
  name: string,
  after: string,
  before: Shot | null = null,
): Promise<Shot> {
  let difference: string | null = "the server's own display did not change";
  let truth = await server.truth();
  await until(`the same picture after ${after}`, async () => {
    truth = await server.truth();
    if (before !== null && differenceOf(truth, before) === null) return false;
    difference = lossOf(client.shot(), truth, client.counts.has(name) ? (LOSSY[name] ?? 0) : 0);
    return difference === null;
  }).catch((error: unknown) => {
    if (error instanceof Error && error.cause !== undefined) throw error;
  });
  t.equal(difference, null, `identical to the server's own display after ${after}`);
  return truth;
}

/** As `differenceOf`, but with `most` more than 0 only where the mean difference of a colour is beyond it. */
function lossOf(got: Shot, wanted: Shot, most: number): string | null {
  const difference = differenceOf(got, wanted);
  if (most === 0 || difference === null || got.rgba.length !== wanted.rgba.length) return difference;
  let sum = 0;
  for (let i = 0; i < wanted.rgba.length; i++) {
    if (i % 4 !== 3) sum += Math.abs((got.rgba[i] ?? 0) - (wanted.rgba[i] ?? 0));
  }
  const mean = sum / (wanted.width * wanted.height * 3);
  return mean <= most ? null : `${mean.toFixed(2)} off on average, ${difference}`;
}

function versionOf(debianPackage: string): string {
  return execFileSync("dpkg-query", ["-W", "-f", VERSION_FIELD, debianPackage], { encoding: "utf8" });
}

/** False where a program is missing: a failure under CI, a SKIPPED line elsewhere. */
function requirePrograms(t: Test, { programs }: ServerKind): boolean {
  const missing = Object.entries(programs).filter(([program]) => !isInstalled(program));
  if (missing.length === 0) return true;
  const packages = [...new Set(missing.map(([, debianPackage]) => debianPackage))].join(" ");
  const line = `needs ${missing.map(([program]) => program).join(", ")} (apt-get install ${packages})`;
  if (process.env["CI"]) t.fail(line);
  else process.stderr.write(`SKIPPED: ${line}\n`);
  return false;
}

function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

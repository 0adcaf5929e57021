// `npx tsx test/e2e/targets/record-wire.ts`: records test/wire/rfb/, what each server of vnc-servers.ts sends in each encoding it
// has, with the hash of its own display at the end. Small screens: a few kilobytes each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { encodingByName } from "../../../src/protocols/rfb/encodings/list.ts";
import { type Capture, pictureHash } from "../../protocols/rfb/capture.ts";
import { until } from "../../support/until.ts";
import { differenceOf } from "../harness/xwd.ts";
import { EncodingClient } from "./encoding-client.ts";
import { SERVERS, type VncServer } from "./vnc-servers.ts";

const FOLDER = fileURLToPath(new URL("../../wire/rfb/", import.meta.url));
const MATRIX = fileURLToPath(new URL("../../../docs/compatibility.json", import.meta.url));

/** A capture of more is not worth its place in the repository. */
const MOST_BYTES = 60_000;
const SCALE = 0.25;

async function main(): Promise<void> {
  const matrix: Record<string, { debian: string; encodings: Record<string, string[]> }> = JSON.parse(
    readFileSync(MATRIX, "utf8"),
  );
  const captures: Capture[] = [];
  for (const kind of SERVERS) {
    const ends: (() => unknown)[] = [];
    const folder = mkdtempSync(join(tmpdir(), "oc-record-"));
    const owner = { teardown: (end: () => unknown) => void ends.unshift(end) };
    try {
      const server = await kind.start(owner, folder, SCALE);
      const row = matrix[kind.name];
      for (const [name, used] of Object.entries(row?.encodings ?? {})) {
        // A lossy picture has no hash to end with.
        if (!used.includes(name) || name === "zywrle") continue;
        const { bytes, picture } = await record(owner, server, name);
        const file = `${kind.debianPackage}-${name}.gz`;
        const packed = gzipSync(bytes, { level: 9 });
        if (packed.length > MOST_BYTES) continue;
        writeFileSync(join(FOLDER, file), packed);
        captures.push({ file, server: kind.name, version: row?.debian ?? "", encoding: name, picture });
      }
    } finally {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  writeFileSync(join(FOLDER, "captures.json"), `${JSON.stringify(captures, null, 2)}\n`);
}

async function record(owner: { teardown(end: () => unknown): void }, server: VncServer, name: string) {
  const number = encodingByName(name)?.number ?? 0;
  const client = await EncodingClient.open(owner, server.port, server.password, [number], true);
  await until("the handshake", () => client.isReady);
  client.pointer(2, 2);
  client.pointer(3, 3);
  for (const turn of [0, 1]) {
    const before = await server.truth();
    if (turn > 0) await server.change();
    await until(`the same picture in ${name}`, async () => {
      const truth = await server.truth();
      if (turn > 0 && differenceOf(truth, before) === null) return false;
      return differenceOf(client.shot(), truth) === null;
    });
  }
  const picture = pictureHash(await server.truth());
  const bytes = Buffer.concat(client.received);
  client.close();
  return { bytes, picture };
}

await main();

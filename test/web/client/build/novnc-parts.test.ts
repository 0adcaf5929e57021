import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, inflateSync } from "node:zlib";
import t from "tap";
import { BASE64, STORING_DEFLATOR } from "../../../../scripts/client-plugins.ts";
import { DOM_KEYS } from "../../../../scripts/novnc-keys.ts";

interface Deflator {
  deflate(bytes: Uint8Array): Uint8Array;
}

/** The module of a text, as Vite puts it in the place of noVNC's. */
async function load<Default>(code: string): Promise<Default> {
  const made: { readonly default: Default } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  return made.default;
}

async function openDeflator(): Promise<Deflator> {
  return new (await load<new () => Deflator>(STORING_DEFLATOR))();
}

/** As the server reads it: the stream goes on, so it has no end yet. */
function inflated(parts: readonly Uint8Array[]): Buffer {
  return inflateSync(Buffer.concat(parts), { finishFlush: constants.Z_SYNC_FLUSH });
}

t.test("what leaves with stored blocks is what zlib reads", async (t) => {
  for (const length of [0, 1, 255, 256, 65_534, 65_535, 65_536, 131_070, 200_001]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) & 255);
    const deflator = await openDeflator();
    const packed = deflator.deflate(bytes);
    t.ok(inflated([packed]).equals(bytes), `${length} bytes`);
    t.ok(packed.length <= length + 2 + 5 * Math.ceil(length / 65_535), `${length} bytes grow little`);
  }
});

t.test("a second text goes on in the same stream", async (t) => {
  const deflator = await openDeflator();
  const parts = ["first", "second"].map((text) => deflator.deflate(Buffer.from(text)));
  t.equal(inflated(parts).toString(), "firstsecond");
});

t.test("pictures become base64 as Node makes it, whatever their length", async (t) => {
  const { encode } = await load<{ encode(bytes: Uint8Array): string }>(BASE64);
  for (const length of [0, 1, 2, 3, 8191, 8192, 8193, 100_000]) {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) & 255));
    t.equal(encode(bytes), bytes.toString("base64"), `${length} bytes`);
  }
});

t.test("keys have the keysyms that noVNC gives them, in every place of a keyboard", async (t) => {
  const core = dirname(createRequire(import.meta.url).resolve("@novnc/novnc"));
  const whole: { readonly default: object } = await import(
    pathToFileURL(join(core, "input/domkeytable.js")).href
  );
  const keys = Object.keys(whole.default);
  t.ok(keys.length > 150, `${keys.length} keys`);
  t.same(await load(DOM_KEYS), whole.default);
});

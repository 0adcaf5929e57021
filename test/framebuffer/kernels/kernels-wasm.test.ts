import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";
import { clearedScratch } from "../../../src/framebuffer/kernels/kernel-scratch.ts";
import { openKernelMemory } from "../../../src/framebuffer/kernels/kernels.ts";
import { openPictureMemory } from "../../../src/framebuffer/kernels/picture-memory.ts";

const SCRIPT = fileURLToPath(new URL("../../../scripts/kernels.mjs", import.meta.url));

t.test("the committed kernels are what their sources compile to", async (t) => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: "utf8" });
  t.equal(status, 0, stderr);
});

t.test("memory holds what was asked for, zeroed, and more than there can be is null", async (t) => {
  const memory = openKernelMemory(100_000);
  t.equal(memory?.buffer.byteLength, 131_072);
  t.ok(new Uint8Array(memory?.buffer ?? new ArrayBuffer(1)).every((byte) => byte === 0));
  t.equal(openKernelMemory(2 ** 33), null);
});

t.test("what a picture's memory holds does not overlap, at any size", async (t) => {
  for (const [width, height] of [
    [1, 1],
    [3, 700],
    [1920, 1080],
  ] as const) {
    const memory = openPictureMemory(width, height);
    if (memory === null) {
      t.fail("no kernels");
      continue;
    }
    const { pixels, band, bandBytes, patch, places, buffer } = memory;
    t.ok(pixels + 4 * width * height <= band);
    t.ok(bandBytes >= 64 * 4 * width && band + bandBytes <= patch);
    t.ok(patch + 4 * 65_536 <= places);
    t.ok(places + 8 * 4096 <= buffer.byteLength);
  }
});

t.test("the scratch memory says when it is full, and is empty again when it was cleared", async (t) => {
  const memory = clearedScratch();
  const first = memory?.take(1000) ?? 0;
  const second = memory?.take(3 * 1024 * 1024) ?? 0;
  t.ok(first > 0 && second >= first + 1000);
  t.equal(memory?.take(3 * 1024 * 1024), -1);
  t.equal(clearedScratch()?.take(10), first);
});
